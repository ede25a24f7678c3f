/** The changes of the open file, which can be made again in a new worker. */

import { signal } from "@preact/signals";
import { type Call, client, Stopped } from "../client";
import type { InstanceTree } from "../instances";
import { keepStep, type Step } from "../kept";
import type { CallName, Calls } from "../protocol";
import { aside } from "./shown";
import { problem, text } from "./work";

/** The changes of a file, in order. Repeated in a new worker, they give the same file. */
export type Steps = Step[];

/** The changes of the open file. */
export const steps = signal<Steps>([]);

/** Calls a function of the worker that changes the open file. */
export async function changing<N extends CallName>(name: N, args: Calls[N]["args"]): Promise<Calls[N]["answer"]> {
  const answer = await client.call(name, args);
  steps.value.push([name, args]);
  // what is done to an example is not kept
  if (aside.value === null) keepStep(steps.value.length, [name, args]);
  return answer;
}

/** Slots of the worker: the open file has slot 0. These are the file that it is compared with, and the file that is set aside. */
export const [OTHER, ASIDE] = [1, 3];

/** Opens a file in a new worker, and repeats its changes. */
export async function again(ask: Call, slot: number, source: Blob, kind: string | null, secret: string, steps: Steps): Promise<void> {
  const bytes = new Uint8Array(await source.arrayBuffer());
  await ask("open", [slot, bytes, kind, secret], [bytes.buffer]);
  for (const [name, [, ...args]] of steps) await ask(name, [slot, ...args] as Calls[CallName]["args"]);
}

/** Makes the changes of an earlier visit again. Gives those that could be made. */
export async function madeAgain(wanted: readonly Step[]): Promise<Steps> {
  for (const [at, [name, args]] of wanted.entries()) {
    try {
      await client.call(name, args);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      problem.value = `Not all changes of your last visit could be made again: ${text(error)}`;
      return wanted.slice(0, at);
    }
  }
  return [...wanted];
}

/** Marks the instances that got attributes or tags by these changes. */
export function showChanged(steps: Steps, tree: InstanceTree | null): void {
  let shown: number | null = null;
  for (const [name, [, number]] of steps) {
    if (name === "nodeRows") shown = number as number;
    else if (name === "tag") tree?.setHas(number as number);
    else if (shown !== null) tree?.setHas(shown);
  }
}
