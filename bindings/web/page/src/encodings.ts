/** Bytes from and to text: hex and base64. Also gzip. */

/** The bytes of a dump of `xxd` or `hexdump -C`, as hex; `null` if the text is something else. */
function ofDump(text: string): string | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  // a line of offset only ends what hexdump writes
  const parts = lines.map((line) => /^([0-9a-f]{6,16})(?::\s+((?:[0-9a-f]{2,8} ?)+)(?: .*)?|\s\s((?:[0-9a-f]{2} {1,2})+) *(?:\|.*)?)?\s*$/i.exec(`${line} `));
  if (lines.length === 0 || !parts.every((part) => part !== null) || (parts[0]?.[2] ?? parts[0]?.[3]) === undefined) return null;
  return parts.map((part) => part?.[2] ?? part?.[3] ?? "").join("");
}

/** The bytes of a list of decimal numbers, such as `[5, 0, 255]` or `PackedByteArray(5, 0)`; `null` if the text is something else. */
function ofList(text: string): Uint8Array | null {
  const inner = /^\s*(?:(?:new\s+)?\w*(?:byte|uint8)\w*\s*)?[[({]+([\d\s,]*)[\])}]+[\s;]*$/i.exec(text)?.[1] ?? (/^[\d\s]*,[\d\s,]*$/.test(text) ? text : null);
  const numbers = inner?.split(/[\s,]+/).filter((part) => part !== "").map(Number) ?? [];
  const isList = inner !== text || !text.split(/[\s,]+/).every((part) => part === "" || part.length === 2);
  return isList && numbers.length > 0 && numbers.every((number) => number <= 255) ? Uint8Array.from(numbers) : null;
}

const hexDigits = (text: string): string => (ofDump(text) ?? text).replace(/0x|\\x/gi, "").replace(/[\s,:;\-]+/g, "");

/** The error for a text of hex with an odd number of digits. Base64 is not mistaken for it: with `=`, its length is even. */
export function wrongHex(text: string): string | null {
  const digits = ofList(text) === null ? hexDigits(text) : "";
  if (digits.length % 2 === 0 || !/^[0-9a-f]*$/i.test(digits)) return null;
  return digits.length === 1 ? "This is one hex digit. A byte has two." : `These are ${digits.length.toLocaleString("en")} hex digits. A byte has two, so one digit is missing or too many.`;
}

/** The bytes of hex digits, perhaps separated by spaces, `0x`, `\x`, commas or colons, of a dump, or of a list of numbers. */
export function fromHex(text: string): Uint8Array | null {
  const list = ofList(text);
  if (list !== null) return list;
  const digits = hexDigits(text);
  if (digits.length === 0 || digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return null;
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** The bytes of base64, with `+/` or `-_`, with or without `=`; `null` if the text is not base64. */
export function fromBase64(text: string): Uint8Array | null {
  const dense = text.replace(/\s+/g, "").replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  if (dense.length < 2 || dense.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(dense)) return null;
  try {
    return Uint8Array.from(atob(dense), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

export function toHex(bytes: Uint8Array, separator = ""): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(separator);
}

/** Base64 that can be part of a link. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The output of a stream for these bytes. More than `most` bytes are an error: some kilobytes may unpack to gigabytes. */
async function through(bytes: Uint8Array, stream: GenericTransformStream, most: number): Promise<Uint8Array> {
  const readable = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);
  const reader = readable.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`it unpacks to more than ${most.toLocaleString("en")} bytes`);
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The largest unpacked file, in bytes: as much as a file may take in WebAssembly. */
const MOST = 1 << 30;

export const pack = (bytes: Uint8Array): Promise<Uint8Array> => through(bytes, new CompressionStream("gzip"), MOST);
export const unpack = (bytes: Uint8Array, most = MOST): Promise<Uint8Array> => through(bytes, new DecompressionStream("gzip"), most);
