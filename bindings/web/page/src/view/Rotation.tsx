/** Rotations, as angles and as the ids of the specification. */

import type { JSX } from "preact";
import type { Json } from "../protocol";
import { Choice, NumberField, type OnSet } from "./Editor";

/** A matrix, row by row. */
type Matrix = readonly number[];

const AXES: readonly (readonly number[])[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]];

/** The matrix of an id, which numbers the directions of the first two columns; `null` if there is no such id. */
function matrixOf(id: number): Matrix | null {
  const [right, up] = [AXES[Math.floor((id - 1) / 6)], AXES[(id - 1) % 6]];
  if (right === undefined || up === undefined || (Math.floor((id - 1) / 6) - ((id - 1) % 6)) % 3 === 0) return null;
  const at = (axis: readonly number[], place: number): number => axis[place % 3] ?? 0;
  return [0, 1, 2].flatMap((row) => [at(right, row), at(up, row), at(right, row + 1) * at(up, row + 2) - at(right, row + 2) * at(up, row + 1)]);
}

const IDS = Array.from({ length: 36 }, (_, at) => at + 1).filter((id) => matrixOf(id) !== null);

/** The angles of a matrix about x, y and z in degrees, as the property Orientation has them: turned about z first, then x, then y. */
function anglesOf(matrix: Matrix): readonly number[] {
  const at = (place: number): number => matrix[place] ?? 0;
  const isUpright = Math.abs(at(5)) > 0.999999;
  const [y, z] = isUpright ? [Math.atan2(-at(6), at(0)), 0] : [Math.atan2(at(2), at(8)), Math.atan2(at(3), at(4))];
  const x = Math.asin(Math.max(-1, Math.min(1, -at(5))));
  return [x, y, z].map((angle) => Number(((angle * 180) / Math.PI).toFixed(3)) + 0);
}

function matrixFrom(angles: readonly number[]): Matrix {
  const turns = angles.map((angle) => (angle * Math.PI) / 180);
  const [sx = 0, sy = 0, sz = 0] = turns.map(Math.sin);
  const [cx = 1, cy = 1, cz = 1] = turns.map(Math.cos);
  const matrix = [cy * cz + sy * sx * sz, sy * sx * cz - cy * sz, sy * cx, cx * sz, cx * cz, -sx, cy * sx * sz - sy * cz, sy * sz + cy * sx * cz, cy * cx];
  return matrix.map(rounded);
}

/** Nine digits give the same number of 32 bits; 0 and 1 are exact. */
const rounded = (part: number): number => (Math.abs(part - Math.round(part)) < 1e-9 ? Math.round(part) + 0 : Number(Math.fround(part).toPrecision(9)));

function Angles({ angles, onTurn }: { readonly angles: readonly number[]; readonly onTurn: (angles: readonly number[]) => Promise<string | null> }): JSX.Element {
  return (
    <div class="numbers is-matrix">
      {["x", "y", "z"].map((axis, at) => (
        <NumberField key={axis} label={axis} json={angles[at] ?? 0} onSet={(to) => onTurn(angles.with(at, Number(to)))} />
      ))}
    </div>
  );
}

/** Quaternions: their parts, and the angles of `get_euler` of Godot. */
export function Quaternion({ json, onSet, children }: { readonly json: { readonly [name: string]: Json }; readonly onSet: OnSet; readonly children: JSX.Element }): JSX.Element {
  const [x = 0, y = 0, z = 0, w = 0] = ["x", "y", "z", "w"].map((name) => Number(json[name]));
  const matrix = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
  const turn = (angles: readonly number[]): Promise<string | null> => {
    const halves = angles.map((angle) => (angle * Math.PI) / 360);
    const [sx = 0, sy = 0, sz = 0] = halves.map(Math.sin);
    const [cx = 1, cy = 1, cz = 1] = halves.map(Math.cos);
    const parts = { x: sx * cy * cz + cx * sy * sz, y: cx * sy * cz - sx * cy * sz, z: cx * cy * sz - sx * sy * cz, w: cx * cy * cz + sx * sy * sz };
    return onSet(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, rounded(part)])));
  };
  return (
    <div class="group">
      {children}
      <fieldset>
        <legend>rotation, in degrees</legend>
        <Angles angles={anglesOf(matrix)} onTurn={turn} />
      </fieldset>
    </div>
  );
}

export interface RotationJson {
  readonly id?: Json;
  readonly matrix?: Json;
}

export const isRotation = (json: Json | undefined): json is RotationJson & Json =>
  typeof json === "object" && json !== null && (("id" in json && typeof json.id === "number") || ("matrix" in json && Array.isArray(json.matrix) && json.matrix.every((part) => typeof part === "number")));

export function Rotation({ json, onSet, children }: { readonly json: RotationJson; readonly onSet: OnSet; readonly children: JSX.Element | null }): JSX.Element {
  const id = typeof json.id === "number" ? json.id : 0;
  const matrix = (json.matrix as Matrix | undefined) ?? matrixOf(id) ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const angles = anglesOf(matrix);
  const turn = (to: readonly number[]): Promise<string | null> => {
    const next = matrixFrom(to);
    // a matrix stays one
    const same = id === 0 ? undefined : IDS.find((id) => String(matrixOf(id)?.map((part) => part + 0)) === String(next));
    return onSet(same === undefined ? { matrix: next } : { id: same });
  };
  const name = (id: number): string => `${id.toString(16).toUpperCase().padStart(2, "0")}: ${anglesOf(matrixOf(id) ?? []).map((angle) => `${angle}°`).join(", ")}`;
  const items = IDS.map((id) => [name(id), id] as const);
  return (
    <fieldset>
      <legend>rotation, in degrees</legend>
      <div class="group">
        <Angles angles={angles} onTurn={turn} />
        <Choice label="along the axes" items={id === 0 ? [["no: a matrix", 0], ...items] : items} now={id} onSet={(to) => onSet({ id: to })} />
        {children}
      </div>
    </fieldset>
  );
}
