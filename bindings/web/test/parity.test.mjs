// The package gives what the native program gives, byte for byte.
import assert from "node:assert/strict";
import test from "node:test";

import { decode, DecodeError, DiscardedError, encode, fromText, inspectText, toText } from "enginewire";

import { CORPUS, program, read, values } from "./corpus.mjs";

if (CORPUS === undefined) {
  console.error("**** ENGINEWIRE_CORPUS is not set: only the fixtures of the repository are tested ****");
}

/** The result of `work`, or the error that it throws. */
function attempt(work) {
  try {
    return { result: work() };
  } catch (error) {
    assert(error instanceof DecodeError, error?.stack);
    return { error };
  }
}

for (const { format, files } of values()) {
  test(`${format}: ${files.length} files decode to the same text, or with the same error`, () => {
    assert(files.length > 0);
    const native = program(["-f", format, "decode", ...files]);
    let [out, err] = ["", ""];
    for (const file of files) {
      const { result, error } = attempt(() => toText(read(file), { format, name: file }));
      if (error) err += `error: ${error.report}`;
      else out += `${result}\n`;
    }
    assert.equal(out, native.out);
    // the program also suggests other formats that fit
    const isOfError = (line) => !/^  (it is|all bytes|the file is|a whole value) /.test(line);
    assert.equal(err, native.err.split("\n").filter(isOfError).join("\n"));
  });

  test(`${format}: trees are the same`, () => {
    const native = program(["-f", format, "inspect", "--json", ...files]);
    const trees = files.map((file) => `${inspectText(read(file), { format, name: file })}\n`).join("");
    assert.equal(trees, native.out);
  });

  test(`${format}: objects are encoded to the same bytes as their text`, () => {
    let count = 0;
    for (const file of files) {
      const bytes = read(file);
      const { result: document, error } = attempt(() => decode(bytes, { format }));
      const text = attempt(() => toText(bytes, { format }));
      assert.equal(error?.message, text.error?.message, file);
      if (error) continue;
      count++;
      let encoded;
      try {
        encoded = encode(document, { format });
      } catch (error) {
        // to encode a thousand levels needs more stack than Node has by default, which is a `DiscardedError`
        assert(error instanceof DiscardedError && /nested10[0-9]{2}/.test(file), `${file}: ${error.stack}`);
        continue;
      }
      assert.deepEqual(encoded, fromText(text.result), file);
    }
    assert(count > 0);
  });
}
