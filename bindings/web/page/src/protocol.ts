/** The messages between the page and its worker. */

export interface Guess {
  readonly kind: string;
  readonly confidence: "certain" | "likely" | "possible";
  readonly reason: string;
  readonly rank: readonly [number, number];
  /** The encoding of the bytes in the file. */
  readonly input: Encoding;
}

export type Encoding = "raw" | "gzip" | "hex" | "base64";

export interface KindRow {
  readonly kind: string;
  readonly about: string;
  readonly notation?: string;
}

export interface About {
  readonly format: string;
  readonly notation: string;
  readonly container: string | null;
  readonly rows: number;
  readonly broken: number;
  readonly end: string | null;
  readonly isDocument: boolean;
  readonly types: readonly string[];
  /** Tools that may not keep its values, each with its version. */
  readonly tools: readonly (readonly [string, string])[];
}

export type RowState = "value" | "broken" | "other";

/** Address, class, size, state, about; true if it is changed. */
export type Row = readonly [string, string, number, RowState, string, boolean];

/** Name, class, size, true if a part is broken, true if a part is changed, tags. */
export type NodeOfTree = readonly [string, string, number, boolean, boolean, readonly string[]];

/** Label, key, value, note, type, and the step of its path. */
export type NodeText = readonly [string, string | null, string | null, string | null, string | null, string | null];

export interface TreeError {
  readonly message: string;
  readonly code: string;
  readonly about: string | null;
  readonly expected: string | null;
  readonly offset: number;
  readonly bit: number;
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

export interface TreeEnd {
  readonly error: TreeError | null;
  readonly gap: readonly [number, number, number] | null;
  readonly limit: number | null;
  readonly note: string | null;
  readonly hasValues: boolean;
}

export interface Selected {
  readonly row: number;
  readonly bytes: Uint8Array;
  readonly numbers: Uint32Array;
  readonly end: TreeEnd;
  /** The texts of the first nodes. */
  readonly texts: readonly NodeText[];
  /** The nodes of the values that were changed. */
  readonly changed: readonly number[];
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface ValueAt {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly isCut: boolean;
  readonly shape: "leaf" | "list" | "object";
  readonly json: Json;
  readonly length: number | null;
}

export interface Changes {
  readonly undo: string | null;
  readonly redo: string | null;
  /** The number of changes that are in effect. */
  readonly done: number;
  readonly changed: number;
}

export interface Opened {
  readonly about: About;
  readonly kind: string;
  readonly guesses: readonly Guess[];
  readonly input: Encoding;
  readonly size: number;
  /** The layers of Godot around the content, the outermost first; empty if there are none. */
  readonly layers: string;
  /** The instances of a model file: two numbers for each, which `InstanceTree` explains. */
  readonly nodes: Uint32Array | null;
}

/** A value, or an instance, that is not the same in both files. What each file has is in pairs; `null` where it has none. */
export interface Difference {
  readonly sign: "-" | "+" | "~";
  readonly address: string;
  readonly path: string;
  readonly texts: Pair<string>;
  readonly types: Pair<string>;
  /** The numbers of the rows; of the nodes for an instance. */
  readonly numbers: Pair<number>;
  /** The instances that have the value, or could have it; `null` in a file without instances. */
  readonly nodes: Pair<number>;
  readonly isInstance: boolean;
  readonly isTags: boolean;
}
export type Pair<T> = readonly [T | null, T | null];

export interface Compared {
  readonly differences: readonly Difference[];
  readonly equal: number;
  readonly isCut: boolean;
}

/** A result of a search: the row, the path in it, its address, and its text. For an instance without rows, the row is `null` and the path is its number. */
export type Hit = readonly [row: number | null, path: string, address: string, text: string];

/** The fields of a row, without its bytes. */
export type Unfolded = Omit<Selected, "bytes">;

/** The functions of the worker: arguments and answer. */
export interface Calls {
  kinds: { args: []; answer: readonly KindRow[] };
  /** `secret` is the password or key of an encrypted file. */
  open: { args: [slot: number, bytes: Uint8Array, kind: string | null, secret: string]; answer: Opened };
  close: { args: [slot: number]; answer: null };
  /** Moves an open file to another slot; a file in that slot is closed. */
  move: { args: [from: number, to: number]; answer: null };
  rows: { args: [slot: number, numbers: Uint32Array]; answer: readonly (Row | null)[] };
  find: { args: [slot: number, text: string, broken: boolean]; answer: Uint32Array };
  /** The values that have a text or a number: in one row, or in all rows, whose names are searched too. */
  search: { args: [slot: number, row: number | null, text: string, most: number]; answer: readonly Hit[] };
  findNodes: { args: [slot: number, text: string, broken: boolean]; answer: Uint32Array };
  nodeTexts: { args: [slot: number, nodes: Uint32Array]; answer: readonly (NodeOfTree | null)[] };
  /** The rows of an instance that hold values, and the properties that these are. */
  nodeRows: { args: [slot: number, node: number]; answer: readonly (readonly [number, string])[] };
  /** The instance of a row; true if the row holds its tags. */
  nodeOf: { args: [slot: number, row: number]; answer: readonly [number, boolean] | null };
  tags: { args: [slot: number, node: number]; answer: readonly string[] };
  tag: { args: [slot: number, node: number, tag: string, isAdded: boolean]; answer: null };
  select: { args: [slot: number, row: number]; answer: Selected };
  /** The fields of the row that was selected last, with those of the values inside the value of a node, or along a path. */
  unfold: { args: [at: number | string]; answer: Unfolded };
  /** The fields of a row of the open file that a tool does not keep: the number of a node, and a sentence. */
  harms: { args: [row: number, tool: string]; answer: readonly (readonly [number, string])[] };
  texts: { args: [from: number, to: number]; answer: readonly NodeText[] };
  path: { args: [node: number]; answer: readonly [string | null, string | null] };
  nodeAt: { args: [path: string]; answer: number | null };
  value: { args: [slot: number, row: number, path: string]; answer: ValueAt };
  text: { args: [slot: number, row: number, form: "notation" | "json" | "plain"]; answer: string };
  set: { args: [slot: number, row: number, path: string, how: SetHow, type: string | null, text: string]; answer: null };
  repair: { args: [slot: number, row: number, how: "cut" | "clear"]; answer: null };
  kept: { args: [slot: number, row: number]; answer: string };
  put: { args: [slot: number, row: number, bytes: Uint8Array]; answer: null };
  /** Makes one of all changes after the first `from`. */
  join: { args: [slot: number, from: number, what: string]; answer: null };
  undo: { args: [slot: number, again: boolean]; answer: number | null };
  changes: { args: [slot: number]; answer: Changes };
  save: { args: [slot: number]; answer: Uint8Array };
  bytes: { args: [slot: number, row: number]; answer: Uint8Array };
  compare: { args: [before: number, after: number]; answer: Compared };
}

export type SetHow = "text" | "add" | "json" | "remove" | "rename";
export type CallName = keyof Calls;

export interface Request {
  readonly id: number;
  readonly name: CallName;
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string; readonly isCrash: boolean }
  | { readonly progress: string };
