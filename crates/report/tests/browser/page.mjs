// Pages in a real browser: `node page.mjs TOOLS ONESIDED`, where TOOLS is a folder with node_modules (playwright-core, axe-core) and
// ONESIDED the binary. CHROMIUM names the browser, /usr/bin/chromium unless set. `.ci/engines page` runs it; `--short` leaves the long
// table and the 200 answers out.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [tools, binary, ...flags] = process.argv.slice(2);
const short = flags.includes("--short");
const require = createRequire(join(resolve(tools), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "onesided-page-"));
const onesided = (...words) => execFileSync(resolve(binary), words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const examples = resolve(import.meta.dirname, "../../../../examples");

const options = {
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
};
let checks = 0;
const step = async (name, work) => {
  const started = Date.now();
  await work();
  checks += 1;
  console.log(`${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
};

// A page with everything that went wrong in it.
const opened = async (context, file) => {
  const page = await context.newPage(), wrong = [];
  page.on("pageerror", error => wrong.push(`error ${error.message}`));
  page.on("console", message => { if (message.type() === "error" || message.type() === "warning") wrong.push(`console ${message.text()}`); });
  page.on("request", request => { if (!/^(file|data|blob):/.test(request.url())) wrong.push(`request ${request.url()}`); });
  page.on("dialog", dialog => { wrong.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(`file://${join(folder, file)}`);
  return { page, wrong };
};
// The page's own policy keeps scripts of others out, so the checker is run where it is not in force.
const findings = async (browser, file, colorScheme) => {
  const context = await browser.newContext({ bypassCSP: true, colorScheme });
  const { page } = await opened(context, file);
  await page.evaluate(() => document.querySelectorAll("details").forEach(one => { one.open = true; }));
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  await context.close();
  return found.violations.map(one => `${one.impact} ${one.id}: ${one.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(" | ")}`);
};
const near = (a, b) => a === b || Math.abs(a - b) <= 1e-6;

const browser = await chromium.launch(options);
try {
  onesided("fit", join(examples, "train.csv"), "--label", "y", "--reserve", "60", "--out", "m.safetensors", "--report", "fit.html");
  onesided("report", "m.safetensors", join(examples, "new.csv"), "--label", "y", "--id", "customer", "--out", "new.html");
  onesided("report", "m.safetensors", join(examples, "new.csv"), "--label", "y", "--no-rows", "--out", "none.html");

  for (const file of ["fit.html", "new.html", "none.html"]) {
    await step(`${file}: opens without errors or requests, and is small`, async () => {
      const context = await browser.newContext();
      const { page, wrong } = await opened(context, file);
      assert.deepEqual(wrong, []);
      assert(statSync(join(folder, file)).size < 1_000_000);
      const headings = await page.locator("h2").allTextContents();
      assert.equal(headings.length, await page.locator("nav a").count());
      assert.equal(await page.locator("#first tbody tr").count(), file === "none.html" ? 0 : 50);
      await context.close();
    });
    for (const scheme of ["light", "dark"]) {
      await step(`${file}, ${scheme}: nothing for an accessibility checker to find`, async () => {
        assert.deepEqual(await findings(browser, file, scheme), []);
      });
    }
  }

  onesided("fit", join(examples, "train.csv"), "--label", "y", "--method", "weighted-lr", "--prior", "0.3", "--out", "lines.safetensors");
  onesided("report", join(examples, "new.csv"), "--compare", "m.safetensors", "lines.safetensors", "--label", "y", "--out", "compare.html");
  await step("models side by side: opens without errors or requests, light, dark and narrow", async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 }, isMobile: true });
    const { page, wrong } = await opened(context, "compare.html");
    assert.deepEqual(wrong, []);
    assert.equal(await page.locator("#verdict tbody tr").count(), 2);
    assert.equal(await page.locator("#review path.line").count(), 3, "two models, and reading blindly");
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await context.close();
    for (const scheme of ["light", "dark"]) assert.deepEqual(await findings(browser, "compare.html", scheme), []);
  });

  await step("without a script all numbers are there", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const { page } = await opened(context, "new.html");
    const text = await page.locator("main").innerText();
    for (const word of ["In short", "Rows to read", "rows to read", "The first rows"]) assert(text.includes(word), word);
    assert.equal(await page.locator("#first tbody tr").count(), 50);
    assert.equal(await page.locator(".verdict li").count(), 5);
    await context.close();
  });

  await step("sliders show the numbers of the library", async () => {
    const told = JSON.parse(onesided("evaluate", "m.safetensors", join(examples, "new.csv"), "--label", "y", "--top", "100", "--json"));
    const context = await browser.newContext();
    const { page } = await opened(context, "new.html");
    const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
    const at = data.cuts.findIndex(cut => cut.rows === 100);
    assert(at >= 0, "100 rows are a place of the slider");
    const set = (id, value) => page.evaluate(([id, value]) => {
      const slider = document.getElementById(id);
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, [id, value]);
    const value = id => page.evaluate(id => Number(document.getElementById(id).dataset.value), id);
    await set("cut", at);
    assert.equal(await value("cut-rows"), 100);
    const of = told.at_top[0];
    // The page ranks by the reserve where there is one, and evaluate by the table's labels: the lift times the share of the list is the recall.
    assert(near(await value("cut-recall") / (100 / data.of), data.cuts[at].lift[0]));
    assert.equal(of.rows, 100);
    for (const [index, share] of data.shares.entries()) {
      await set("share-slider", index);
      assert(near(await value("share-value"), share.share) && near(await value("share-positives"), share.positives));
      const told = share.precision[at];
      if (told && told[0] !== null) assert(near(await value("share-precision"), told[0]));
      // Above 1 the likeliest is not told, but what is possible.
      else assert.match(await page.locator("#share-precision").textContent(), told ? /^[\d.]+.% to 100\.0.%$/ : /^cannot be$/);
    }
    for (const [index, odds] of data.odds.entries()) {
      await set("odds-slider", index);
      assert(near(await value("odds-value"), odds.odds));
      const [low, high] = await page.evaluate(() => ["low", "high"].map(end => Number(document.getElementById("odds-recall").dataset[end])));
      assert(near(low, odds.recall[at][0]) && near(high, odds.recall[at][1]));
      // Γ divides and multiplies odds of recall.
      const [, l, h] = data.cuts[at].recall;
      assert(near(low, l / (l + odds.odds * (1 - l))) || Math.abs(low - l / (l + odds.odds * (1 - l))) < 1e-5);
      assert(Math.abs(high - odds.odds * h / (odds.odds * h + 1 - h)) < 1e-5);
    }
    // Another place moves what other sliders show, by the keyboard too.
    const before = await page.locator("#odds-recall").textContent();
    await page.locator("#cut").focus();
    await page.keyboard.press("End");
    assert.equal(await value("cut-rows"), data.of);
    assert.notEqual(await page.locator("#odds-recall").textContent(), before);
    await context.close();
  });

  await step("rows are found, and copied as CSV", async () => {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, wrong } = await opened(context, "new.html");
    const heads = await page.locator("#first thead th").allTextContents();
    const first = (await page.locator("#first tbody tr").first().locator("td, th").nth(heads.indexOf("customer")).textContent()).trim();
    await page.locator("#search").fill(first);
    assert.equal(await page.locator("#first tbody tr:visible").count(), 1);
    await page.locator("#copy").click();
    await page.waitForFunction(() => document.getElementById("found").textContent === "copied");
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split("\n");
    assert.equal(lines.length, 2);
    assert(lines[1].includes(`"${first}"`));
    assert.deepEqual(wrong, []);
    await context.close();
  });

  await step("the reasons of a row are seen without moving anything", async () => {
    for (const width of [1100, 1280]) {
      const context = await browser.newContext({ viewport: { width, height: 800 } });
      const { page } = await opened(context, "fit.html");
      const [why, box] = await Promise.all([page.locator("#first .because").first().boundingBox(), page.locator(".tall").boundingBox()]);
      assert(why.x + why.width <= box.x + box.width + 1, `${why.x} + ${why.width} in ${box.x} + ${box.width}`);
      await context.close();
    }
  });

  await step("a narrow screen, paper and the dark", async () => {
    const phone = await browser.newContext({ viewport: { width: 360, height: 700 }, isMobile: true });
    const { page } = await opened(phone, "fit.html");
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    // Texts of pictures are large enough to read, and what is short is not cut off.
    const letters = await page.evaluate(() => [...document.querySelectorAll(".plot text")].filter(text => text.getBoundingClientRect().width > 0)
      .map(text => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width));
    assert(Math.min(...letters) >= 9, String(Math.min(...letters)));
    for (const id of ["verdict", "share", "drives"]) {
      assert(await page.evaluate(id => [...document.querySelectorAll(`#${id} .scroll`)].every(box => box.scrollWidth <= box.clientWidth + 1), id), id);
    }
    await phone.close();
    // At a zoom of 200 % a screen has half its width.
    const near = await browser.newContext({ viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });
    assert(await (await opened(near, "fit.html")).page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await near.close();
    const dark = await browser.newContext({ colorScheme: "dark" });
    const night = (await opened(dark, "fit.html")).page;
    const colors = () => night.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const darkest = await colors();
    await night.emulateMedia({ media: "print" });
    assert.notEqual(await colors(), darkest);
    assert.equal(await night.locator("nav").isVisible(), false);
    assert((await night.pdf({ format: "A4" })).length > 10_000);
    await dark.close();
  });

  await step("names and cells of a hostile table are text", async () => {
    const names = ["<script>alert(1)</script>", "a\u202eb", "x".repeat(900), "\"><img src=x onerror=alert(2)>"];
    const cells = ["</script><script>alert(3)</script>", "\u202ereversed", "<b>bold</b>", "y".repeat(10_000)];
    const quoted = text => `"${text.replace(/"/g, '""')}"`;
    const lines = [[...names, "n", "y"].map(quoted).join(",")];
    for (let row = 0; row < 900; row += 1) {
      const positive = row % 3 === 0;
      const number = ((row * 7919) % 101) / 50 + (positive ? 1.5 : 0);
      const chosen = [0, 1, 2].map(at => cells[(row + at + (positive ? 1 : 0)) % cells.length].slice(0, row < 40 ? 10_000 : 60));
      lines.push([...chosen, `c${row % 7}`, number.toFixed(3), positive && row % 2 === 0 ? "1" : "0"].map(quoted).join(","));
    }
    writeFileSync(join(folder, "hostile.csv"), lines.join("\n") + "\n");
    onesided("fit", "hostile.csv", "--label", "y", "--prior", "0.35", "--out", "h.safetensors", "--report", "hostile.html");
    onesided("audit", "draw", "h.safetensors", "hostile.csv", "--rows", "30", "--out", "hostile-review.html");
    for (const file of ["hostile.html", "hostile-review.html"]) {
      const context = await browser.newContext({ viewport: { width: 900, height: 800 } });
      const { page, wrong } = await opened(context, file);
      assert.deepEqual(wrong, []);
      assert.equal(await page.locator("img, b:has(script)").count(), 0);
      assert.equal(await page.evaluate(() => document.querySelectorAll("script").length), 2);
      const text = await page.locator("body").innerText();
      assert(text.includes("<script>") && text.includes("onerror"), "shown as text");
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert(statSync(join(folder, file)).size < 1_000_000);
      await context.close();
    }
    // Whatever else got into the page would not run.
    const context = await browser.newContext();
    const { page } = await opened(context, "hostile.html");
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => window.ran), undefined);
    await context.close();
  });

  onesided("audit", "draw", "m.safetensors", join(examples, "new.csv"), "--label", "y", "--rows", "200", "--out", "review.html");
  for (const scheme of ["light", "dark"]) {
    await step(`review.html, ${scheme}: nothing for an accessibility checker to find`, async () => {
      assert.deepEqual(await findings(browser, "review.html", scheme), []);
    });
  }
  await step("answers by keyboard come back through audit read, and a reload loses none", async () => {
    const context = await browser.newContext({ acceptDownloads: true });
    const { page, wrong } = await opened(context, "review.html");
    const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
    const said = new Map(), many = short ? 40 : data.rows.length;
    await page.locator("#reviewer").fill("Ada");
    await page.keyboard.press("Enter");
    for (let at = 0; at < many; at += 1) {
      if (at === Math.floor(many / 2)) await page.reload();
      const row = Number((await page.locator("#place").textContent()).replace("Row ", ""));
      const key = ["y", "n", "n", "u"][(row * 7) % 4];
      if (at === 3) {
        await page.keyboard.press("y");
        await page.keyboard.press("z");
        assert.equal(await page.locator("#place").textContent(), `Row ${row}`);
      }
      if (at === 5) {
        await page.keyboard.press("e");
        await page.keyboard.type("a \"note\", with a comma");
        await page.keyboard.press("Escape");
      }
      await page.keyboard.press(key);
      said.set(row, { y: "yes", n: "no", u: "unsure" }[key]);
    }
    assert.equal(await page.locator("#count").textContent(), `${many} of ${data.rows.length} answered`);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
    assert.equal(download.suggestedFilename(), "answers-Ada.csv");
    await download.saveAs(join(folder, "answers.csv"));
    const lines = readFileSync(join(folder, "answers.csv"), "utf8").trim().split("\n").slice(1);
    const back = new Map(lines.map(line => line.split(",").map(cell => cell.slice(1, -1))).map(cells => [Number(cells[1]), cells[2]]));
    for (const [row, word] of said) assert.equal(back.get(row), word, `row ${row}`);
    const report = JSON.parse(onesided("audit", "read", "m.safetensors", "answers.csv", "--json"));
    const count = word => [...said.values()].filter(one => one === word).length;
    assert.equal(report.drawn, data.rows.length);
    assert.equal(report.found, count("yes"));
    assert.equal(report.unsure, count("unsure"));
    assert.equal(report.unanswered, count("unsure") + data.rows.length - many);
    assert.deepEqual(wrong, []);
    await context.close();
    // Another browser goes on from the file.
    const other = await browser.newContext();
    const again = await opened(other, "review.html");
    await again.page.locator("summary").click();
    await again.page.locator("#load").setInputFiles(join(folder, "answers.csv"));
    await again.page.waitForFunction(() => document.getElementById("saved").textContent.startsWith("Loaded"));
    assert.equal(await again.page.locator("#count").textContent(), `${many} of ${data.rows.length} answered`);
    await other.close();
  });
  await step("two tabs lose none of their answers, and a key that is held down answers one row", async () => {
    const context = await browser.newContext();
    const one = (await opened(context, "review.html")).page, other = (await opened(context, "review.html")).page;
    const count = page => page.locator("#count").textContent();
    // A browser tells one tab of another's answers within moments, and nobody types in two tabs at once.
    const told = (page, many) =>
      page.waitForFunction(many => document.getElementById("count").textContent.startsWith(`${many} of`), many);
    await one.keyboard.press("y");
    await told(other, 1);
    await other.keyboard.press("j");
    await other.keyboard.press("j");
    await other.keyboard.press("n");
    await told(one, 2);
    await one.keyboard.press("u");
    await told(other, 3);
    await one.reload();
    assert((await count(one)).startsWith("3 of"), await count(one));
    await one.keyboard.down("y");
    await one.keyboard.down("y");
    await one.keyboard.down("y");
    await one.keyboard.up("y");
    assert((await count(one)).startsWith("4 of"), await count(one));
    await other.waitForFunction(() => document.getElementById("count").textContent.startsWith("4 of"));
    // What is broken is not taken for answers.
    for (const broken of ["{", "null", "{\"version\":1}", "{\"version\":1,\"answers\":{},\"notes\":{},\"history\":[],\"reviewer\":\"\",\"at\":\"x\"}"]) {
      await one.evaluate(broken => { for (const name of Object.keys(localStorage)) localStorage.setItem(name, broken); }, broken);
      await one.reload();
      await one.keyboard.press("y");
      assert((await count(one)).startsWith("1 of"), broken);
      assert.equal(await one.locator("#storage").isVisible(), false);
    }
    await context.close();
  });
  await step("a file that a spreadsheet saved is loaded, and one of another draw is not", async () => {
    const context = await browser.newContext();
    const { page } = await opened(context, "review.html");
    const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
    const lines = ["key;row;positive;note;reviewer;draw", `${data.rows[0].key};${data.rows[0].row};YES;"a; b";Ada;${data.draw}`,
      `${data.rows[1].key};${data.rows[1].row};;;;${data.draw}`];
    const load = async text => {
      await page.locator("#load").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
      await page.waitForFunction(() => document.getElementById("saved").textContent !== "");
      const said = await page.locator("#saved").textContent();
      await page.evaluate(() => { document.getElementById("saved").textContent = ""; });
      return said;
    };
    await page.locator("summary").click();
    assert.equal(await load("\ufeff" + lines.join("\r\n") + "\r\n"), "Loaded 1 answers.");
    assert.equal(await page.locator("#note").inputValue(), "a; b");
    assert.match(await load(lines.join("\n").replace("YES", "no")), /1 of which took the place/);
    assert.match(await load(lines.join("\n").replaceAll(data.draw, "another")), /no rows of this draw/);
    assert.match(await load("\u0000\u0001 no table"), /no rows of this draw/);
    await context.close();
  });

  onesided("fit", join(examples, "posts.csv"), "--text", "body", "--drop", "truth", "--label", "y", "--prior", "0.3", "--method", "weighted-lr",
    "--out", "posts.safetensors", "--report", "posts.html");
  const digits = ["y," + Array.from({ length: 64 }, (_, at) => `p${at}`).join(",")];
  for (let row = 0; row < 240; row += 1) {
    const pixels = Array.from({ length: 64 }, (_, at) => ((at % 8 < 4) === (row % 3 === 0) ? 200 : 40) + ((row * 31 + at * 17) % 40));
    digits.push([row % 6 === 0 ? 1 : 0, ...pixels].join(","));
  }
  writeFileSync(join(folder, "pixels.csv"), digits.join("\n") + "\n");
  onesided("fit", "pixels.csv", "--label", "y", "--image-shape", "1x8x8", "--prior", "0.33", "--epochs", "2", "--out", "pixels.safetensors",
    "--report", "pixels.html");
  onesided("audit", "draw", "pixels.safetensors", "pixels.csv", "--rows", "20", "--out", "pixels-review.html");
  for (const [file, what] of [["posts.html", "#drives tbody tr"], ["pixels.html", "#drives svg.seen"], ["pixels-review.html", "#row img"]]) {
    await step(`${file}: words and pictures are shown, and an accessibility checker finds nothing`, async () => {
      const context = await browser.newContext();
      const { page, wrong } = await opened(context, file);
      assert.deepEqual(wrong, []);
      assert(await page.locator(what).count() > 0);
      if (file === "pixels.html") assert.equal(await page.locator("#drives h3").count(), 4, "labeled ones in doubt, too");
      assert(await page.evaluate(() => [...document.images].every(image => image.naturalWidth > 0 && image.alt)));
      assert(statSync(join(folder, file)).size < 1_000_000);
      await context.close();
      for (const scheme of ["light", "dark"]) assert.deepEqual(await findings(browser, file, scheme), []);
    });
  }

  await step("reasons are shown when asked for, one row at a time", async () => {
    onesided("audit", "draw", "m.safetensors", join(examples, "new.csv"), "--label", "y", "--rows", "30", "--explain", "3", "--out", "why.html");
    const context = await browser.newContext();
    const { page, wrong } = await opened(context, "why.html");
    assert.equal(await page.locator("#because").isVisible(), false);
    await page.keyboard.press("w");
    assert.equal(await page.locator("#because span").count(), 3);
    assert.equal(await page.locator("#why").getAttribute("aria-expanded"), "true");
    await page.keyboard.press("y");
    assert.equal(await page.locator("#because").isVisible(), false, "hidden again at the next row");
    assert.deepEqual(wrong, []);
    await context.close();
    assert.deepEqual(await findings(browser, "why.html", "light"), []);
  });
  await step("where a browser keeps nothing, the page says so", async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => {
      Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } });
    });
    const { page } = await opened(context, "review.html");
    assert.equal(await page.locator("#storage").isVisible(), true);
    await page.keyboard.press("y");
    assert((await page.locator("#count").textContent()).startsWith("1 of"));
    await context.close();
  });

  if (!short) {
    await step("a page of 1,000,000 rows is under 1 MB", async () => {
      const source = readFileSync(join(examples, "new.csv"), "utf8").trim().split("\n");
      const [head, ...rows] = source;
      const many = [head];
      for (let at = 0; at < 1_000_000; at += 1) many.push(rows[(at * 7) % rows.length]);
      writeFileSync(join(folder, "long.csv"), many.join("\n") + "\n");
      onesided("report", "m.safetensors", "long.csv", "--id", "customer", "--out", "long.html");
      assert(statSync(join(folder, "long.html")).size < 1_000_000);
      const context = await browser.newContext();
      assert.deepEqual((await opened(context, "long.html")).wrong, []);
      await context.close();
    });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${checks} checks of pages in a browser`);
