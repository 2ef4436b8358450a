// Scores rows with an exported model, in Node.
//
//     npm install onnxruntime-node
//     node score.mjs onnxruntime-node model.onnx rows.json
//
// rows.json has a list per column: {"age": [31, null], "city": ["Oslo", null]}; dates are seconds since 1970. The packages
// onnxruntime-node and onnxruntime-web have the same calls, so a page in a browser does it as well (browser.html).
import { readFileSync } from "node:fs";

/** A cell of numbers: null is NaN, true is 1. What is no number is refused, since NaN would say that it is missing. */
function number(cell, name) {
  if (cell === null) return NaN;
  if (typeof cell === "number" || typeof cell === "boolean") return Number(cell);
  throw new Error(`column '${name}' takes numbers, and ${JSON.stringify(cell)} is none`);
}

/** A cell of a category: null is the empty string, and blanks around it are none of it. */
function text(cell, name) {
  if (cell === null) return "";
  if (typeof cell === "string") return cell.replace(/^[ \t\n\f\r]+|[ \t\n\f\r]+$/g, "");
  throw new Error(`column '${name}' takes strings, and ${JSON.stringify(cell)} is none`);
}

/** The columns as tensors. */
export function tensors(ort, session, columns) {
  const feeds = {};
  for (const { name, type, shape } of session.inputMetadata) {
    const cells = columns[name];
    if (cells === undefined) throw new Error(`the rows have no column '${name}'`);
    const rows = cells.length;
    if (type === "string") {
      // The words of a text are an array, in which a blank stands for none.
      const texts = cells.flatMap((cell) => (Array.isArray(cell) ? cell : [text(cell, name)]));
      feeds[name] = new ort.Tensor("string", texts, [rows, texts.length / rows]);
    } else if (type === "float32") {
      const places = shape[1];
      const numbers = cells.flatMap((cell) => cell ?? Array(places).fill(NaN));
      feeds[name] = new ort.Tensor("float32", Float32Array.from(numbers), [rows, places]);
    } else {
      const numbers = cells.map((cell) => number(cell, name));
      feeds[name] = new ort.Tensor("float64", Float64Array.from(numbers), [rows, 1]);
    }
  }
  return feeds;
}

/** Score, probability and decision of each row. */
export async function score(ort, session, columns) {
  const out = await session.run(tensors(ort, session, columns));
  return {
    score: Array.from(out.score.data),
    probability: Array.from(out.probability.data),
    decision: Array.from(out.decision.data, Boolean),
  };
}

if (process.argv[1] && import.meta.url === new URL(`file://${process.argv[1]}`).href) {
  const [runtime, model, rows] = process.argv.slice(2);
  const loaded = await import(runtime);
  const ort = loaded.default?.InferenceSession ? loaded.default : loaded;
  const session = await ort.InferenceSession.create(readFileSync(model));
  console.log(JSON.stringify(await score(ort, session, JSON.parse(readFileSync(rows, "utf8")))));
}
