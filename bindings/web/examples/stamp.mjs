// A build step for roblox-ts and Rojo: stamps attributes on instances of the file that was built.
//   rojo build --output game.rbxl && node stamp.mjs game.rbxl ReplicatedStorage.Build Version=1.4.0 Number=17
// To stamp many instances, give a JSON file instead of KEY=VALUE:
//   node stamp.mjs game.rbxl stamps.json        {"ReplicatedStorage.Build": {"Version": "1.4.0", "Tint": {"type": "Color3", "value": …}}}
import { readFileSync, renameSync, writeFileSync } from "node:fs";

import { Model } from "enginewire";

const [file, target, ...assignments] = process.argv.slice(2);
if (file === undefined || target === undefined) {
  console.error("usage: node stamp.mjs FILE INSTANCE KEY=VALUE ...\n       node stamp.mjs FILE STAMPS.json");
  process.exit(2);
}

/** A number, boolean or text, as it looks. */
function valueOf(text) {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

const stamps = assignments.length === 0
  ? JSON.parse(readFileSync(target, "utf8"))
  : {
      [target]: Object.fromEntries(
        assignments.map((assignment) => {
          const at = assignment.indexOf("=");
          if (at < 1) throw new Error(`expected KEY=VALUE, found ${JSON.stringify(assignment)}`);
          return [assignment.slice(0, at), valueOf(assignment.slice(at + 1))];
        }),
      ),
    };

const model = Model.open(readFileSync(file));
let count = 0;
for (const [path, attributes] of Object.entries(stamps)) {
  const found = model.find(path);
  if (found.length !== 1) {
    console.error(`stamp: ${found.length === 0 ? "there is no" : `there are ${found.length} instances`} ${path} in ${file}`);
    process.exit(1);
  }
  for (const [key, value] of Object.entries(attributes)) {
    model.set(found[0], key, value);
    count++;
  }
}
// all or nothing: rename a complete file, so that a failed write leaves the old one
writeFileSync(`${file}.new`, model.save());
renameSync(`${file}.new`, file);
console.log(`${file}: ${count} attributes stamped`);
