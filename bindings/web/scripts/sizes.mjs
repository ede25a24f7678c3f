// Prints the sizes of the modules of the entry points, uncompressed and by brotli:
//   npm run sizes             after a build
//   npm run sizes -- --check  fails if one exceeds its limit
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

import { ENTRIES, importedAs, moduleOf } from "./entries.mjs";

const isCheck = process.argv.includes("--check");
const shown = (size, most) => `${size.toLocaleString("en").padStart(9)}${isCheck ? ` of ${most.toLocaleString("en").padStart(9)}` : ""}`;

console.log(`${"".padEnd(30)}${isCheck ? "bytes and their limit".padEnd(24) : "    bytes  "}by brotli`);
for (const entry of ENTRIES) {
  const bytes = readFileSync(new URL(`../${moduleOf(entry)}`, import.meta.url));
  const sizes = [bytes.length, brotliCompressSync(bytes).length];
  const isTooLarge = isCheck && sizes.some((size, at) => size > entry.most[at]);
  if (isTooLarge) process.exitCode = 1;
  console.log(`${importedAs(entry).padEnd(30)}${sizes.map((size, at) => shown(size, entry.most[at])).join("   ")}${isTooLarge ? "  too large" : ""}`);
}
