/** The page's side of the worker. */

import code from "virtual:worker";
import type { Calls, CallName, Reply } from "./protocol";

/** The worker was stopped: by the user, or because WebAssembly failed. */
export class Stopped extends Error {}

interface Waiting {
  readonly done: (answer: unknown) => void;
  readonly failed: (error: Error) => void;
}

export class Client {
  #worker: Worker | null = null;
  #waiting = new Map<number, Waiting>();
  #next = 0;
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
  call<N extends CallName>(name: N, args: Calls[N]["args"], transfer: Transferable[] = []): Promise<Calls[N]["answer"]> {
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done: (answer) => done(answer as Calls[N]["answer"]), failed });
      this.#started().postMessage({ id, name, args }, transfer);
    });
  }

  /** Stops all work at once. The next call starts a new worker, which has no files. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of waiting) failed(new Stopped("stopped"));
  }
}

export const client = new Client();
