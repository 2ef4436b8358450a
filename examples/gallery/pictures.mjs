// The pictures of the gallery: one part of each page that its commands write. `node pictures.mjs TOOLS FOLDER`, where TOOLS is a folder
// with node_modules (playwright-core) and FOLDER what `.ci/gallery.py ONESIDED --keep FOLDER` left. CHROMIUM names the browser.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const PARTS = { alerts: "review", churn: "drives", anomalies: "scores", tumors: "share", pictures: "rows", texts: "rows" };
const [tools, folder] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(tools), "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
for (const [job, part] of Object.entries(PARTS)) {
  const page = await browser.newPage({ viewport: { width: 900, height: 700 }, deviceScaleFactor: 1.5 });
  await page.goto(`file://${resolve(folder, job, "page.html")}`);
  const { x, y, width, height } = await page.locator(`#${part}`).boundingBox();
  const clip = { x, y, width, height: Math.min(height, 620) };
  await page.screenshot({ path: resolve(import.meta.dirname, `../../docs/pictures/gallery-${job}.png`), clip, fullPage: true });
  await page.close();
}
await browser.close();
