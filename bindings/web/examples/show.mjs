// Shows what is in a file, on the command line:
//   node show.mjs FILE           its format is guessed
//   node show.mjs FILE FORMAT    godot-4, roblox-attributes, ...
import { readFileSync } from "node:fs";

import { Blueprint, DecodeError, decodeFrames, detect, detectFile, encode, Model, Save, signature, toNotation } from "enginewire";

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
  const blueprint = Blueprint.open(bytes);
  blueprint.parts().forEach(({ body, child }, part) => {
    console.log(`bodies[${body}].childs[${child}]  ${JSON.stringify(blueprint.decode(part), (_, value) => (typeof value === "bigint" ? String(value) : value))}`);
  });
}

async function showSave() {
  const { default: initSqlJs } = await import("sql.js");
  const save = Save.open(bytes, await initSqlJs());
  for (const row of save.rows()) {
    if (row.problem !== undefined) console.error(`${row.address}: ${row.problem.message}`);
    else if (row.isObject) console.log(`${row.address}  ${toNotation(save.bytes(row), { format: "scrap-mechanic-lua" })}`);
  }
}

try {
  const kind = given === undefined ? detectFile(bytes) : undefined;
  if (kind === "rbxm" || kind === "rbxmx") {
    showModel();
  } else if (kind === "scrap-mechanic-blueprint") {
    showBlueprint();
  } else if (kind === "scrap-mechanic-save") {
    await showSave();
  } else {
    const best = given === undefined ? detect(bytes)[0] : { format: given };
    const other = signature(bytes);
    if (given === undefined && other !== undefined) throw new TypeError(`${other.about}; ${other.advice}`);
    // what is merely possible says no more than that some fields are valid
    if (best === undefined || best.confidence === "possible") throw new TypeError("the format is not known; name it");
    const { format, reason, framing } = best;
    if (reason !== undefined) console.error(`${format}: ${reason}`);
    const values = framing === undefined ? [bytes] : decodeFrames(bytes, { format, framing }).map((value) => encode(value, { format }));
    for (const value of values) console.log(toNotation(value, { format, name: file }));
  }
} catch (error) {
  console.error(error instanceof DecodeError ? error.report : `error: ${error.message}`);
  process.exit(1);
}
