/** A sequence of keypoints, drawn as a curve or a gradient with points that can be dragged. */

import type { JSX, TargetedMouseEvent, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Json } from "../protocol";
import { colourOf, picked } from "./Editor";

type Part = { readonly [name: string]: Json };

/** Keypoints of a NumberSequence or ColorSequence, as they are in JSON. */
export function isSequence(json: Json): json is readonly Part[] {
  const isPoint = (point: Json): boolean => typeof point === "object" && point !== null && "time" in point && "value" in point && "envelope" in point;
  return Array.isArray(json) && json.length > 0 && json.length <= 64 && json.every(isPoint);
}

const WIDTH = 320;
const EDGE = 12;
const RADIUS = 7;
/** The space above and below a curve, so that no point covers the scale. */
const SCALE = 22;

/** A number of three decimals. What is rounded to zero has no sign. */
const round = (number: number): number => Number(number.toFixed(3)) + 0;

export function Sequence({ points, onSet }: { readonly points: readonly Part[]; readonly onSet: (json: Json) => void }): JSX.Element {
  const [shown, setShown] = useState(points);
  const [current, setCurrent] = useState(0);
  const dragged = useRef<number | null>(null);
  const plot = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => setShown(points), [points]);
  const isColour = typeof points[0]?.["value"] === "object";
  const HEIGHT = isColour ? 72 : 160;
  const MARGIN = isColour ? EDGE : SCALE;
  const time = (point: Part): number => Number(point["time"]);
  const height = (point: Part): number => (isColour ? 0.5 : Number(point["value"]));
  const envelope = (point: Part): number => Number(point["envelope"]);
  const values = shown.map(height);
  // the scale stays while a point is dragged
  const bounds = useRef<[number, number]>([0, 1]);
  if (dragged.current === null) {
    const low = Math.min(0, ...shown.map((point) => height(point) - envelope(point)).filter(Number.isFinite));
    const high = Math.max(isColour ? 1 : 0, ...shown.map((point) => height(point) + envelope(point)).filter(Number.isFinite));
    bounds.current = [low, high === low ? low + 1 : high];
  }
  const [low, high] = bounds.current;
  const x = (time: number): number => EDGE + time * (WIDTH - 2 * EDGE);
  const y = (value: number): number => HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);

  const moved = (at: number, toTime: number, toValue: number): readonly Part[] => {
    const point = shown[at];
    if (point === undefined) return shown;
    // the first and the last point stay at 0 and 1, the others between their neighbours
    const isEnd = at === 0 || at === shown.length - 1;
    const [before, after] = [shown[at - 1], shown[at + 1]];
    const bound = Math.max(before === undefined ? 0 : time(before), Math.min(after === undefined ? 1 : time(after), toTime));
    const next: Part = { ...point, time: isEnd ? (point["time"] ?? 0) : round(bound), ...(isColour ? {} : { value: round(toValue) }) };
    return shown.with(at, next);
  };
  const place = (event: PointerEvent): readonly [number, number] => {
    const box = plot.current?.getBoundingClientRect() ?? new DOMRect(0, 0, WIDTH, HEIGHT);
    const [px, py] = [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
    return [(px - EDGE) / (WIDTH - 2 * EDGE), low + ((HEIGHT - MARGIN - py) / (HEIGHT - 2 * MARGIN)) * (high - low)];
  };
  const onPointerDown = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    const point = (event.target as Element).closest("[data-point]");
    if (point === null) return;
    dragged.current = Number(point.getAttribute("data-point"));
    setCurrent(dragged.current);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    if (dragged.current === null) return;
    const [toTime, toValue] = place(event);
    setShown(moved(dragged.current, toTime, Math.max(low, Math.min(high, toValue))));
  };
  const onPointerUp = (): void => {
    if (dragged.current === null) return;
    dragged.current = null;
    if (JSON.stringify(shown) !== JSON.stringify(points)) onSet(shown);
  };
  const onDoubleClick = (event: TargetedMouseEvent<SVGSVGElement>): void => {
    const [toTime, toValue] = place(event as unknown as PointerEvent);
    // a double-click on a point does not add another
    if (shown.some((point) => Math.hypot(x(time(point)) - x(toTime), y(height(point)) - y(toValue)) <= RADIUS + 3)) return;
    const at = shown.findIndex((point) => time(point) > toTime);
    const before = shown[at - 1];
    if (at <= 0 || before === undefined) return;
    const added: Part = { ...before, time: round(toTime), ...(isColour ? {} : { value: round(toValue), envelope: 0 }) };
    onSet(shown.toSpliced(at, 0, added));
  };
  const onKeyDown = (event: KeyboardEvent, at: number): void => {
    const point = shown[at];
    if (point === undefined) return;
    const step = (high - low) / (event.shiftKey ? 10 : 100);
    const steps: Record<string, readonly [number, number]> = { ArrowLeft: [-0.01, 0], ArrowRight: [0.01, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    const by = steps[event.key];
    if (by !== undefined) {
      event.preventDefault();
      onSet(moved(at, time(point) + by[0], height(point) + by[1]));
    } else if (event.key === "Delete" && at > 0 && at < shown.length - 1) onSet(shown.toSpliced(at, 1));
  };
  const line = shown.map((point) => `${x(time(point))},${y(height(point))}`).join(" ");
  const band = [...shown.map((point) => `${x(time(point))},${y(height(point) + envelope(point))}`), ...shown.toReversed().map((point) => `${x(time(point))},${y(height(point) - envelope(point))}`)].join(" ");
  const chosen = shown[Math.min(current, shown.length - 1)];
  const colour = (point: Part): string => colourOf(point["value"] as Part);
  return (
    <div class="sequence">
      <svg
        ref={plot}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={isColour ? "Gradient" : "Curve"}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onDblClick={onDoubleClick}
      >
        {isColour && (
          <>
            <linearGradient id="gradient">
              {shown.map((point) => (
                <stop offset={time(point)} stop-color={colour(point)} />
              ))}
            </linearGradient>
            <rect x={EDGE} y={EDGE} width={WIDTH - 2 * EDGE} height={HEIGHT - 2 * EDGE} rx="6" fill="url(#gradient)" />
          </>
        )}
        {!isColour && (
          <>
            {[0, 0.25, 0.5, 0.75, 1].map((part) => (
              <line class="grid" x1={x(part)} x2={x(part)} y1={MARGIN} y2={HEIGHT - MARGIN} />
            ))}
            <line class="grid" x1={EDGE} x2={WIDTH - EDGE} y1={y(0)} y2={y(0)} />
            <polygon class="band" points={band} />
            <polyline class="curve" points={line} />
            <text class="scale" x={EDGE} y={10}>{round(high)}</text>
            <text class="scale" x={EDGE} y={HEIGHT - 3}>{round(low)}</text>
          </>
        )}
        {shown.map((point, at) => (
          <circle
            key={at}
            data-point={at}
            class={`point ${at === current ? "is-current" : ""}`}
            cx={x(time(point))}
            cy={y(height(point))}
            r={RADIUS}
            tabIndex={0}
            role="slider"
            aria-label={`Keypoint ${at + 1} of ${shown.length}`}
            aria-valuenow={isColour ? time(point) : height(point)}
            aria-valuetext={isColour ? `time ${time(point)}, ${colour(point)}` : `time ${time(point)}, value ${values[at]}`}
            style={isColour ? { fill: colour(point) } : {}}
            onFocus={() => setCurrent(at)}
            onKeyDown={(event) => onKeyDown(event, at)}
          />
        ))}
      </svg>
      {chosen !== undefined && (
        <p class="quiet">
          {isColour && (
            <label class="colour">
              <span class="sr-only">Colour of keypoint {current + 1}</span>
              <input type="color" value={colour(chosen)} onChange={(event) => onSet(shown.with(current, { ...chosen, value: picked(chosen["value"] as Part, event.currentTarget.value) }))} />
            </label>
          )}
          {`time ${time(chosen)}${isColour ? "" : `, value ${height(chosen)}, envelope ${envelope(chosen)}`}. Drag a point; double-click adds one, Delete removes it.`}
        </p>
      )}
    </div>
  );
}
