/** The instance of WebAssembly, and what happens when it fails. */

import * as wasm from "../build/glue/enginewire_web.js";
import { DiscardedError, errorOf, type Details } from "./errors.js";

export { wasm };

let memory: WebAssembly.Memory | undefined;
/** The number of instances before this one. */
let generation = 0;
/** True if the instance must not be called any more. */
let isDiscarded = false;
/** True while a call has begun and not ended. */
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
  return memory?.buffer as ArrayBuffer;
}

/** True if an instance cannot be used after this error, because any work may have stopped in the middle. */
function isFatal(error: unknown): error is Error {
  if (error instanceof WebAssembly.RuntimeError) return true;
  // too much recursion: a RangeError, and in Firefox an InternalError
  return error instanceof Error && /call stack size|too much recursion/.test(error.message);
}

/** Marks the instance as one that must not be called any more. */
function discard(): void {
  generation++;
  isDiscarded = true;
  isCalled = false;
}

/** The exception for the caller, made from the one that a call threw. */
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

/** Replaces a discarded instance by a new one, at the next call, because the failed one may have used up the stack. */
function renew(): void {
  wasm.__wbg_reset_state();
  // this starts nothing: it returns the exports of the new instance
  memory = wasm.initSync(undefined as never).memory;
  for (const work of atDiscard) work();
  isDiscarded = false;
}

/** Discards the instance if the last call did not end, and there was not even stack left to record its error. */
function settle(): void {
  if (isCalled) discard();
}

/** Makes a call of the library. */
export function call<T>(work: () => T): T {
  settle();
  if (memory === undefined) throw new Error(`"${ENTRY}" has not started: wait for its \`ready\`, or call its \`start\``);
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
  // objects of a discarded instance are gone with it
  if (kept.generation === generation) call(() => kept.free(kept.number));
});

/** An object in the memory of an instance. */
export class Handle {
  #kept: Kept | undefined;
  readonly #what: string;

  /** `what` is the name of its kind in errors: `"decoder"`. */
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

  /** Marks it as gone, and returns its number for the last time. */
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
