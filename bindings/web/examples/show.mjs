// Shows what is in a file, on the command line:
//   node show.mjs FILE           its format is guessed
//   node show.mjs FILE FORMAT    godot-4, roblox-attributes, ...
import { readFileSync } from "node:fs";

import { Blueprint, DecodeError, detect, detectFile, Model, Save, toNotation } from "enginewire";

const [file, given] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node show.mjs FILE [FORMAT]");
  process.exit(2);
}
const bytes = readFileSync(file);

function showModel() {
  const model = Model.open(bytes);
  for (const { index, class: name, hasAttributes } of model.instances()) {
    if (!hasAttributes) continue;
    console.log(`${model.path(index)} (${name})  ${toNotation(model.bytes(index), { format: "roblox-attributes" })}`);
  }
  for (const problem of model.problems()) console.error(`problem: ${problem}`);
}

function showBlueprint() {
  const blueprint = Blueprint.open(bytes.toString());
  blueprint.parts().forEach(({ body, child }, part) => {
    console.log(`bodies[${body}].childs[${child}]  ${JSON.stringify(blueprint.decode(part), (_, value) => (typeof value === "bigint" ? String(value) : value))}`);
  });
}

async function showSave() {
  const { default: initSqlJs } = await import("sql.js");
  const save = Save.open(bytes, await initSqlJs());
  for (const row of save.rows()) {
    if (row.problem !== undefined) console.error(`${row.address}: ${row.problem.message}`);
    else if (row.isObject) console.log(`${row.address} (${row.label})  ${toNotation(save.bytes(row), { format: "scrap-mechanic-lua" })}`);
  }
}

try {
  const kind = given === undefined ? detectFile(bytes) : undefined;
  if (kind === "model") {
    showModel();
  } else if (kind === "blueprint") {
    showBlueprint();
  } else if (kind === "save") {
    await showSave();
  } else {
    const [best] = detect(bytes);
    const format = given ?? best?.format;
    if (format === undefined) throw new TypeError("the format is not known; name it");
    if (given === undefined) console.error(`${format}: ${best.reason}`);
    console.log(toNotation(bytes, { format, name: file }));
  }
} catch (error) {
  console.error(error instanceof DecodeError ? error.report : `error: ${error.message}`);
  process.exit(1);
}
