/** Reads the tape that `src/objects.rs` writes. The documentation there describes it. */

import { buffer, wasm, whenDiscarded } from "./engine.js";

export const END = 0;
export const CONSTANT = 1;
export const SMALL = 2;
const SINGLE = 3;
export const DOUBLE = 4;
export const SIGNED = 5;
export const UNSIGNED = 6;
const SEEN = 7;
const SHORT = 8;
const ASCII = 9;
export const TEXT = 10;
export const BYTES = 11;
export const LIST = 12;
export const OBJECT = 13;
const MAP = 14;

type Value = unknown;
/** Makes an object of the values on a stack, which begin at a position. */
type Make = (stack: Value[], at: number) => object;

/** Objects are made by literals, so that all of a kind have one hidden class from the start. */
const MAKERS: Record<string, Make> = {
  "": () => ({}),
  "type,value": (s, i) => ({ type: s[i], value: s[i + 1] }),
  "type,double,value": (s, i) => ({ type: s[i], double: s[i + 1], value: s[i + 2] }),
  "key,type,value": (s, i) => ({ key: s[i], type: s[i + 1], value: s[i + 2] }),
  "key,value": (s, i) => ({ key: s[i], value: s[i + 1] }),
  "name,value": (s, i) => ({ name: s[i], value: s[i + 1] }),
  "format,entries": (s, i) => ({ format: s[i], entries: s[i + 1] }),
  "format,packets": (s, i) => ({ format: s[i], packets: s[i + 1] }),
  "format,version,type,value": (s, i) => ({ format: s[i], version: s[i + 1], type: s[i + 2], value: s[i + 3] }),
  "format,version,type,double,value": (s, i) => ({
    format: s[i], version: s[i + 1], type: s[i + 2], double: s[i + 3], value: s[i + 4],
  }),
  "x,y": (s, i) => ({ x: s[i], y: s[i + 1] }),
  "x,y,z": (s, i) => ({ x: s[i], y: s[i + 1], z: s[i + 2] }),
  "x,y,z,w": (s, i) => ({ x: s[i], y: s[i + 1], z: s[i + 2], w: s[i + 3] }),
  "r,g,b": (s, i) => ({ r: s[i], g: s[i + 1], b: s[i + 2] }),
  "r,g,b,a": (s, i) => ({ r: s[i], g: s[i + 1], b: s[i + 2], a: s[i + 3] }),
  "scale,offset": (s, i) => ({ scale: s[i], offset: s[i + 1] }),
  "min,max": (s, i) => ({ min: s[i], max: s[i + 1] }),
  "origin,direction": (s, i) => ({ origin: s[i], direction: s[i + 1] }),
  "envelope,time,value": (s, i) => ({ envelope: s[i], time: s[i + 1], value: s[i + 2] }),
  "position,rotation": (s, i) => ({ position: s[i], rotation: s[i + 1] }),
  "position,size": (s, i) => ({ position: s[i], size: s[i + 1] }),
  "enum,value": (s, i) => ({ enum: s[i], value: s[i + 1] }),
  "weight,style,family,cached_face_id": (s, i) => ({
    weight: s[i], style: s[i + 1], family: s[i + 2], cached_face_id: s[i + 3],
  }),
  "id": (s, i) => ({ id: s[i] }),
  "matrix": (s, i) => ({ matrix: s[i] }),
  "bits": (s, i) => ({ bits: s[i] }),
  "peer,id": (s, i) => ({ peer: s[i], id: s[i + 1] }),
  "normal,d": (s, i) => ({ normal: s[i], d: s[i + 1] }),
  "x,y,origin": (s, i) => ({ x: s[i], y: s[i + 1], origin: s[i + 2] }),
  "basis,origin": (s, i) => ({ basis: s[i], origin: s[i + 1] }),
  "absolute,names,subnames": (s, i) => ({ absolute: s[i], names: s[i + 1], subnames: s[i + 2] }),
  "class,properties": (s, i) => ({ class: s[i], properties: s[i + 1] }),
  "typed,elements": (s, i) => ({ typed: s[i], elements: s[i + 1] }),
  "typed,entries": (s, i) => ({ typed: s[i], entries: s[i + 1] }),
  "array,offset,elements": (s, i) => ({ array: s[i], offset: s[i + 1], elements: s[i + 2] }),
  "array,entries": (s, i) => ({ array: s[i], entries: s[i + 1] }),
  "id,handle": (s, i) => ({ id: s[i], handle: s[i + 1] }),
  "id,uuid": (s, i) => ({ id: s[i], uuid: s[i + 1] }),
  "id,x,y,z": (s, i) => ({ id: s[i], x: s[i + 1], y: s[i + 2], z: s[i + 3] }),
  "id,x,y,z,w": (s, i) => ({ id: s[i], x: s[i + 1], y: s[i + 2], z: s[i + 3], w: s[i + 4] }),
  "id,r,g,b,a": (s, i) => ({ id: s[i], r: s[i + 1], g: s[i + 2], b: s[i + 3], a: s[i + 4] }),
  "index,class,name,referent,parent,place,hasAttributes,hasTags": (s, i) => ({
    index: s[i], class: s[i + 1], name: s[i + 2], referent: s[i + 3], parent: s[i + 4], place: s[i + 5],
    hasAttributes: s[i + 6], hasTags: s[i + 7],
  }),
};

