/** The page's side of the worker. */

import code from "virtual:worker";
import type { Calls, CallName, Reply } from "./protocol";

/** The worker was stopped: by the user, or because WebAssembly failed. */
export class Stopped extends Error {}

// a call that was stopped needs no answer, also where nobody waits for it any more
addEventListener("unhandledrejection", (event) => {
  if (event.reason instanceof Stopped) event.preventDefault();
});

export type Call = <N extends CallName>(name: N, args: Calls[N]["args"], transfer?: Transferable[]) => Promise<Calls[N]["answer"]>;

interface Waiting {
  readonly done: (answer: unknown) => void;
  readonly failed: (error: Error) => void;
  readonly worker: Worker;
}

export class Client {
  #worker: Worker | null = null;
  /** The worker that is opening another file. */
  #next: Worker | null = null;
  #waiting = new Map<number, Waiting>();
  #count = 0;
  /** The work begun with `first`, while it runs: other calls wait for it. */
  #first: Promise<unknown> | null = null;
  /** Called with the progress of long work. */
  onProgress: (text: string) => void = () => undefined;
  /** Called when the worker failed and lost its files. */
  onCrash: (reason: string) => void = () => undefined;

  #start(): Worker {
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#hear(data);
    worker.onerror = (event) => this.#crash(event.message || "the worker cannot start");
    return worker;
  }

  #hear(reply: Reply): void {
    if ("progress" in reply) return this.onProgress(reply.progress);
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("answer" in reply) return waiting?.done(reply.answer);
    // a failure of WebAssembly is reported once, by `onCrash`
    waiting?.failed(reply.isCrash ? new Stopped(reply.error) : new Error(reply.error));
    if (reply.isCrash) this.#crash(reply.error);
  }

  #crash(reason: string): void {
    this.stop();
    this.onCrash(reason);
  }

  /** Calls the worker. The objects in `transfer` are moved to it, not copied. */
  call: Call = (name, args, transfer = []) => (this.#first === null ? this.#ask(name, args, transfer) : this.#first.then(() => this.#ask(name, args, transfer)));

  /** Does `work`, with a function that calls the worker. Other calls wait until it is done, and fail if it fails. */
  async first(work: (ask: Call) => Promise<void>): Promise<void> {
    const doing = work((name, args, transfer = []) => this.#ask(name, args, transfer));
    this.#first = doing;
    try {
      await doing;
    } finally {
      if (this.#first === doing) this.#first = null;
    }
  }

  #ask<N extends CallName>(name: N, args: Calls[N]["args"], transfer: Transferable[], worker = (this.#worker ??= this.#start())): Promise<Calls[N]["answer"]> {
    const id = this.#count++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done: (answer) => done(answer as Calls[N]["answer"]), failed, worker });
      worker.postMessage({ id, name, args }, transfer);
    });
  }

  /** Calls a new worker, which takes the place of the present one when it has answered: only the end of a worker frees its memory. */
  renew: Call = async (name, args, transfer = []) => {
    await this.#first;
    this.#next?.terminate();
    const worker = (this.#next = this.#start());
    try {
      const answer = await this.#ask(name, args, transfer, worker);
      this.#end(this.#worker);
      this.#worker = worker;
      return answer;
    } catch (error) {
      this.#end(worker);
      throw error;
    } finally {
      if (this.#next === worker) this.#next = null;
    }
  };

  /** Ends a worker. Its calls get no answer. */
  #end(worker: Worker | null): void {
    worker?.terminate();
    for (const [id, waiting] of this.#waiting) {
      if (waiting.worker !== worker) continue;
      this.#waiting.delete(id);
      waiting.failed(new Stopped("stopped"));
    }
  }

  /** Stops all work at once. Returns the number of calls that got no answer. The next call starts a new worker, without files. */
  stop(): number {
    this.#worker?.terminate();
    this.#next?.terminate();
    [this.#worker, this.#next] = [null, null];
    this.#first = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of waiting) failed(new Stopped("stopped"));
    return waiting.length;
  }
}

export const client = new Client();
