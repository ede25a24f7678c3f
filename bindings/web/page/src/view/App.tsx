import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import specs from "virtual:specs";
import samples from "virtual:samples";
import {
  busy, cancel, changes, close, closeProblem, copy, download, file, hasList, hasUnsaved, instances, kinds, linkWithFile, notice, openFile, openFiles, openOther, openSample, openText, panel, picked, problem,
  reopen, savedName, showHow, theme, typed, undo, view, type Panel, type Theme,
} from "../state";
import { Bytes } from "./Bytes";
import { Compare } from "./Compare";
import { Editor } from "./Editor";
import { Fields } from "./Fields";
import { How } from "./How";
import { Instances } from "./Instances";
import { Icon, Mark } from "./Icons";
import { List, size } from "./List";
import { OpenAs } from "./OpenAs";
import { Start } from "./Start";

const STORED = "enginewire-theme";

export function initTheme(): void {
  try {
    const stored = localStorage.getItem(STORED);
    if (stored === "light" || stored === "dark") theme.value = stored;
  } catch {
    // a page may not store anything
  }
  effect(() => {
    const now = theme.value;
    if (now === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = now;
    try {
      if (now === "auto") localStorage.removeItem(STORED);
      else localStorage.setItem(STORED, now);
    } catch {
      // see above
    }
  });
}

function ThemeButton(): JSX.Element {
  const isDark = theme.value === "dark" || (theme.value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const next: Theme = isDark ? "light" : "dark";
  return (
    <button type="button" class="ghost" aria-label={`Use ${next} colours`} title={`Use ${next} colours`} onClick={() => (theme.value = next)}>
      <Icon name={isDark ? "sun" : "moon"} />
    </button>
  );
}

/** What the file was opened as, why, and what else it may be. */
function Kind(): JSX.Element | null {
  const now = file.value;
  if (now === null) return null;
  const guess = now.guesses.find((guess) => guess.kind === now.kind);
  const alternatives = now.guesses.filter((guess, at, all) => guess.kind !== now.kind && all.findIndex((other) => other.kind === guess.kind) === at);
  const written = now.input === "raw" ? "" : ` Written as ${now.input}.`;
  const reason = guess === undefined ? "chosen by hand" : `${guess.confidence}: ${guess.reason}`;
  return (
    <div class="kind">
      <label>
        <span class="sr-only">Format</span>
        <select
          value={now.kind}
          onChange={(event) => {
            const select = event.currentTarget;
            // if it was not opened so, it is still what it was
            void reopen(select.value).finally(() => (select.value = file.value?.kind ?? now.kind));
          }}
        >
          <optgroup label="The bytes may be">
            <option value={now.kind}>{now.kind}</option>
            {alternatives.map((guess) => (
              <option key={guess.kind} value={guess.kind}>
                {guess.kind} ({guess.confidence})
              </option>
            ))}
          </optgroup>
          <optgroup label="All formats">
            {kinds.value
              .filter((kind) => kind.kind !== now.kind && !alternatives.some((guess) => guess.kind === kind.kind))
              .map((kind) => (
                <option key={kind.kind} value={kind.kind}>
                  {kind.kind}
                </option>
              ))}
          </optgroup>
        </select>
      </label>
      <span class="reason" title={`${reason}.${written}`}>
        {reason}.{written}
        {alternatives.length > 0 && ` Also ${alternatives[0]?.confidence}: ${alternatives.map((guess) => guess.kind).slice(0, 2).join(", ")}.`}
      </span>
    </div>
  );
}

function Header(): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  const otherPicker = useRef<HTMLInputElement>(null);
  const now = file.value;
  const { undo: canUndo, redo: canRedo, changed } = changes.value;
  const how = (): void => {
    const format = now?.about.format ?? "";
    const found = specs.find((spec) => format.startsWith(spec.id.slice(0, 6))) ?? specs[0];
    if (found === undefined) return;
    const sample = samples.find((sample) => sample.id === found.sample);
    if (now !== null || sample === undefined) showHow(found.id);
    else void openSample(sample).then(() => showHow(found.id));
  };
  return (
    <header class={now === null ? "" : "has-file"}>
      <button type="button" class="brand" aria-label="enginewire: back to the start" onClick={close}>
        <Mark />
        <span>enginewire</span>
      </button>
      {now !== null && (
        <div class="file">
          <b title={now.name}>{now.name}</b>
          <span class="quiet">{size(now.size)}</span>
          {changed > 0 && <span class="chip is-changed">{changed === 1 ? "changed" : `${changed} changed`}</span>}
        </div>
      )}
      <Kind />
      <span class="spring" />
      <div class="tools" role="toolbar" aria-label="File">
        {now !== null && (
          <>
            <button type="button" class="ghost" disabled={canUndo === null} aria-label="Undo" title={canUndo === null ? "Undo" : `Undo: ${canUndo}`} onClick={() => void undo(false)}>
              <Icon name="undo" />
            </button>
            <button type="button" class="ghost" disabled={canRedo === null} aria-label="Redo" title={canRedo === null ? "Redo" : `Redo: ${canRedo}`} onClick={() => void undo(true)}>
              <Icon name="redo" />
            </button>
            <button type="button" class="ghost" aria-label="Copy a link to this" title="Copy a link to this: small files go along in it" onClick={() => void linkWithFile().then((address) => copy("The link", address))}>
              <Icon name="link" />
            </button>
            <button type="button" class="ghost wide-only" aria-label="Compare with another file" title="Compare with another file" onClick={() => otherPicker.current?.click()}>
              <Icon name="compare" />
            </button>
          </>
        )}
        <button type="button" class="ghost wide-only" aria-label="How it works" title="How it works" onClick={how}>
          <Icon name="book" />
        </button>
        <ThemeButton />
        <button type="button" class="ghost" aria-label="Open a file" title="Open a file" onClick={() => picker.current?.click()}>
          <Icon name="open" />
        </button>
        {now !== null && (
          <button type="button" class="primary" title={`Download ${savedName()}`} onClick={() => void download()}>
            <Icon name="download" /> <span class="wide-only">Download</span>
          </button>
        )}
      </div>
      <input ref={picker} id="picker" type="file" hidden onChange={(event) => picked(event.currentTarget, openFile)} />
      <input ref={otherPicker} id="other-picker" type="file" hidden onChange={(event) => picked(event.currentTarget, openOther)} />
    </header>
  );
}

/** On a narrow screen, one part at a time. */
function Tabs(): JSX.Element {
  const tabs: readonly (readonly [Panel, string])[] = [...(hasList.value ? [["list", "List"] as const] : []), ["fields", "Fields"], ["bytes", "Bytes"], ["value", "Value"]];
  return (
    <nav class="tabs" aria-label="Parts of the page">
      {tabs.map(([name, label]) => (
        <button type="button" key={name} aria-current={panel.value === name ? "page" : undefined} onClick={() => (panel.value = name)}>
          {label}
        </button>
      ))}
    </nav>
  );
}

function Messages(): JSX.Element {
  useEffect(() => {
    if (notice.value === null) return undefined;
    const timer = setTimeout(() => (notice.value = null), 2500);
    return () => clearTimeout(timer);
  }, [notice.value]);
  return (
    <>
      {problem.value !== null && (
        <div class="message is-bad" role="alert">
          <Icon name="alert" />
          <span>
            {problem.value}
            {file.value !== null && <OpenAs />}
          </span>
          <button type="button" class="ghost" aria-label="Close the message" onClick={closeProblem}>
            <Icon name="close" />
          </button>
        </div>
      )}
      <div class={`message is-notice ${notice.value === null ? "is-gone" : ""}`} role="status">
        {notice.value}
      </div>
    </>
  );
}

function Busy(): JSX.Element | null {
  const [isShown, setShown] = useState(false);
  const isBusy = busy.value !== null;
  useEffect(() => {
    if (!isBusy) return setShown(false);
    // what is quick shows nothing
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, [isBusy]);
  if (!isBusy || !isShown) return null;
  return (
    <div class="busy" role="dialog" aria-modal="true" aria-label="Working">
      <div class="busy-box">
        <div class="bar" role="progressbar" aria-label="Progress" aria-valuetext={busy.value ?? ""} />
        <p aria-live="polite">{busy.value}</p>
        <button type="button" onClick={cancel} autofocus>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** Whether an element has text that was typed and not applied yet, of which typing is undone by the browser. */
function hasTyped(element: Element): boolean {
  const field = element.closest<HTMLInputElement | HTMLTextAreaElement>("input:not([type=checkbox], [type=color]), textarea");
  if (field === null) return false;
  // the controls of a value show what it is; others have text only until it is used
  if (field.closest(".control, .notation") !== null) return [...typed].some(({ control }) => control === field);
  return field.type === "search" || field.value !== "";
}

export function App(): JSX.Element {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent): void => {
      if (!isFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!isFile(event)) return;
      event.preventDefault();
      setOver(false);
      void openFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const paste = (event: ClipboardEvent): void => {
      if ((event.target as Element).closest("input, textarea") !== null) return;
      const pasted = event.clipboardData?.files[0];
      if (pasted !== undefined) void openFile(pasted);
      else if (event.clipboardData?.getData("text")) void openText(event.clipboardData.getData("text"));
    };
    const keys = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey)) return;
      const inText = hasTyped(event.target as Element);
      const key = event.key.toLowerCase();
      if (key === "s" && file.value !== null) void download();
      else if (key === "z" && !inText && file.value !== null) void undo(event.shiftKey);
      else if (key === "y" && !inText && file.value !== null) void undo(true);
      else return;
      event.preventDefault();
    };
    const leaving = (event: BeforeUnloadEvent): void => {
      if (hasUnsaved()) event.preventDefault();
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    document.addEventListener("keydown", keys);
    addEventListener("beforeunload", leaving);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
      document.removeEventListener("keydown", keys);
      removeEventListener("beforeunload", leaving);
    };
  }, []);
  const isHow = view.value === "how";
  return (
    <div class={`app ${file.value === null ? "is-start" : ""}`}>
      <Header />
      {file.value === null ? (
        <Start />
      ) : view.value === "compare" ? (
        <Compare />
      ) : (
        <main class={`workspace ${hasList.value || isHow ? "has-list" : ""} ${isHow ? "has-how" : ""} shows-${panel.value}`} >
          <h1 class="sr-only">{file.value.name}</h1>
          {isHow ? <How /> : instances.value !== null ? <Instances tree={instances.value} /> : hasList.value && <List />}
          <Fields />
          <div class="right">
            <Editor />
            <Bytes />
          </div>
        </main>
      )}
      {file.value !== null && view.value !== "compare" && <Tabs />}
      <Messages />
      <Busy />
      {isOver && (
        <div class="over" aria-hidden="true">
          Drop it
        </div>
      )}
    </div>
  );
}
