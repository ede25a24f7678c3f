/** The open file, and the part of it that is shown. */

import { computed, effect, signal } from "@preact/signals";
import type { InstanceTree } from "../instances";
import type { Changes, Compared, KindRow, Opened, Selected, ValueAt } from "../protocol";
import type { TreeModel } from "../tree";
import type { Wanted } from "./address";
import type { Steps } from "./steps";

export interface OpenFile extends Opened {
  readonly name: string;
  /** The bytes of the file as they came, to open them as something else. */
  readonly source: Blob;
  /** The password or key that it was opened with. */
  readonly secret: string;
  readonly sample: string | null;
  /** The number of the file, which the history of the browser has. */
  readonly number: number;
}

export type Theme = "auto" | "light" | "dark";
export type Panel = "list" | "fields" | "bytes" | "value";
export type View = "file" | "compare" | "how" | "files";

/** A file of a list. */
export interface Listed {
  /** Its name, after the folders that hold it. */
  readonly name: string;
  readonly source: Blob;
  /** `null` until it is known, and if the file cannot be read. */
  readonly kind: string | null;
  readonly secret: string;
  /** The number of its values, or the reason why it cannot be read. */
  readonly about: string | null;
  /** Its changes, which are made again when it is opened. */
  readonly steps: Steps;
  readonly changed: number;
  readonly isUnsaved: boolean;
}

export const NO_CHANGES: Changes = { undo: null, redo: null, done: 0, changed: 0 };
export const theme = signal<Theme>("auto");
export const kinds = signal<readonly KindRow[]>([]);
export const file = signal<OpenFile | null>(null);
export const view = signal<View>("file");
export const panel = signal<Panel>("fields");
/** The text to find in the list of the file. */
export const search = signal("");
/** The text to find in the value. */
export const sought = signal("");
export const onlyBroken = signal(false);
/** The rows that match the search; `null` without a search. */
export const found = signal<Uint32Array | null>(null);
/** Counts up when more rows are known. */
export const rowsKnown = signal(0);
export const row = signal(0);
export const selected = signal<Selected | null>(null);
export const tree = signal<TreeModel | null>(null);
/** Counts up when more texts are known, or nodes are opened and closed. */
export const treeKnown = signal(0);
export const node = signal<number | null>(null);
/** The byte that was chosen in the hex view. */
export const byte = signal<number | null>(null);
export const paths = signal<readonly [string | null, string | null]>([null, null]);
export const value = signal<ValueAt | null>(null);
export const valueProblem = signal<string | null>(null);
/** True while another value is loaded. The value that is still shown cannot be changed then. */
export const isComing = signal(false);
/** True if the control of the value gets the focus when it appears. */
export const wantsFocus = signal(false);
export const changes = signal<Changes>(NO_CHANGES);
/** True if there are changes that were not downloaded. */
export const isUnsaved = signal(false);
export const kept = signal<string | null>(null);
/** The other side of the comparison: another file, or this one as it was opened. */
export const other = signal<{ readonly name: string; readonly source: Blob; readonly opened: Opened; readonly isOriginal: boolean; readonly isBefore: boolean } | null>(null);
export const compared = signal<Compared | null>(null);
export const spec = signal<string | null>(null);
/** The names of fields that light up. */
export const lit = signal<string | null>(null);

/** The instances of a model file. */
export const instances = signal<InstanceTree | null>(null);
/** Counts up when more of the instances is known, or some are opened and closed. */
export const instancesKnown = signal(0);
export const instance = signal<number | null>(null);
/** The rows of the instance that hold values, and the properties that these are. */
export const properties = signal<readonly (readonly [number, string])[]>([]);
export const tags = signal<readonly string[]>([]);
export const tagProblem = signal<string | null>(null);

export const rowCount = computed(() => found.value?.length ?? file.value?.about.rows ?? 0);
export const hasList = computed(() => file.value !== null && file.value.about.container !== null);

/** True if the user wants the layout of the bytes, false if not; `null` if the page chooses. */
export const wantsBytes = signal<boolean | null>(null);
const wide = matchMedia("(min-width: 2200px)");
/** True if there is room for the values and the layout of their bytes. */
export const isWide = signal(wide.matches);
wide.addEventListener("change", () => (isWide.value = wide.matches));
const narrow = matchMedia("(max-width: 639px)");
/** True if there is room for one column only, as on a phone. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", () => (isNarrow.value = narrow.matches));
/** True if the layout of the bytes is shown: it explains what is broken, and what has no values. */
export const showsBytes = computed(() => {
  if (view.value === "how" || (tree.value !== null && !tree.value.hasEntries && selected.value?.end.hasValues !== true)) return true;
  return wantsBytes.value ?? (isWide.value || selected.value?.end.error != null);
});

/** True if the file is one that was kept when the page was left. */
export const isRestored = signal(false);

/** A file that could not be opened. The user can choose its format. */
export const unopened = signal<{ readonly name: string; readonly source: Blob; readonly isText: boolean; readonly isEncrypted: boolean } | null>(null);

/** The files that were opened together. */
export const listed = signal<readonly Listed[]>([]);
export const listedOf = (file: { readonly source: Blob } | null): Listed | undefined => listed.value.find(({ source }) => source === file?.source);
export const setListed = (source: Blob, known: Partial<Listed>): void => {
  listed.value = listed.value.map((one) => (one.source === source ? { ...one, ...known } : one));
};

effect(() => {
  document.title = file.value === null ? "enginewire" : `${file.value.name} – enginewire`;
});

/** The name of the file that a link without its file needs, and the view of it. */
export const awaited = signal<{ readonly name: string; readonly wanted: Wanted } | null>(null);

/** A file that is set aside while an example is shown. */
interface Aside {
  readonly file: OpenFile;
  readonly instances: InstanceTree | null;
  readonly changes: Changes;
  readonly isUnsaved: boolean;
  readonly steps: Steps;
  readonly instance: number | null;
  readonly row: number;
  readonly node: number | null;
}

/** The file that is shown again when the specification is closed. */
export const aside = signal<Aside | null>(null);
