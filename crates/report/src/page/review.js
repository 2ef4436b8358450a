"use strict";
// Rows one at a time. Answers are kept by the browser under the name of the draw, and written as the file of an audit.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = id => document.getElementById(id);
  const rows = data.rows, place = "onesided-review-" + data.name;
  const fresh = () => ({ version: 1, answers: {}, notes: {}, history: [], reviewer: "", at: 0 });
  let state = fresh(), kept = true;

  const sound = found => found && found.version === 1 && found.answers && typeof found.answers === "object" && found.notes
    && typeof found.notes === "object" && Array.isArray(found.history) && Number.isInteger(found.at) && typeof found.reviewer === "string";
  // What this browser holds, which another tab may have written; each tab stays at its own row.
  const stored = () => {
    let text = null;
    try { text = localStorage.getItem(place); } catch (refused) { kept = false; }
    try {
      const found = JSON.parse(text);
      return sound(found) ? found : null;
    } catch (broken) {
      return null;
    }
  };
  const recall = () => {
    const found = kept && stored();
    if (found) state = { ...found, at: state.at };
  };
  const keep = () => {
    if (kept) {
      try { localStorage.setItem(place, JSON.stringify(state)); } catch (refused) { kept = false; }
    }
    byId("storage").hidden = kept;
  };

  // What the model goes by may sway an answer: it is shown when asked for, one row at a time.
  const why = byId("why"), because = byId("because");
  const showWhy = open => {
    if (!why) return;
    why.setAttribute("aria-expanded", String(open));
    because.hidden = !open;
    because.replaceChildren();
    if (!open) return;
    const parts = rows[state.at].because;
    if (parts.length === 0) because.textContent = "Nothing stands out.";
    for (const [name, value] of parts) {
      const line = document.createElement("span"), island = document.createElement("bdi");
      island.textContent = name;
      line.append(value > 0 ? "For it: " : "Against it: ", island, ` (${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)})`);
      because.append(line);
    }
  };
  if (why) why.addEventListener("click", () => showWhy(because.hidden));

  const words = { yes: "yes", no: "no", unsure: "unsure" };
  const show = focus => {
    state.at = Math.min(Math.max(state.at, 0), rows.length - 1);
    const row = rows[state.at], box = byId("row");
    box.replaceChildren();
    if (row.picture) {
      const picture = document.createElement("img");
      picture.src = row.picture;
      picture.alt = "the picture to answer about";
      // The pixels of a tiny picture are squares.
      picture.onload = () => { if (Math.max(picture.naturalWidth, picture.naturalHeight) <= 32) picture.className = "squares"; };
      box.append(picture);
    }
    if (row.text !== null) {
      const text = document.createElement("p");
      text.className = "text";
      text.dir = "auto";
      text.textContent = row.text;
      box.append(text);
    }
    const list = document.createElement("dl");
    list.className = "facts";
    data.columns.forEach((name, at) => {
      const [pair, term, cell] = ["div", "dt", "dd"].map(tag => document.createElement(tag));
      term.textContent = name;
      cell.textContent = row.cells[at] || "–";
      term.dir = cell.dir = "auto";
      pair.append(term, cell);
      list.append(pair);
    });
    if (data.columns.length) box.append(list);
    showWhy(false);
    const answered = rows.filter(one => state.answers[one.key]).length;
    byId("place").textContent = `${data.thing} ${row.row}`;
    byId("count").textContent = `${answered} of ${rows.length} answered`;
    byId("done").value = answered;
    const given = state.answers[row.key];
    byId("given").textContent = given ? `You said ${words[given]}.` : "";
    for (const name of Object.keys(words)) byId(name).setAttribute("aria-pressed", String(given === name));
    byId("note").value = state.notes[row.key] || "";
    byId("reviewer").value = state.reviewer;
    byId("undo").disabled = state.history.length === 0;
    if (focus) byId("place").focus({ preventScroll: true });
  };

  const next = () => {
    for (let step = 1; step <= rows.length; step += 1) {
      const at = (state.at + step) % rows.length;
      if (!state.answers[rows[at].key]) return at;
    }
    return state.at;
  };
  const answer = said => {
    recall();
    const key = rows[state.at].key;
    state.history.push([key, state.answers[key] || null]);
    state.answers[key] = said;
    state.at = next();
    keep();
    show(true);
    if (rows.every(one => state.answers[one.key])) byId("saved").textContent = "All are answered: save the file.";
  };
  const undo = () => {
    recall();
    const last = state.history.pop();
    if (!last) return;
    const [key, before] = last;
    if (before) state.answers[key] = before; else delete state.answers[key];
    state.at = Math.max(rows.findIndex(one => one.key === key), 0);
    keep();
    show(true);
  };
  const move = by => { recall(); state.at += by; keep(); show(true); };

  for (const name of Object.keys(words)) byId(name).addEventListener("click", () => answer(name));
  byId("undo").addEventListener("click", undo);
  byId("back").addEventListener("click", () => move(-1));
  byId("ahead").addEventListener("click", () => move(1));
  byId("note").addEventListener("input", event => {
    recall();
    const key = rows[state.at].key;
    if (event.target.value) state.notes[key] = event.target.value; else delete state.notes[key];
    keep();
  });
  byId("reviewer").addEventListener("input", event => { recall(); state.reviewer = event.target.value; keep(); });
  addEventListener("storage", event => {
    if (event.key !== place || document.activeElement === byId("note")) return;
    recall();
    show(false);
  });

  const keys = { y: () => answer("yes"), n: () => answer("no"), u: () => answer("unsure"), z: undo, Backspace: undo,
    k: () => move(-1), ArrowLeft: () => move(-1), j: () => move(1), ArrowRight: () => move(1), e: () => byId("note").focus(),
    w: () => showWhy(Boolean(because) && because.hidden) };
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) {
      if ((event.key === "Escape" || event.key === "Enter") && event.target.type === "text") byId("place").focus();
      return;
    }
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    // A key that is held down answers one row.
    if (event.repeat && !["j", "k", "ArrowLeft", "ArrowRight"].includes(event.key)) return;
    if (act) { event.preventDefault(); act(); }
  });

  // A file of the audit: a line per row, every cell quoted.
  const head = ["key", "row", "positive", "note", "reviewer", "draw"];
  const csv = () => [head, ...rows.map(one =>
    [one.key, one.row, state.answers[one.key] || "", state.notes[one.key] || "", state.answers[one.key] ? state.reviewer : "", data.draw])]
    .map(cells => cells.map(cell => `"${String(cell).replace(/"/g, '""').replace(/[\r\n]+/g, " ")}"`).join(",")).join("\n") + "\n";
  let saved = "";
  byId("save").addEventListener("click", () => {
    const link = document.createElement("a");
    const name = state.reviewer.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40);
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = `answers${name ? "-" + name : ""}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    saved = JSON.stringify(state.answers);
    byId("saved").textContent = `Saved ${link.download}.`;
  });
  const cellsOf = text => {
    // Spreadsheets write what their country separates cells by.
    const head = text.split("\n", 1)[0], many = sign => head.split(sign).length;
    const sign = [",", ";", "\t"].reduce((best, other) => (many(other) > many(best) ? other : best));
    const lines = [[""]];
    let quoted = false;
    for (let at = 0; at < text.length; at += 1) {
      const line = lines[lines.length - 1], c = text[at];
      if (quoted && c === '"' && text[at + 1] === '"') { line[line.length - 1] += '"'; at += 1; }
      else if (c === '"') quoted = !quoted;
      else if (!quoted && c === sign) line.push("");
      else if (!quoted && c === "\n") lines.push([""]);
      else if (quoted || c !== "\r") line[line.length - 1] += c;
    }
    return lines;
  };
  byId("load").addEventListener("change", async event => {
    const file = event.target.files[0];
    if (!file) return;
    const [names, ...lines] = cellsOf((await file.text()).replace(/^\ufeff/, ""));
    const at = Object.fromEntries(head.map(name => [name, names.indexOf(name)]));
    const ours = lines.filter(line => line[at.draw] === data.draw && rows.some(one => one.key === line[at.key]));
    if (ours.length === 0) {
      byId("saved").textContent = "This file holds no rows of this draw; nothing was changed.";
      return;
    }
    recall();
    let replaced = 0;
    for (const line of ours) {
      const key = line[at.key], said = (line[at.positive] || "").trim().toLowerCase();
      if (words[said]) {
        if (state.answers[key] && state.answers[key] !== said) replaced += 1;
        state.answers[key] = said;
      }
      if (line[at.note]) state.notes[key] = line[at.note];
      if (line[at.reviewer]) state.reviewer = line[at.reviewer];
    }
    keep();
    show(false);
    const loaded = ours.filter(line => words[(line[at.positive] || "").trim().toLowerCase()]).length;
    byId("saved").textContent = `Loaded ${loaded} answers${replaced ? `, ${replaced} of which took the place of others that were given here` : ""}.`;
  });
  byId("clear").addEventListener("click", () => {
    if (!confirm("Clear all answers that this browser keeps for this page?")) return;
    state = fresh();
    keep();
    show(false);
    byId("saved").textContent = "Cleared.";
  });
  addEventListener("beforeunload", event => {
    if (!kept && Object.keys(state.answers).length && saved !== JSON.stringify(state.answers)) event.preventDefault();
  });
  state = stored() || state;
  keep();
  show(false);
})();
