/** Marks what a tool does not keep. */

import { effect, signal } from "@preact/signals";
import { client } from "../client";
import { row, tree } from "./shown";
import { problem } from "./work";

/** The tool whose losses are marked; empty for none. */
export const tool = signal("");
/** The nodes of the value that it does not keep, each with a sentence about it. */
export const marks = signal<ReadonlyMap<number, string>>(new Map());

effect(() => {
  const [now, name] = [tree.value, tool.value];
  marks.value = new Map();
  if (now === null || name === "") return;
  const show = (found: readonly (readonly [number, string])[]): void => {
    if (tree.value === now && tool.value === name) marks.value = new Map(found);
  };
  client.call("harms", [row.peek(), name]).then(show, (error: Error) => (problem.value = error.message));
});