/** Makes objects of any other shape. */
function maker(names: string[]): Make {
  return (stack, at) => {
    const made: Record<string, Value> = {};
    for (let i = 0; i < names.length; i++) made[names[i]!] = stack[at + i];
    return made;
  };
}

/** By the number of a shape in the instance: the number of its names, and the function that makes its objects. */
let lengths: number[] = [];
let makers: Make[] = [];
/** The short strings that the instance remembers. */
let slots: string[] = [];

function learn(shape: number): void {
  const text = wasm.shape_names(shape);
  const names = text === "" ? [] : text.split("\n");
  lengths[shape] = names.length;
  makers[shape] = MAKERS[names.join(",")] ?? maker(names);
}

let words = new Uint32Array(0);
let singles = new Float32Array(0);
let bytes = new Uint8Array(0);

whenDiscarded(() => {
  lengths = [];
  makers = [];
  slots = [];
  words = new Uint32Array(0);
});

// two words as one number of 64 bits
export const pair = new Uint32Array(2);
export const double = new Float64Array(pair.buffer);
export const signed = new BigInt64Array(pair.buffer);
export const unsigned = new BigUint64Array(pair.buffer);

// a byte order mark is a part of a string
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

function shortText(at: number, length: number): string {
  let text = "";
  for (let i = at; i < at + length; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

/** The values that are not in a list or object yet. */
const stack: Value[] = [];

/** The document of the words from this address on. */
export function read(address: number): Value {
  if (words.byteLength === 0 || words.buffer !== buffer()) {
    words = new Uint32Array(buffer());
    singles = new Float32Array(buffer());
    bytes = new Uint8Array(buffer());
  }
  const tape = words;
  let next = address >>> 2;
  let top = 0;
  for (;;) {
    const word = tape[next++]!;
    const argument = word >>> 4;
    switch (word & 15) {
      case OBJECT: {
        if (makers[argument] === undefined) learn(argument);
        top -= lengths[argument]!;
        stack[top] = makers[argument]!(stack, top);
        top++;
        break;
      }
      case SEEN:
        stack[top++] = slots[argument]!;
        break;
      case SINGLE:
        stack[top++] = singles[next++]!;
        break;
      case SMALL:
        stack[top++] = (word | 0) >> 4;
        break;
      case DOUBLE:
        pair[0] = tape[next]!;
        pair[1] = tape[next + 1]!;
        stack[top++] = double[0]!;
        next += 2;
        break;
      case SIGNED:
        pair[0] = tape[next]!;
        pair[1] = tape[next + 1]!;
        stack[top++] = signed[0]!;
        next += 2;
        break;
      case UNSIGNED:
        pair[0] = tape[next]!;
        pair[1] = tape[next + 1]!;
        stack[top++] = unsigned[0]!;
        next += 2;
        break;
      case CONSTANT:
        stack[top++] = argument === 0 ? null : argument === 2;
        break;
      case LIST: {
        const start = top - argument;
        const list: Value[] = [];
        for (let i = start; i < top; i++) list.push(stack[i]);
        top = start;
        stack[top++] = list;
        break;
      }
      case MAP: {
        const start = top - 2 * argument;
        const made: Record<string, Value> = {};
        for (let i = start; i < top; i += 2) {
          const name = stack[i] as string;
          // a member, and not another prototype
          if (name === "__proto__") Object.defineProperty(made, name, { value: stack[i + 1], writable: true, enumerable: true, configurable: true });
          else made[name] = stack[i + 1];
        }
        top = start;
        stack[top++] = made;
        break;
      }
      case SHORT: {
        const length = tape[next++]!;
        const text = shortText(next << 2, length);
        slots[argument] = text;
        stack[top++] = text;
        next += (length + 3) >>> 2;
        break;
      }
      case ASCII:
      case TEXT: {
        const at = next * 4;
        stack[top++] =
          argument < 40 && (word & 15) === ASCII
            ? shortText(at, argument)
            : decoder.decode(bytes.subarray(at, at + argument));
        next += (argument + 3) >>> 2;
        break;
      }
      case BYTES:
        stack[top++] = bytes.slice(next * 4, next * 4 + argument);
        next += (argument + 3) >>> 2;
        break;
      case END: {
        const document = stack[0];
        // a large document must not be kept, nor a stack that large ones need
        if (stack.length > 4096) stack.length = 0;
        else stack[0] = undefined;
        return document;
      }
      default:
        throw new Error(`the tape has a word ${word} that means nothing`);
    }
  }
}
