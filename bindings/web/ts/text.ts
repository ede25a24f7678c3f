/** The JSON text of documents, which the library encodes. */

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function number(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return Number.isNaN(value) ? '"NaN"' : value > 0 ? '"Infinity"' : '"-Infinity"';
}

/** JSON text of anything that a document may hold. A member that is `undefined` is left out. */
export function write(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return number(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      // as text, so that no reader rounds it
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? String(value) : `"${value}"`;
    case "object":
      break;
    default:
      throw new TypeError(`a document holds no ${typeof value}`);
  }
  if (value === null) return "null";
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) text += (i > 0 ? "," : "") + write(value[i]);
    return text + "]";
  }
  if (value instanceof Uint8Array) {
    let text = '{"hex":"';
    for (const byte of value) text += HEX[byte];
    return text + '"}';
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return write(Array.from(value as unknown as ArrayLike<number | bigint>));
  }
  let text = "";
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${write(member)}`;
  }
  return `{${text}}`;
}
