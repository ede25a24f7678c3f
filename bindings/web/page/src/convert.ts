/** Values as another type. */

import type { Json, ValueAt } from "./protocol";

const numbersIn = (json: Json): number[] => (typeof json === "number" ? [json] : typeof json === "object" && json !== null ? Object.values(json).flatMap(numbersIn) : []);

/**
 * Texts for a value as another type, in the notation of its engine, the best first; at the end the default of the type.
 * `refusal` is the error for the text of the value, which has an example of the type.
 */
export function converted({ json }: ValueAt, refusal: string): readonly string[] {
  const all: string[] = [];
  if (typeof json === "string") all.push(json);
  if (typeof json === "boolean") all.push(json ? "1" : "0");
  if (typeof json === "number") all.push(String(json !== 0), String(Math.round(json)));
  const example = / such as (.+?)(?:, found .*)?$/s.exec(refusal)?.[1];
  // it refused only a part of a table
  if (example === undefined) return [...all, "{}", "[]"];
  const filled = (numbers: readonly number[]): string => {
    let at = 0;
    return example.replace(/(?<![\w.])-?\d+(?:\.\d+)?/g, () => String(numbers[at++] ?? 0));
  };
  const numbers = numbersIn(json);
  // such as a Vector3 as a Vector2, or as the position of a CFrame
  if (numbers.length > 1 && /^[\w.]+\((-?[\d.]+(, )?)+\)$/.test(example)) all.push(filled(numbers), filled(numbers.map(Math.round)));
  const empty = example.startsWith("{") ? "{}" : example.startsWith("[") ? "[]" : example.replace(/\(.*\)$/s, "()");
  return [...all, ...(empty === example ? [] : [empty]), filled([]), example];
}
