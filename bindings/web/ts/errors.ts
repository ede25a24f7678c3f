/** An error in the form that the library gives. */
export interface Details {
  kind: "decode" | "encode" | "argument";
  message: string;
  reason?: string;
  code?: string;
  offset?: number | null;
  bit?: number;
  path?: string;
  expected?: string | null;
  truncated?: boolean;
  report?: string;
}

/** Why bytes cannot be decoded, or a file cannot be read. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** The error message, without the place. */
  readonly reason: string;
  /** A short name of this kind of error, which stays the same: `"truncated"`, `"unknown-id"`. */
  readonly code: string;
  /** The offset of the field with the error, in bytes. */
  readonly offset: number;
  /** The bit of that byte, where fields begin between the bits of a byte; else 0. */
  readonly bit: number;
  /** The field with the error: `entries[3] "Spawn".value.cframe.rotation.id`. */
  readonly path: string;
  /** The expected data, unless the reason names it. */
  readonly expected: string | undefined;
  /** True if the bytes end too early and have no other error, so that more bytes may help. */
  readonly truncated: boolean;
  /** The error for a person to read. It shows the bytes around it if all bytes were given at once; else it is the message. */
  readonly report: string;

  /** @internal */
  constructor(details: Details) {
    super(details.message);
    this.reason = details.reason ?? details.message;
    this.code = details.code ?? "other";
    this.offset = details.offset ?? 0;
    this.bit = details.bit ?? 0;
    this.path = details.path ?? "";
    this.expected = details.expected ?? undefined;
    this.truncated = details.truncated ?? false;
    this.report = details.report ?? details.message;
  }
}

/** Why a value cannot be encoded. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
  /** The error message, without the place. */
  readonly reason: string;
  /**
   * `"document"` if it is not a document of the format, `"value"` if the format cannot hold it, `"notation"` if it is not text in the
   * language of the engine, `"edit"` if a value cannot take the place of what is there.
   */
  readonly code: string;
  /** The member at fault: `entries[3].value.x`. */
  readonly path: string;

  /** @internal */
  constructor(details: Details) {
    super(details.message);
    this.reason = details.reason ?? details.message;
    this.code = details.code ?? "other";
    this.path = details.path ?? "";
  }
}

/** @internal Encodes a document: errors name the values of JavaScript, and not their forms in JSON. */
export function ofObjects<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    // the library has bytes as digits, and numbers without digits as objects
    const worded = (text: string) =>
      text.replaceAll('{"hex": "…"}', "a Uint8Array")
        .replace("unknown field `bits`, expected `hex`", "expected a string, or a Uint8Array, found a number");
    const { message, reason, code, path } = error;
    throw new EncodeError({ kind: "encode", message: worded(message), reason: worded(reason), code, path });
  }
}

/**
 * The library itself failed: it ran out of memory or stack, or has a bug. Its instance of WebAssembly was discarded. The next
 * call has a new one; objects that were open, such as a `Decoder` or a `Model`, are lost.
 */
export class DiscardedError extends Error {
  override readonly name = "DiscardedError";
}

/** The exception for an error of the library. */
export function errorOf(details: Details): Error {
  switch (details.kind) {
    case "decode":
      return new DecodeError(details);
    case "encode":
      return new EncodeError(details);
    default:
      return new TypeError(details.message);
  }
}
