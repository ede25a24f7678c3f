/** Rotations, as angles and as the ids of the specification. */

import type { ComponentChildren, JSX } from "preact";
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

/**
 * The angles of a matrix about x, y and z in degrees, as the property Orientation and `get_euler` of Godot have them: turned about z
 * first, then x, then y.
 */
function anglesOf(matrix: Matrix, digits = 3): readonly number[] {
  const at = (place: number): number => matrix[place] ?? 0;
  const isUpright = Math.abs(at(5)) > 0.999999;
  const [y, z] = isUpright ? [Math.atan2(-at(6), at(0)), 0] : [Math.atan2(at(2), at(8)), Math.atan2(at(3), at(4))];
  const x = Math.asin(Math.max(-1, Math.min(1, -at(5))));
  return [x, y, z].map((angle) => Number(((angle * 180) / Math.PI).toFixed(digits)) + 0);
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

/** The angles of a rotation, and what belongs to it. */
function Turned({ angles, onTurn, children }: { readonly angles: readonly number[]; readonly onTurn: (angles: readonly number[]) => Promise<string | null>; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <fieldset>
      <legend>rotation, in degrees</legend>
      {children === undefined ? (
        <Angles angles={angles} onTurn={onTurn} />
      ) : (
        <div class="group">
          <Angles angles={angles} onTurn={onTurn} />
          {children}
        </div>
      )}
    </fieldset>
  );
}

/** The matrix of a quaternion: x, y, z, w. */
const ofQuaternion = ([x = 0, y = 0, z = 0, w = 0]: readonly number[]): Matrix => [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];

function quaternionFrom(angles: readonly number[]): readonly number[] {
  const halves = angles.map((angle) => (angle * Math.PI) / 360);
  const [sx = 0, sy = 0, sz = 0] = halves.map(Math.sin);
  const [cx = 1, cy = 1, cz = 1] = halves.map(Math.cos);
  return [sx * cy * cz + cx * sy * sz, cx * sy * cz - sx * cy * sz, cx * cy * sz - sx * sy * cz, cx * cy * cz + sx * sy * sz];
}

const PARTS = ["x", "y", "z", "w"];

/** Quaternions: their parts and their angles. */
export function Quaternion({ json, onSet, children }: { readonly json: { readonly [name: string]: Json }; readonly onSet: OnSet; readonly children: JSX.Element }): JSX.Element {
  const matrix = ofQuaternion(PARTS.map((name) => Number(json[name])));
  return (
    <div class="group">
      {children}
      <Turned angles={anglesOf(matrix)} onTurn={(angles) => onSet(Object.fromEntries(quaternionFrom(angles).map((part, at) => [PARTS[at] ?? "", rounded(part)])))} />
    </div>
  );
}

/** Rows of a Basis of Godot. */
type Rows = readonly (readonly number[])[];

export const isRows = (json: Json | undefined): json is Rows & Json =>
  Array.isArray(json) && json.length === 3 && json.every((row) => Array.isArray(row) && row.length === 3 && row.every((part) => typeof part === "number"));

/** The rotation of a matrix without its scale, and the scale; `null` if it is sheared, or flat. */
function unscaled(matrix: Matrix): readonly [Matrix, readonly number[]] | null {
  const column = (at: number): readonly number[] => [0, 3, 6].map((row) => matrix[row + at] ?? 0);
  const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, part, at) => sum + part * (b[at] ?? 0), 0);
  const [x, y, z] = [column(0), column(1), column(2)];
  const cross = [1, 2, 0].map((at, place) => (x[at] ?? 0) * (y[(place + 2) % 3] ?? 0) - (x[(place + 2) % 3] ?? 0) * (y[at] ?? 0));
  const sign = dot(cross, z) < 0 ? -1 : 1;
  // of a mirrored one, all parts of the scale are negative, as for Godot
  const scale = [x, y, z].map((column) => sign * Math.hypot(...column));
  const turned = matrix.map((part, at) => part / (scale[at % 3] ?? 1));
  const of = (at: number): readonly number[] => [0, 3, 6].map((row) => turned[row + at] ?? 0);
  const isRight = [[0, 1], [0, 2], [1, 2]].every(([one = 0, other = 0]) => Math.abs(dot(of(one), of(other))) < 1e-4);
  return isRight ? [turned, scale] : null;
}

/** A Basis of Godot: its rows, and its angles unless it is sheared. A turn keeps its scale. */
export function Basis({ json, onSet, children }: { readonly json: Rows; readonly onSet: OnSet; readonly children: JSX.Element }): JSX.Element {
  const parts = unscaled(json.flat());
  const turn = ([, scale]: readonly [Matrix, readonly number[]], to: readonly number[]): Promise<string | null> => {
    const next = matrixFrom(to).map((part, at) => rounded(part * rounded(scale[at % 3] ?? 1)));
    return onSet([next.slice(0, 3), next.slice(3, 6), next.slice(6)]);
  };
  return (
    <div class="group">
      {parts !== null && <Turned angles={anglesOf(parts[0])} onTurn={(to) => turn(parts, to)} />}
      {children}
    </div>
  );
}

