// The constants that scripts/build.mjs defines for the entry point that it builds.

/** Its name in imports: `"enginewire/godot"`. */
declare const ENTRY: string;

/** The address of its module, which is in the same folder. */
declare const MODULE: string;

/** Its formats, each with its number. */
declare const FORMATS: Readonly<Record<string, number>>;
