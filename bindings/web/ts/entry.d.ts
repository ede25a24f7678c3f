// What scripts/build.mjs says of the entry point that it builds.

/** How it is imported: `"enginewire/godot"`. */
declare const ENTRY: string;

/** Its module, which lies beside it. */
declare const MODULE: string;

/** Its formats, each with its number. */
declare const FORMATS: Readonly<Record<string, number>>;