type Item = { readonly [name: string]: Json };

/** A Transform2D of Godot: its parts, and the angle of its x axis. */
export function Transform2D({ json, onSet, children }: { readonly json: Item; readonly onSet: OnSet; readonly children: ComponentChildren }): JSX.Element {
  const part = (column: string, name: string): number => Number((json[column] as Item)[name]);
  const angle = (Math.atan2(part("x", "y"), part("x", "x")) * 180) / Math.PI;
  const turn = (to: number): Promise<string | null> => {
    const by = ((to - angle) * Math.PI) / 180;
    const turned = (column: string): Item => {
      const [x, y] = [part(column, "x"), part(column, "y")];
      return { x: rounded(x * Math.cos(by) - y * Math.sin(by)), y: rounded(x * Math.sin(by) + y * Math.cos(by)) };
    };
    return onSet({ ...json, x: turned("x"), y: turned("y") });
  };
  return (
    <div class="group">
      <NumberField label="rotation, in degrees" json={Number(angle.toFixed(3)) + 0} onSet={(to) => turn(Number(to))} />
      {children}
    </div>
  );
}

/** A quaternion in a CFrame of a remote packet: the largest part is left out, and the others are whole numbers. */
interface Packed {
  readonly omitted: string;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}
const UNIT = 16383 * Math.SQRT2;

const isPacked = (json: Json | undefined): json is Packed & Json => typeof json === "object" && json !== null && "omitted" in json;

function unpacked({ omitted, a, b, c }: Packed): readonly number[] {
  const others = [a, b, c].map((part) => part / UNIT);
  const largest = Math.sqrt(Math.max(0, 1 - others.reduce((sum, part) => sum + part * part, 0)));
  return others.toSpliced(PARTS.indexOf(omitted), 0, largest);
}

function packed(quaternion: readonly number[]): Json {
  const sizes = quaternion.map(Math.abs);
  const largest = sizes.indexOf(Math.max(...sizes));
  const sign = (quaternion[largest] ?? 0) < 0 ? -1 : 1;
  const [a = 0, b = 0, c = 0] = quaternion.toSpliced(largest, 1).map((part) => Math.round(sign * part * UNIT) + 0);
  return { omitted: PARTS[largest] ?? "w", a, b, c };
}

export interface RotationJson {
  readonly id?: Json;
  readonly matrix?: Json;
  readonly quaternion?: Json;
}

export const isRotation = (json: Json | undefined): json is RotationJson & Json =>
  typeof json === "object" && json !== null && (("id" in json && typeof json.id === "number") || ("matrix" in json && Array.isArray(json.matrix) && json.matrix.every((part) => typeof part === "number")) || ("quaternion" in json && isPacked(json.quaternion)));

export function Rotation({ json, isRemote, onSet, children }: { readonly json: RotationJson; readonly isRemote: boolean; readonly onSet: OnSet; readonly children: ComponentChildren }): JSX.Element {
  const id = typeof json.id === "number" ? json.id : 0;
  const quaternion = isPacked(json.quaternion) ? json.quaternion : null;
  const matrix = quaternion === null ? ((json.matrix as Matrix | undefined) ?? matrixOf(id) ?? [1, 0, 0, 0, 1, 0, 0, 0, 1]) : ofQuaternion(unpacked(quaternion));
  // a packed quaternion is exact to some thousandths of a degree
  const angles = anglesOf(matrix, quaternion === null ? 3 : 2);
  const turn = (to: readonly number[]): Promise<string | null> => {
    const next = matrixFrom(to);
    // a matrix stays one
    const same = id === 0 ? undefined : IDS.find((id) => String(matrixOf(id)?.map((part) => part + 0)) === String(next));
    return onSet(same !== undefined ? { id: same } : isRemote ? { quaternion: packed(quaternionFrom(to)) } : { matrix: next });
  };
  const name = (id: number): string => `${id.toString(16).toUpperCase().padStart(2, "0")}: ${anglesOf(matrixOf(id) ?? []).map((angle) => `${angle}°`).join(", ")}`;
  const items = IDS.map((id) => [name(id), id] as const);
  return (
    <Turned angles={angles} onTurn={turn}>
      <Choice label="along the axes" items={id === 0 ? [[`no: a ${quaternion === null ? "matrix" : "quaternion"}`, 0], ...items] : items} now={id} onSet={(to) => onSet({ id: to })} />
      {children}
    </Turned>
  );
}
