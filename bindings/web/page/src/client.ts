/** The page's side of the worker. */

import code from "virtual:worker";
import type { Calls, CallName, Reply } from "./protocol";

/** The worker was stopped: by the user, or because WebAssembly failed. */
export class Stopped extends Error {}

export type Call = <N extends CallName>(name: N, args: Calls[N]["args"], transfer?: Transferable[]) => Promise<Calls[N]["answer"]>;

interface Waiting {
  readonly done: (answer: unknown) => void;
  readonly failed: (error: Error) => void;
}

export class Client {
  #worker: Worker | null = null;
  #waiting = new Map<number, Waiting>();
  #next = 0;
  /** What a new worker is told first. */
  #first: Promise<unknown> | null = null;
  /** Hears of the progress of what takes long. */
  onProgress: (text: string) => void = () => undefined;
  /** Hears that the worker failed and lost its files. */
  onCrash: (reason: string) => void = () => undefined;

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#hear(data);
    worker.onerror = (event) => this.#crash(event.message || "the worker cannot start");
    this.#worker = worker;
    return worker;
  }

  #hear(reply: Reply): void {
    if ("progress" in reply) return this.onProgress(reply.progress);
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("answer" in reply) return waiting?.done(reply.answer);
    // of a failure of WebAssembly, the page hears once
    waiting?.failed(reply.isCrash ? new Stopped(reply.error) : new Error(reply.error));
    if (reply.isCrash) this.#crash(reply.error);
  }

  #crash(reason: string): void {
    this.stop();
    this.onCrash(reason);
  }

  /** Asks the worker. What is in `transfer` is handed over. */
  call: Call = (name, args, transfer = []) => (this.#first === null ? this.#ask(name, args, transfer) : this.#first.then(() => this.#ask(name, args, transfer)));

  /** Does work with the worker. What is asked by others meanwhile waits for its end, and fails if it fails. */
  async first(work: (ask: Call) => Promise<void>): Promise<void> {
    const doing = work((name, args, transfer = []) => this.#ask(name, args, transfer));
    this.#first = doing;
    try {
      await doing;
    } finally {
      if (this.#first === doing) this.#first = null;
    }
  }

  #ask<N extends CallName>(name: N, args: Calls[N]["args"], transfer: Transferable[]): Promise<Calls[N]["answer"]> {
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done: (answer) => done(answer as Calls[N]["answer"]), failed });
      this.#started().postMessage({ id, name, args }, transfer);
    });
  }

  /** Stops all work at once, and says how much was asked for in vain. The next call starts a new worker, which has no files. */
  stop(): number {
    this.#worker?.terminate();
    this.#worker = null;
    this.#first = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of waiting) failed(new Stopped("stopped"));
    return waiting.length;
  }
}

export const client = new Client();
