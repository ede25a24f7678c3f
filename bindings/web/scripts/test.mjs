// Runs the tests of the package and of the page: `npm test`, or `npm test -- FILE ...`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { need, TO_TEST } from "./needed.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
need(TO_TEST);
const given = process.argv.slice(2);
const all = ["test", "page/test"].flatMap((folder) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".test.mjs")).map((name) => `${folder}/${name}`) : [],
);
// one at a time: some tests measure, and browsers need memory
const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...(given.length > 0 ? given : all)], { stdio: "inherit" });
process.exit(status ?? 1);
