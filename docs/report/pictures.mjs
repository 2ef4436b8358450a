// The example and the pictures of docs/report.md and README.md: `node pictures.mjs TOOLS ONESIDED`, where TOOLS is a folder with
// node_modules (playwright-core) and ONESIDED the binary. CHROMIUM names the browser. The page of pictures is that of the gallery
// (`python examples/gallery/data.py pictures FOLDER`), whose folder may be named third.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [tools, binary, gallery] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(tools), "package.json"))("playwright-core");
const root = resolve(import.meta.dirname, "../.."), folder = mkdtempSync(join(tmpdir(), "onesided-pictures-"));
const onesided = (...words) => execFileSync(resolve(binary), words, { cwd: folder, encoding: "utf8" });
mkdirSync(join(folder, "examples"));
for (const name of ["train.csv", "new.csv"]) copyFileSync(join(root, "examples", name), join(folder, "examples", name));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
// A part of a page, from its top or from the top of an element.
const shot = async (file, name, { width, height, from, ...more }) => {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 1.5, ...more });
  await page.goto(`file://${file}`);
  const top = from ? (await page.locator(from).boundingBox()).y - 12 : 0;
  await page.screenshot({ path: join(root, "docs/pictures", name), clip: { x: 0, y: top, width, height }, fullPage: true });
  await page.close();
};
try {
  const [page, review] = ["page.html", "review.html"].map(name => join(folder, name));
  onesided("fit", "examples/train.csv", "--label", "y", "--reserve", "60", "--out", "model.safetensors", "--report", "page.html");
  onesided("audit", "draw", "model.safetensors", "examples/new.csv", "--label", "y", "--rows", "200", "--explain", "4",
    ...["customer", "x1", "x2", "x3", "x4", "x5", "x6"].flatMap(name => ["--id", name]), "--out", "review.html");
  copyFileSync(page, join(root, "docs/report/example.html"));
  await shot(page, "page.png", { width: 1000, height: 760 });
  await shot(page, "page-phone.png", { width: 400, height: 900, colorScheme: "dark" });
  await shot(review, "review.png", { width: 860, height: 820 });
  if (gallery) {
    const seen = join(folder, "pictures.html");
    onesided("fit", "--positives", join(resolve(gallery), "known"), "--unlabeled", join(resolve(gallery), "rest"), "--out", "p.safetensors", "--report", "pictures.html");
    await shot(seen, "page-pictures.png", { width: 1000, height: 760, from: "#drives" });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
