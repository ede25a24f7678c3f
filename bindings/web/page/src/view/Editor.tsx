/** The value of the selected field, with the control that its type asks for. */

import type { ComponentChildren, JSX, TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import enumsText from "../../../../../src/roblox/luau/enums.txt?raw";
import brickColorsText from "../../../../../src/roblox/luau/brick_colors.txt?raw";
import { converted } from "../convert";
import type { Json, ValueAt } from "../protocol";
import { copy, drafts, file, isComing, paths, problem, row, set, showsBytes, stepOf, typed, value, valueProblem, wantsFocus, type Typed } from "../state";
import { Icon } from "./Icons";
import { Basis, Quaternion, Rotation, Transform2D, isRotation, isRows } from "./Rotation";
import { Sequence, isSequence } from "./Sequence";

type Item = { readonly [name: string]: Json };

/** The JSON text of a value, with the numbers that JSON has no form for. */
function textOf(json: Json): string {
  if (typeof json === "number") return Number.isFinite(json) ? (Object.is(json, -0) ? "-0.0" : String(json)) : `{"bits":"${json}"}`;
  if (Array.isArray(json)) return `[${json.map(textOf).join(",")}]`;
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  return `{${Object.entries(json).map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join(",")}}`;
}

const isObject = (json: Json): json is Item => typeof json === "object" && json !== null && !Array.isArray(json);
const isNumber = (json: Json | undefined): boolean => typeof json === "number" || (typeof json === "string" && /^(-?\d+|NaN|-?Infinity)$/.test(json));

/** The items of an enum of Roblox, from the table of the library. */
function itemsOf(name: string): readonly (readonly [string, number])[] {
  const line = enumsText.split("\n").find((line) => line.startsWith(`${name} `));
  const items = line?.split(" ").slice(1).map((item) => item.split("=")) ?? [];
  return items.map(([name, number]) => [name ?? "", Number(number)]);
}

const brickColors = (): readonly (readonly [string, number])[] =>
  brickColorsText
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line.slice(line.indexOf(" ") + 1), Number.parseInt(line, 10)]);

/** Why a text is not a number. */
function notNumber(text: string): string {
  if (/^\s*-?\d{1,3}(,\d{3})+\s*$/.test(text)) return `${text.trim()} may be ${text.trim().replaceAll(",", "")} or ${text.trim().replace(",", ".")}: write it without the comma.`;
  return text.trim() === "" ? "A number is needed." : `${text.trim()} is not a number.`;
}

const isDigits = (text: string): boolean => /^-?\d+$/.test(text);

/** A number as JSON; text if JavaScript cannot hold it exactly. `null` if the text is not a number, or too large. */
function numberOf(text: string): Json | null {
  // a comma before the decimals, as many languages write it, unless it may separate thousands
  const trimmed = /,\d{3}$/.test(text.trim()) ? text.trim() : text.trim().replace(/^(-?\d+),(\d+)$/, "$1.$2");
  if (/^(NaN|-?Infinity)$/.test(trimmed)) return trimmed;
  if (isTooLarge(trimmed)) return null;
  if (isDigits(trimmed) && !Number.isSafeInteger(Number(trimmed))) return trimmed;
  const number = Number(trimmed);
  return trimmed === "" || Number.isNaN(number) ? null : number;
}

/** True if a text is a number that no type can hold. */
const isTooLarge = (text: string): boolean => Math.abs(Number(text)) === Infinity && /\d/.test(text);

/** A number of JSON as it is shown. JavaScript writes -0 as 0. */
const shownNumber = (json: Json): string => (Object.is(json, -0) ? "-0" : String(json));

/**
 * The same JSON with what has changed since `before` written in another way, for types that do not take it: -0 is 0 in an
 * integer, and a number with many digits is rounded in a float.
 */
function respelled(json: Json, before: Json | undefined): Json {
  if (Object.is(json, before)) return json;
  if (Object.is(json, -0)) return 0;
  if (typeof json === "string" && isDigits(json) && Number.isFinite(Number(json))) return Number(json);
  if (Array.isArray(json)) return json.map((part, at) => respelled(part, Array.isArray(before) ? before[at] : undefined));
  if (!isObject(json)) return json;
  const old = before !== undefined && isObject(before) ? before : {};
  return Object.fromEntries(Object.entries(json).map(([name, part]) => [name, respelled(part, old[name])]));
}

