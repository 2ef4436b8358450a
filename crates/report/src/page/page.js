"use strict";
// Sliders show numbers that the library computed; nothing is computed here.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = id => document.getElementById(id);
  const whole = x => Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const percent = x => x === null ? "–" : (100 * x).toFixed(1) + "\u00a0%";
  const put = (id, value, main, range) => {
    const out = byId(id);
    if (!out) return;
    out.dataset.value = value;
    out.textContent = main;
    if (range) {
      const span = document.createElement("span");
      span.className = "range";
      span.textContent = range;
      out.append(" ", span);
    }
  };
  const interval = (id, told, unknown, write) => {
    if (!told) return put(id, null, unknown);
    const [value, low, high] = told;
    if (value === null) return put(id, null, `${write(low)} to ${write(high)}`);
    put(id, value, write(value), low < high ? `(${write(low)} to ${write(high)})` : "");
  };
  const place = (id, x) => { const marker = byId(id); if (marker) marker.setAttribute("transform", `translate(${x})`); };
  const cut = byId("cut"), share = byId("share-slider"), odds = byId("odds-slider");

  const show = () => {
    const at = Number(cut.value), now = data.cuts[at];
    put("cut-rows", now.rows, whole(now.rows), `(${percent(now.rows / data.of)})`);
    interval("cut-recall", now.recall, "not known", percent);
    interval("cut-precision", now.precision, "not known", percent);
    interval("cut-positives", now.positives, "not known", whole);
    interval("cut-lift", now.lift, "not known", x => x.toFixed(2));
    cut.setAttribute("aria-valuetext", `${whole(now.rows)} rows`);
    place("cut-marker", now.x);
    if (share) {
      const one = data.shares[Number(share.value)];
      put("share-value", one.share, percent(one.share));
      put("share-positives", one.positives, whole(one.positives));
      interval("share-precision", one.precision[at], "cannot be", percent);
      byId("share-rows").textContent = whole(now.rows);
      share.setAttribute("aria-valuetext", percent(one.share));
      place("share-marker", one.x);
    }
    if (odds) {
      const one = data.odds[Number(odds.value)], [low, high] = one.recall[at];
      put("odds-value", one.odds, one.odds.toString(), one.odds === 1 ? "(random)" : "");
      const out = byId("odds-recall");
      out.dataset.low = low;
      out.dataset.high = high;
      out.textContent = `${percent(low)} to ${percent(high)}`;
      byId("odds-cut").textContent = whole(now.rows);
      put("odds-rows", one.rows, one.rows === null ? "no number is enough" : whole(one.rows));
      odds.setAttribute("aria-valuetext", one.odds.toString());
    }
  };
  if (cut) {
    for (const slider of [cut, share, odds]) if (slider) slider.addEventListener("input", show);
    show();
  }

  const first = byId("first");
  if (first) {
    const rows = [...first.tBodies[0].rows], found = byId("found");
    byId("search").addEventListener("input", event => {
      const wanted = event.target.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        if (!row.hidden) shown += 1;
      }
      found.textContent = wanted === "" ? "" : `${shown} of ${rows.length} rows`;
    });
    // What a spreadsheet would take for a formula stays a text.
    const text = cell => cell.textContent.trim().replace(/^(?=[=@\t]|[-+](?![\d.]))/, "'").replace(/"/g, '""');
    const csv = () => [first.tHead.rows[0], ...rows.filter(row => !row.hidden)]
      .map(row => [...row.cells].map(cell => `"${text(cell)}"`).join(","))
      .join("\r\n") + "\r\n";
    byId("copy").addEventListener("click", () => {
      const text = csv();
      const fallback = () => {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        return done;
      };
      const told = done => { found.textContent = done ? "copied" : "this browser does not let a page copy"; };
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => told(true), () => told(fallback()));
      else told(fallback());
    });
  }

  const contents = document.querySelector(".contents");
  if (contents && matchMedia("(max-width: 60rem)").matches) contents.open = false;
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
})();
