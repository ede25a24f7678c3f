// Makes the text of ts/generated.ts, from the descriptions of the formats.

/** Options that only streams have. */
const STREAMS = new Set(["framing"]);

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The text of ts/generated.ts: the names and options of the formats of an entry point, and the types of `values`. */
export function generated(values, own) {
  const options = new Map();
  for (const format of own) {
    for (const option of format.options) {
      const known = options.get(option.name) ?? { ...option, formats: [], defaults: new Map() };
      known.formats.push(format.name);
      const unset = JSON.stringify(option.default);
      known.defaults.set(unset, [...(known.defaults.get(unset) ?? []), format.name]);
      options.set(option.name, known);
    }
  }
  const lines = (are) => [...options.values()].filter(({ name }) => are(name)).map(({ name, about, accepts, defaults, formats }) => {
    const type = Array.isArray(accepts) ? accepts.map((text) => JSON.stringify(text)).join(" | ") : accepts;
    const unset = [...defaults].map(([text, of]) => (defaults.size === 1 ? text : `${text} of ${of.join(", ")}`)).join("; ");
    return `  /** ${about}. Default: ${unset}. Heeded by ${formats.join(", ")}. */\n  ${camel(name)}?: ${type};\n`;
  }).join("");
  return `// Written by scripts/types.mjs, from what the formats say of themselves.

${values}
/** The names of the formats. */
export type FormatName = ${own.map((format) => JSON.stringify(format.name)).join(" | ")};

/** Options for reading and writing. A format ignores those of other formats. */
export interface FormatOptions {
${lines((name) => !STREAMS.has(name))}}

/** More options for reading several values in sequence. */
export interface StreamFormatOptions {
${lines((name) => STREAMS.has(name))}}
`;
}
