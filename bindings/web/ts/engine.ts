/** The instance of WebAssembly, and what happens when it fails. */

import * as wasm from "../build/glue/enginewire_web.js";
import { DiscardedError, errorOf, type Details } from "./errors.js";

export { wasm };

let memory: WebAssembly.Memory | undefined;
/** How many instances there were before this one. */
let generation = 0;
/** Whether the instance is not to be called any more. */
let isDiscarded = false;
/** Whether a call has begun and not ended. */
let isCalled = false;
const atDiscard: (() => void)[] = [];

/** Starts the library. */
export function start(module: BufferSource | WebAssembly.Module): void {
  memory = wasm.initSync({ module }).memory;
}

/** Calls this when an instance is discarded. */
export function whenDiscarded(work: () => void): void {
  atDiscard.push(work);
}

/** The memory of the instance. */
export function buffer(): ArrayBuffer {
  if (memory === undefined) throw new Error("enginewire is not ready: wait for its `ready`");
  return memory.buffer as ArrayBuffer;
}

/** Whether an instance cannot be used any more after this error: it may have ended in the middle of anything. */
function isFatal(error: unknown): error is Error {
  if (error instanceof WebAssembly.RuntimeError) return true;
  // too much recursion: a RangeError, and in Firefox an InternalError
  return error instanceof Error && /call stack size|too much recursion/.test(error.message);
}

/** Says that the instance is not to be called any more. */
function discard(): void {
  generation++;
  isDiscarded = true;
  isCalled = false;
}

/** What a call threw, as it is thrown on. */
function thrown(error: unknown): unknown {
  const isOrdinary = typeof error === "string" || !isFatal(error);
  if (isOrdinary) {
    isCalled = false;
    return typeof error === "string" ? errorOf(JSON.parse(error) as Details) : error;
  }
  discard();
  const reason = error instanceof WebAssembly.RuntimeError ? error.message : "too little stack is left";
  const message = `enginewire failed (${reason}); its WebAssembly instance was discarded, and the next call has a new one`;
  return new DiscardedError(message, { cause: error });
}

/** A new instance in the place of a discarded one: not where the error was, for there may be no stack left. */
function renew(): void {
  wasm.__wbg_reset_state();
  // nothing is started here: it gives what belongs to the new instance
  memory = wasm.initSync(undefined as never).memory;
  for (const work of atDiscard) work();
  isDiscarded = false;
}

/** Discards the instance if the last call did not come to its end, and there was not even stack to say so. */
function settle(): void {
  if (isCalled) discard();
}

/** Makes a call of the library. */
export function call<T>(work: () => T): T {
  settle();
  try {
    if (isDiscarded) renew();
    isCalled = true;
    const result = work();
    isCalled = false;
    return result;
  } catch (error) {
    throw thrown(error);
  }
}

/** The exception for an address of 0. */
export function failure(): Error {
  return errorOf(JSON.parse(wasm.take_error()) as Details);
}

interface Kept {
  generation: number;
  number: number;
  free(number: number): void;
}

const finalizers = new FinalizationRegistry<Kept>((kept) => {
  settle();
  // that of a discarded instance is gone with it
  if (kept.generation === generation) call(() => kept.free(kept.number));
});

/** An object in the memory of an instance. */
export class Handle {
  #kept: Kept | undefined;
  readonly #what: string;

  /** `what` it is, as errors say it: `"decoder"`. */
  constructor(owner: object, what: string, number: number, free: (number: number) => void) {
    this.#kept = { generation, number, free };
    this.#what = what;
    finalizers.register(owner, this.#kept, this);
  }

  /** Its number. */
  get number(): number {
    settle();
    if (this.#kept === undefined) throw new TypeError(`this ${this.#what} is freed already`);
    if (this.#kept.generation !== generation) {
      throw new DiscardedError(`this ${this.#what} was lost when its WebAssembly instance was discarded; open it again`);
    }
    return this.#kept.number;
  }

  /** Says that it is gone, and gives its number once more. */
  release(): number {
    const { number } = this;
    finalizers.unregister(this);
    this.#kept = undefined;
    return number;
  }

  /** Frees it, if it is not gone. */
  free(): void {
    const kept = this.#kept;
    finalizers.unregister(this);
    this.#kept = undefined;
    settle();
    if (kept !== undefined && kept.generation === generation) call(() => kept.free(kept.number));
  }
}
