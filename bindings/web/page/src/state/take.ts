/** Takes what the other file of a comparison has. */

import { client, Stopped } from "../client";
import type { Difference } from "../protocol";
import { own } from "./compare";
import { showAgain } from "./select";
import { compared, instances } from "./shown";
import { changing, OTHER } from "./steps";
import { problem, text } from "./work";

/** The last tag of instances with more than can be shown. */
export const MORE_TAGS = /^… \d+ more$/;

/** Gives the instance the tags that it has in the other file. */
async function takeTags(number: number, theirs: number | null): Promise<void> {
  const has = await client.call("tags", [0, number]);
  const wanted = theirs === null ? [] : await client.call("tags", [OTHER, theirs]);
  if ([...has, ...wanted].some((tag) => MORE_TAGS.test(tag))) throw new Error("there are too many");
  for (const tag of has.filter((tag) => !wanted.includes(tag))) await changing("tag", [0, number, tag, false]);
  for (const tag of wanted.filter((tag) => !has.includes(tag))) await changing("tag", [0, number, tag, true]);
  instances.value?.setHas(number);
}

/** The row of an instance for what the address names. For attributes, it gets an empty one if it has none. */
async function rowFor(number: number | null, address: string): Promise<number | null> {
  const rows = number === null ? [] : await changing("nodeRows", [0, number]);
  const property = /:(\w+)(?:\[#\d+\])?$/.exec(address)?.[1] ?? "AttributesSerialize";
  return rows.find(([, name]) => name === property)?.[0] ?? null;
}

/** The side of the open file in a pair, and that of the other file. */
const sides = (): readonly [0, 1] | readonly [1, 0] => (own() === 0 ? [0, 1] : [1, 0]);

/** True if the open file can get what the other file has. */
export function canTake({ numbers, nodes, path, types, isInstance, isTags }: Difference): boolean {
  const [mine, theirs] = sides();
  if (isInstance) return false;
  if (isTags) return nodes[mine] !== null;
  if (/^(broken|other)$/.test(types[theirs] ?? "")) return false;
  return (numbers[mine] ?? nodes[mine]) !== null && (numbers[theirs] !== null || path !== "");
}

/** All differences of the same instance that can be taken; in a file without instances, those of the same value. */
export function alike(difference: Difference): readonly Difference[] {
  const [mine, theirs] = sides();
  const place = ({ nodes, numbers, isInstance }: Difference): string => (isInstance ? `instance ${numbers[mine]}` : nodes[mine] === null ? `row ${numbers[mine]}` : `instance ${nodes[mine]}`);
  const isWhole = ({ nodes, numbers }: Difference): boolean => nodes[mine] !== null || numbers[theirs] !== null;
  return (compared.value?.differences ?? []).filter((one) => place(one) === place(difference) && canTake(one) && isWhole(one));
}

/** Makes changes that are undone together, as `what`. */
async function taking(what: string, work: () => Promise<void>): Promise<void> {
  try {
    const { done } = await client.call("changes", [0]);
    try {
      await work();
    } finally {
      // of several changes, some may be made
      if ((await client.call("changes", [0])).done > done) await changing("join", [0, done, `take ${what}`]);
    }
  } catch (error) {
    if (error instanceof Stopped) return;
    problem.value = `Not taken: ${what}, because of this: ${text(error)}`;
  }
  await showAgain();
}

/** The name of what differs. */
const nameOf = ({ address, path, isTags }: Difference): string => (isTags ? "the tags" : [address, path].filter((part) => part !== "").join(" ") || "the value");

/** Gives the open file the value that the other file has. */
export async function take(difference: Difference): Promise<void> {
  const { address, numbers, nodes, path, texts, types, isTags } = difference;
  const [mine, theirs] = sides();
  const [from, wanted] = [numbers[theirs], texts[theirs]];
  await taking(nameOf(difference), async () => {
    if (isTags && nodes[mine] !== null) return takeTags(nodes[mine], nodes[theirs]);
    const row = numbers[mine] ?? (await rowFor(nodes[mine], address));
    if (row === null) return;
    if (nodes[mine] !== null) instances.value?.setHas(nodes[mine]);
    if (path === "" && from !== null) await changing("put", [0, row, await client.call("bytes", [OTHER, from])]);
    else if (wanted === null) await changing("set", [0, row, path, "remove", null, ""]);
    else await changing("set", [0, row, path, "text", types[theirs], wanted]);
  });
}

/** Gives the open file all values and tags that the other file has for an instance, or all of a value. */
export async function takeAll(difference: Difference): Promise<void> {
  const [mine, theirs] = sides();
  const all = alike(difference);
  const values = new Map(all.filter(({ isTags }) => !isTags).map((one) => [one.address, one]));
  await taking(`all ${all.length} differences of ${difference.address.replace(/:\w+$/, "") || "the value"}`, async () => {
    for (const { address, numbers, nodes } of values.values()) {
      const [row, from] = [numbers[mine] ?? (await rowFor(nodes[mine], address)), numbers[theirs]];
      if (row === null) continue;
      if (nodes[mine] !== null) instances.value?.setHas(nodes[mine]);
      if (from === null) await changing("repair", [0, row, "clear"]);
      else await changing("put", [0, row, await client.call("bytes", [OTHER, from])]);
    }
    for (const { nodes, isTags } of all) if (isTags && nodes[mine] !== null) await takeTags(nodes[mine], nodes[theirs]);
  });
}