/** Sets a value, and gives what is wrong with it, or nothing. */
export type OnSet = (json: Json) => Promise<string | null>;

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/**
 * Notes the control that has text that is not applied yet, so that it is applied before the file is saved; or that there is no
 * such text. Nothing is noted once the control is gone.
 */
function useTyped(apply: (control: TextControl) => void): (control: TextControl | null) => void {
  const latest = useRef(apply);
  latest.current = apply;
  const noted = useRef<Typed | null>(null);
  const isThere = useRef(true);
  const note = (control: TextControl | null): void => {
    if (noted.current !== null) typed.delete(noted.current);
    noted.current = control !== null && isThere.current ? { control, apply: () => latest.current(control) } : null;
    if (noted.current !== null) typed.add(noted.current);
  };
  useLayoutEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
      const left = noted.current;
      // unless the file was closed, which was asked
      if (left !== null && typed.delete(left)) problem.value = `${left.control.value} was typed and not applied: it is no such value.`;
    };
  }, []);
  return note;
}

interface NumberProps {
  readonly label: string;
  readonly json: Json;
  readonly onSet: OnSet;
  readonly isWhole?: boolean;
}

export function NumberField({ label, json, onSet, isWhole }: NumberProps): JSX.Element {
  const shown = shownNumber(json);
  const [text, setText] = useState(shown);
  const [isWrong, setWrong] = useState(false);
  useLayoutEffect(() => {
    setText(shown);
    setWrong(false);
    note(null);
    applied.current = shown;
  }, [shown]);
  const applied = useRef(text);
  const apply = (control: TextControl): void => {
    const text = control.value;
    if (text === shown || text === applied.current) {
      note(null);
      return setWrong(false);
    }
    const number = numberOf(text);
    note(number === null ? control : null);
    setWrong(number === null);
    const tooLarge = `${text.trim()} is too large for the type ${value.value?.type ?? ""}`;
    if (number === null) {
      valueProblem.value = isTooLarge(text) ? tooLarge : notNumber(text);
      return;
    }
    applied.current = text;
    void onSet(number).then((error) => {
      if (control.value !== text || !control.isConnected) return;
      note(error === null ? null : control);
      setWrong(error !== null);
      if (error === null) return setText(latest.current);
      if (typeof number === "string" && isDigits(number)) valueProblem.value = tooLarge;
      // it can be tried again
      applied.current = latest.current;
    });
  };
  const note = useTyped(apply);
  const latest = useRef(shown);
  latest.current = shown;
  const onInput = (control: TextControl): void => {
    setText(control.value);
    note(control.value === shown ? null : control);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    // what was typed last may not be shown yet
    if (event.key === "Enter") apply(event.currentTarget);
    if (event.key === "Escape") {
      setText(shown);
      setWrong(false);
      valueProblem.value = null;
      note(null);
      applied.current = shown;
    }
    if ((event.key === "ArrowUp" || event.key === "ArrowDown") && typeof json === "number") {
      event.preventDefault();
      const step = (event.shiftKey ? 10 : 1) * (isWhole === true || Math.abs(json) >= 10 || Number.isInteger(json) ? 1 : 0.1);
      const next = Number((json + (event.key === "ArrowUp" ? step : -step)).toPrecision(12));
      onSet(next);
    }
  };
  return (
    <label class={`number ${isWrong ? "is-wrong" : text === shown ? "" : "is-typed"}`}>
      <span>{label}</span>
      <input
        type="text"
        inputmode="decimal"
        value={text}
        aria-invalid={isWrong}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget)}
        onBlur={(event) => apply(event.currentTarget)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

const channel = (part: Json | undefined): string =>
  Math.round(Math.max(0, Math.min(1, Number(part))) * 255)
    .toString(16)
    .padStart(2, "0");

export function colourOf(item: Item): string {
  return `#${channel(item["r"])}${channel(item["g"])}${channel(item["b"])}`;
}

/** The parts of a picked colour. A part whose byte is unchanged keeps its exact value. */
export function picked(item: Item, colour: string): Item {
  const part = (name: string, at: number): Json => {
    const digits = colour.slice(at, at + 2);
    if (channel(item[name]) === digits) return item[name] ?? 0;
    return Number((Number.parseInt(digits, 16) / 255).toFixed(4));
  };
  return { ...item, r: part("r", 1), g: part("g", 3), b: part("b", 5) };
}

function Colour({ label, item, onSet }: { readonly label: string; readonly item: Item; readonly onSet: OnSet }): JSX.Element {
  const parts = Object.entries(item);
  return (
    <div class="group">
      <label class="colour">
        <span class="sr-only">{label === "" ? "Colour" : label}</span>
        <input type="color" value={colourOf(item)} onChange={(event) => void onSet(picked(item, event.currentTarget.value))} />
        <code>{colourOf(item)}</code>
      </label>
      <div class="numbers">
        {parts.map(([name, part]) => (
          <NumberField key={name} label={name} json={part} onSet={(json) => onSet({ ...item, [name]: json })} />
        ))}
      </div>
      {parts.some(([, part]) => Number(part) > 1) && (
        <p class="quiet">
          The parts of a colour go from 0 to 1.{" "}
          <button type="button" class="link" onClick={() => void onSet(Object.fromEntries(parts.map(([name, part]) => [name, name === "a" ? part : Number((Number(part) / 255).toFixed(4))])))}>
            Divide by 255
          </button>
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  readonly label: string;
  readonly json: Json;
  readonly type: string;
  readonly onSet: OnSet;
}

export function Choice({ label, items, now, onSet }: { readonly label: string; readonly items: readonly (readonly [string, number])[]; readonly now: number; readonly onSet: OnSet }): JSX.Element {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={String(now)} onChange={(event) => void onSet(Number(event.currentTarget.value))}>
        {!items.some(([, number]) => number === now) && <option value={String(now)}>{now}</option>}
        {items.map(([name, number]) => (
          <option key={name} value={String(number)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function TextField({ label, json, onSet }: { readonly label: string; readonly json: string; readonly onSet: OnSet }): JSX.Element {
  const [text, setText] = useState(json);
  const applied = useRef(json);
  useLayoutEffect(() => {
    setText(json);
    note(null);
    applied.current = json;
  }, [json]);
  const apply = (control: TextControl): void => {
    const text = control.value;
    note(null);
    if (text === json || text === applied.current) return;
    applied.current = text;
    void onSet(text).then((error) => {
      if (error === null || control.value !== text) return;
      // it can be tried again
      note(control);
      applied.current = latest.current;
    });
  };
  const note = useTyped(apply);
  const latest = useRef(json);
  latest.current = json;
  const isLong = json.length > 48 || json.includes("\n");
  const common = {
    value: text,
    spellcheck: false,
    autocomplete: "off",
    onInput: (event: TargetedEvent<TextControl>) => {
      setText(event.currentTarget.value);
      note(event.currentTarget.value === json ? null : event.currentTarget);
    },
    onBlur: (event: TargetedEvent<TextControl>) => apply(event.currentTarget),
  };
  const onKeyDown = (event: TargetedKeyboardEvent<TextControl>): void => {
    if (event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) apply(event.currentTarget);
    if (event.key === "Escape") {
      setText(json);
      note(null);
    }
  };
  return (
    <label class={`text ${text === json ? "" : isLong ? "is-typed is-long" : "is-typed"}`}>
      <span>{label}</span>
      {isLong ? <textarea rows={4} {...common} onKeyDown={onKeyDown} /> : <input type="text" {...common} onKeyDown={onKeyDown} />}
    </label>
  );
}

/** The members of a type that are numbers of an enum, each with the enum. */
const ENUMS: Record<string, Record<string, string>> = {
  Font: { weight: "FontWeight", style: "FontStyle" },
  TweenInfo: { easing_style: "EasingStyle", easing_direction: "EasingDirection" },
};

/** The members of sets, which are numbers with a bit for each. */
const BITS: Record<string, readonly string[]> = { Faces: ["Right", "Top", "Back", "Left", "Bottom", "Front"], Axes: ["X", "Y", "Z"] };

function Members({ names, json, onSet }: { readonly names: readonly string[]; readonly json: number; readonly onSet: OnSet }): JSX.Element {
  return (
    <div class="members">
      {names.map((name, bit) => (
        <label key={name}>
          <input type="checkbox" checked={((json >>> bit) & 1) === 1} onChange={() => void onSet((json ^ (1 << bit)) >>> 0)} />
          {name}
        </label>
      ))}
    </div>
  );
}

/** The control for a value, chosen by its form; `null` if it can only be edited as text. */
function Control({ label, json, type, onSet }: ControlProps): JSX.Element | null {
  if (typeof json === "boolean") {
    return (
      <label class="switch">
        <input type="checkbox" role="switch" checked={json} onChange={(event) => void onSet(event.currentTarget.checked)} />
        <i aria-hidden="true" />
        <span>{label !== "" ? `${label}: ` : ""}{json ? "true" : "false"}</span>
      </label>
    );
  }
  if (type === "BrickColor" && typeof json === "number") return <Choice label="colour" items={brickColors()} now={json} onSet={onSet} />;
  if (BITS[type] !== undefined && typeof json === "number") return <Members names={BITS[type]} json={json} onSet={onSet} />;
  if (isNumber(json) && (typeof json === "number" || !/^(String|StringName|Json|JsonTemplate)$/.test(type))) {
    return <NumberField label={label === "" ? "value" : label} json={json} onSet={onSet} isWhole={/int/i.test(type)} />;
  }
  if (typeof json === "string") return <TextField label={label === "" ? "text" : label} json={json} onSet={onSet} />;
  if (isSequence(json)) return <Sequence points={json} onSet={onSet} />;
  if (Array.isArray(json)) {
    if (json.length === 0 || json.length > 16 || !json.every((part) => isNumber(part) || Array.isArray(part))) return null;
    const parts = (
      <fieldset>
        <legend>{label}</legend>
        <div class={`numbers ${json.length === 9 ? "is-matrix is-nine" : json.length === 3 ? "is-matrix" : ""}`}>
          {json.map((part, at) => (
            <Control key={at} label={String(at)} json={part} type="" onSet={(to) => onSet(json.with(at, to))} />
          ))}
        </div>
      </fieldset>
    );
    return isRows(json) ? (
      <Basis json={json} onSet={onSet}>
        {parts}
      </Basis>
    ) : (
      parts
    );
  }
  if (!isObject(json)) return null;
  if ("hex" in json && typeof json["hex"] === "string") {
    return json["hex"].length > 4096 ? null : <TextField label="hex" json={json["hex"]} onSet={(hex) => onSet({ hex })} />;
  }
  if ("bits" in json) return null;
  if (typeof json["id"] === "string" && ["Userdata", json["id"]].includes(type)) {
    // the id of userdata determines its members
    const { id, ...members } = json;
    return (
      <fieldset>
        <legend>{id}</legend>
        <Control label="" json={members} type={id} onSet={(to) => onSet(isObject(to) ? { id, ...to } : to)} />
      </fieldset>
    );
  }
  const names = Object.keys(json);
  if (/^Quat(ernion)?$/.test(type) && names.join() === "x,y,z,w") {
    return (
      <Quaternion json={json} onSet={onSet}>
        <Control label="parts" json={json} type="" onSet={onSet} />
      </Quaternion>
    );
  }
  if (type === "Transform2D") {
    return (
      <Transform2D json={json} onSet={onSet}>
        <Control label="" json={json} type="" onSet={onSet} />
      </Transform2D>
    );
  }
  if (names.slice(0, 3).join() === "r,g,b") return <Colour label={label} item={json} onSet={onSet} />;
  if (names.join() === "enum,value" && typeof json["enum"] === "string" && typeof json["value"] === "number") {
    const items = itemsOf(json["enum"]);
    const now = json["value"];
    if (items.length > 0) return <Choice label={`Enum.${json["enum"]}`} items={items} now={now} onSet={(value) => onSet({ ...json, value })} />;
  }
  const enums = ENUMS[type] ?? {};
  const isFlat = names.every((name) => isNumber(json[name]));
  const turned = json["rotation"];
  const setTurned: OnSet = (to) => onSet({ ...json, rotation: to });
  const inner: ComponentChildren = names.map((name) => name === "rotation" && isRotation(turned) ? (
    <Rotation key={name} json={turned} isRemote={file.value?.about.format === "roblox-remote"} onSet={setTurned}>
      {(["matrix", "quaternion"] as const).map((part) => turned[part] !== undefined && <Control key={part} label={part} json={turned[part]} type="" onSet={(to) => setTurned({ [part]: to })} />)}
    </Rotation>
  ) : enums[name] !== undefined && typeof json[name] === "number" ? (
    <Choice key={name} label={name} items={itemsOf(enums[name])} now={json[name]} onSet={(to) => onSet({ ...json, [name]: to })} />
  ) : (
    <Control key={name} label={name} json={json[name] ?? null} type="" onSet={(to) => onSet({ ...json, [name]: to })} />
  ));
  return label === "" ? (
    <div class={isFlat ? "numbers" : "group"}>{inner}</div>
  ) : (
    <fieldset>
      <legend>{label}</legend>
      <div class={isFlat ? "numbers" : "group"}>{inner}</div>
    </fieldset>
  );
}

/** The value as its engine writes it. */
function Notation({ now }: { readonly now: ValueAt }): JSX.Element {
  const [text, setText] = useState(now.text);
  const area = useRef<HTMLTextAreaElement>(null);
  const number = row.value;
  const key = `${number} ${now.path} ${now.text}`;
  // before the value is painted: an effect that runs later would discard text typed in between
  useLayoutEffect(() => {
    const draft = drafts.get(key);
    setText(draft?.text ?? now.text);
    note(draft === undefined ? null : area.current);
  }, [key]);
  const apply = (control: TextControl): void => {
    const text = control.value;
    note(null);
    if (text === now.text || number !== row.value) return;
    // until it is applied, or thrown away
    drafts.set(key, { path: now.path, text });
    void set(now.path, "text", null, text).then((error) => {
      if (error === null) drafts.delete(key);
      if (control.value !== text) return;
      if (error !== null) note(control);
      else setText(value.value?.text ?? "");
    });
  };
  const note = useTyped(apply);
  const reset = (): void => {
    drafts.delete(key);
    setText(now.text);
    note(null);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) apply(event.currentTarget);
    if (event.key === "Escape") reset();
  };
  const onInput = (event: TargetedEvent<HTMLTextAreaElement>): void => {
    setText(event.currentTarget.value);
    note(event.currentTarget.value === now.text ? null : event.currentTarget);
  };
  const isChanged = text !== now.text;
  return (
    <div class="notation">
      <label>
        <span>As {file.value?.about.notation ?? "text"}</span>
        <textarea ref={area} rows={Math.min(8, 1 + Math.ceil(text.length / 44))} value={text} spellcheck={false} readOnly={now.isCut} onInput={onInput} onKeyDown={onKeyDown} />
      </label>
      {now.isCut && <p class="quiet">Too long to be shown and changed as text.</p>}
      <div class="actions">
        <button type="button" class="primary" disabled={!isChanged || now.isCut} onClick={() => area.current !== null && apply(area.current)}>
          Apply
        </button>
        {isChanged && (
          <button type="button" onClick={reset}>
            Reset
          </button>
        )}
        <span class="spring" />
        <button type="button" class="ghost" onClick={() => void copy("The value", now.text)}>
          <Icon name="copy" /> Copy
        </button>
      </div>
    </div>
  );
}

/** Renames or removes a value of a container, and adds a value to a container. */
function Structure({ now }: { readonly now: ValueAt }): JSX.Element {
  const [key, setKey] = useState("");
  const [text, setText] = useState("");
  const isList = now.shape === "list";
  const isInner = now.path !== "";
  const keyed = isInner && !now.path.endsWith("]");
  const [name, setName] = useState("");
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text === "" || (!isList && key === "")) return;
    const step = isList ? `[${now.length ?? 0}]` : stepOf(key);
    const path = step.startsWith("[") || now.path === "" ? `${now.path}${step}` : `${now.path}.${step}`;
    if ((await set(path, "add", null, text)) === null) {
      setKey("");
      setText("");
    }
  };
  return (
    <div class="structure">
      {now.shape !== "leaf" && (
        <details open={!isInner}>
          <summary>Add a value</summary>
          <form onSubmit={(event) => void add(event)}>
            {!isList && (
              <label class="text">
                <span>key</span>
                <input type="text" value={key} spellcheck={false} onInput={(event) => setKey(event.currentTarget.value)} />
              </label>
            )}
            <label class="text">
              <span>value, as {file.value?.about.notation}</span>
              <input type="text" value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
            </label>
            <button type="submit" disabled={text === "" || (!isList && key === "")}>
              Add
            </button>
          </form>
        </details>
      )}
      {keyed && (
        <details>
          <summary>Rename</summary>
          <label class="text">
            <span>new key</span>
            <input type="text" value={name} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <button type="button" disabled={name === ""} onClick={() => void set(now.path, "rename", null, name)}>
            Rename
          </button>
        </details>
      )}
      {isInner && (
        <button type="button" class="ghost is-danger" onClick={() => void set(now.path, "remove", null, "")}>
          <Icon name="trash" /> Remove
        </button>
      )}
    </div>
  );
}

/** The type of a value. Another can be chosen, unless the place of the value determines it. */
function Type({ now }: { readonly now: ValueAt }): JSX.Element {
  const types = file.value?.about.types ?? [];
  // the type of userdata is that within
  const outer = (type: string): string => (types.includes("Userdata") && !types.includes(type) ? "Userdata" : type);
  if (!types.includes(outer(now.type))) return <span class="class">{now.type}</span>;
  return (
    <select
      class="type"
      aria-label="Type"
      title="Change the type of the value"
      value={outer(now.type)}
      disabled={isComing.value || now.isCut}
      onChange={({ currentTarget: select }) => {
        const wanted = select.value;
        void set(now.path, "text", wanted, now.text, (error) => converted(now, error)).finally(() => (select.value = outer(value.value?.type ?? now.type)));
      }}
    >
      {types.map((type) => (
        <option key={type}>{type}</option>
      ))}
    </select>
  );
}

export function Editor(): JSX.Element {
  const now = value.value;
  const [specPath, valuePath] = paths.value;
  const problem = valueProblem.value;
  const body = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    if (!wantsFocus.value || isComing.value) return;
    wantsFocus.value = false;
    const controls = ["input:not([type=color]), select, textarea", "button"].map((names) => body.current?.querySelector<HTMLElement>(names));
    controls.find((control) => control != null)?.focus();
  }, [wantsFocus.value, isComing.value]);
  return (
    <section class="pane editor" aria-label="Value" id="editor">
      <div class="pane-head">
        <h2>Value</h2>
        {now !== null && now.type !== "" && <Type now={now} />}
        <span class="spring" />
      </div>
      <div class="editor-body">
        {/* what is typed after another value was chosen is not meant for the one that is still shown */}
        <fieldset ref={body} class="whole" disabled={isComing.value}>
          {(valuePath ?? "") !== "" && (
            <button type="button" class="path" title="Copy the path, as `enginewire get` and `set` take it" onClick={() => void copy("The path", valuePath ?? "")}>
              <code>{valuePath}</code> <Icon name="copy" />
            </button>
          )}
          {now !== null && now.type !== "" && now.shape === "leaf" && (
            <div class="control" key={`${row.value} ${now.path} ${now.type}`}>
              <Control label="" json={now.json} type={now.type} onSet={(json) => set(now.path, "json", null, textOf(json), () => [textOf(respelled(json, now.json))])} />
            </div>
          )}
          {now !== null && now.text !== "" && <Notation now={now} />}
          {problem !== null && (
            <p class="banner is-bad" role="alert">
              {problem}
            </p>
          )}
          {now !== null && <Structure key={now.path} now={now} />}
          {now === null && <p class="quiet">{valuePath === null && specPath !== null ? "The value is broken: it can be changed once it is repaired." : "Choose a value to change it."}</p>}
          {showsBytes.value && specPath !== null && specPath !== "" && (
            <button type="button" class="path is-spec" title="Copy the path of the field, as the specification names it" onClick={() => void copy("The path of the field", specPath)}>
              <span class="quiet">field</span> <code>{specPath}</code> <Icon name="copy" />
            </button>
          )}
        </fieldset>
      </div>
    </section>
  );
}
