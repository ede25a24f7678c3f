/** The code of the worker, as a classic script. */
declare module "virtual:worker" {
  const code: string;
  export default code;
}

/** The WebAssembly module, packed by gzip and written as base64. */
declare module "virtual:wasm" {
  const packed: string;
  export default packed;
}

/** SQLite as WebAssembly, packed by gzip and written as base64. */
declare module "virtual:sqlite" {
  const packed: string;
  export default packed;
}

declare module "sql.js" {
  import type { Sqlite } from "../../ts/database";
  export default function initSqlJs(options: { wasmBinary: Uint8Array }): Promise<Sqlite>;
}

/** The JavaScript that belongs to the WebAssembly module. */
declare module "virtual:bindgen" {
  export interface PageTree {
    numbers(): Uint32Array;
    texts(from: number, to: number): string;
    path(node: number): string;
    place(node: number): string;
    node_at(path: string): number | undefined;
    end_of_tree(): string;
    free(): void;
  }
  export interface PageFile {
    about(): string;
    rows(numbers: Uint32Array): string;
    find(text: string, broken: boolean): Uint32Array;
    bytes(row: number): Uint8Array;
    tree(row: number, unfolded: string[], before: PageTree | undefined): PageTree;
    search(row: number | undefined, text: string, most: number): string;
    value(row: number, path: string): string;
    values(row: number): string;
    text(row: number, form: string): string;
    set(row: number, path: string, how: string, typeName: string | undefined, text: string): void;
    repair(row: number, how: string): void;
    kept(row: number): string;
    put(row: number, bytes: Uint8Array): void;
    join(from: number, what: string): void;
    undo(again: boolean): number | undefined;
    changes(): string;
    save(): Uint8Array;
    add_row(address: string, key: string, bytes: Uint8Array | undefined, reason: string): void;
    changed_rows(): Uint32Array;
    nodes(): Uint32Array;
    node_address(node: number): string;
    node_texts(numbers: Uint32Array): string;
    find_nodes(text: string, broken: boolean): Uint32Array;
    harms(row: number, tool: string, shown: PageTree): string;
    node_rows(node: number): string;
    node_of(row: number): string;
    tags(node: number): string;
    tag(node: number, tag: string, isAdded: boolean): number;
    free(): void;
  }
  export interface PageLayers {
    names(): string;
    take_inner(): Uint8Array;
    wrap(inner: Uint8Array): Uint8Array;
    free(): void;
  }
  export const PageLayers: { peel(file: Uint8Array, secret: string): PageLayers };
  export const PageFile: { open(bytes: Uint8Array, kind: string, progress: (count: number) => void): PageFile };
  export function page_guesses(bytes: Uint8Array): string;
  export function page_kinds(): string;
  export function page_texts(text: string): string;
  export function save_address(table: string, number: string, layout: number, data: Uint8Array): string;
  export function save_row(layout: number, data: Uint8Array): string;
  export function save_unpack(layout: number, data: Uint8Array, maxMemory: number): Uint8Array;
  export function save_replace(layout: number, data: Uint8Array, object: Uint8Array): Uint8Array;
  export function initSync(module: { module: Uint8Array }): unknown;
}

/** The files that a visitor can open at once. */
declare module "virtual:samples" {
  export interface Sample {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly title: string;
    readonly about: string;
    /** The file, as base64. */
    readonly content: string;
  }
  const samples: readonly Sample[];
  export default samples;
}

/** The specifications, as HTML made when the page was built. */
declare module "virtual:specs" {
  export interface Spec {
    readonly id: string;
    readonly title: string;
    readonly html: string;
    /** The sample that shows it. */
    readonly sample: string;
  }
  const specs: readonly Spec[];
  export default specs;
}

declare module "*.txt?raw" {
  const text: string;
  export default text;
}

declare module "*.css?inline" {
  const style: string;
  export default style;
}
