// An instance that failed is never called again.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { Blueprint, decode, Decoder, DecodeError, DiscardedError, encode, Model, toText } from "enginewire";

import { read, REPOSITORY } from "./corpus.mjs";

const nested = read(`${REPOSITORY}/fixtures/godot-4/array_nested100.bin`);
const format = "godot-4";

const LEVEL = [28, 0, 0, 0, 1, 0, 0, 0];
/** Arrays in arrays: the module takes much more stack for them than all JavaScript around it. */
const deepest = new Uint8Array([...Array.from({ length: 1024 }, () => LEVEL).flat(), 0, 0, 0, 0]);

/** Calls `work` with ever more stack, from hardly any on, until it fails as it does where the stack ends. */
function withLittleStack(work) {
  let failure;
  const deeper = () => {
    try {
      deeper();
    } catch (error) {
      // here the stack ended; each level on the way back has a bit more of it
      if (!(error instanceof RangeError)) throw error;
    }
    if (failure !== undefined) return;
    try {
      work();
    } catch (error) {
      if (error instanceof DiscardedError) failure = error;
    }
  };
  deeper();
  return failure;
}

test("too little stack discards the instance, and the next call has a new one", () => {
  const decoder = new Decoder({ format });
  const blueprint = Blueprint.open('{"bodies": [], "version": 4}');
  const model = Model.open(read(`${REPOSITORY}/fixtures/roblox-model/attributes.rbxm`));
  assert.equal(model.instances().length > 0, true);
  const document = decode(nested, { format });

  const error = withLittleStack(() => toText(deepest, { format }));
  assert(error instanceof DiscardedError, String(error));
  assert.match(error.message, /^enginewire failed \(.*\); its WebAssembly instance was discarded, and the next call has a new one$/);

  // every method of an object of the old instance fails with that reason, and cannot harm the new one
  for (const work of [
    () => decoder.next(),
    () => decoder.push(nested),
    () => decoder.end(),
    () => decoder.offset,
    () => decoder.finish(),
    () => blueprint.save(),
    () => blueprint.parts(),
    () => model.instances(),
    () => model.save(),
    () => model.set(0, "a", 1),
  ]) {
    assert.throws(work, (error) => error instanceof DiscardedError && /was lost when its WebAssembly instance was discarded/.test(error.message));
  }
  const fresh = new Decoder({ format });
  decoder.free();
  blueprint.free();
  model.free();
  assert.equal([...fresh.push(nested)].length, 1);
  fresh.finish();
  assert.deepEqual(decode(nested, { format }), document);
  assert.deepEqual(encode(document, { format }), nested);
});

test("what is wrong with bytes or arguments discards nothing", () => {
  const decoder = new Decoder({ format });
  assert.throws(() => decode(nested.slice(1), { format }), DecodeError);
  assert.throws(() => decode(nested, { format, maxDepth: 3 }), DecodeError);
  assert.throws(() => decode(nested, { format: "none" }), TypeError);
  assert.throws(() => encode({ type: "int", value: "x" }, { format }));
  assert.throws(() => Model.open(nested), DecodeError);
  assert.equal([...decoder.push(nested)].length, 1);
  decoder.finish();
});

test("discarding again and again leaves nothing behind", () => {
  for (let turn = 0; turn < 5; turn++) {
    assert(withLittleStack(() => toText(deepest, { format })) instanceof DiscardedError);
    assert.equal(decode(nested, { format }).type, "Array");
  }
});

/** The output of a script in a new process: code of the baseline compiler, which is used at first, takes the most stack. */
function inNewProcess(script, ...flags) {
  const args = [...flags, "--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8" });
  return stdout.trim() === "" ? stderr : stdout.trim();
}

const DEEPEST = `const deepest = new Uint8Array([${deepest}]);`;

test("values of 350 levels are encoded in a new process, and of 1,024 decoded", () => {
  const script = `
    import { decode, encode } from "enginewire";
    let value = { type: "null", value: null };
    for (let level = 0; level < 350; level++) value = { type: "Array", value: [value] };
    ${DEEPEST}
    decode(deepest, { format: "godot-4" });
    console.log(encode(value, { format: "godot-4" }).length);`;
  assert.equal(inNewProcess(script), String(350 * 8 + 4));
});

test("half a megabyte of stack is enough to decode, inspect and check 1,024 levels", () => {
  for (const ask of ["decode", "inspectText", "check"]) {
    const script = `
      import { ${ask} as ask } from "enginewire";
      ${DEEPEST}
      ask(deepest, { format: "godot-4" });
      console.log("done");`;
    assert.equal(inNewProcess(script, "--stack-size=490"), "done", ask);
  }
});
