import { effect } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import samples from "virtual:samples";
import {
  aside, busy, cancel, changeOf, changes, close, closeProblem, compareOriginal, copyLink, download, file, forgetOpen, hasList, hasUnsaved, instances, isRestored, isUnsaved, isWide, kinds, listed, notice, openDropped, openFiles, openOther, openSample, openText,
  panel, problem, reopen, savedName, showFiles, showHow, showsBytes, theme, typed, undo, unsavedListed, view, wantsBytes, type Panel, type Theme,
} from "../state";
import { kindName, reasonOf } from "../words";
import { Bytes } from "./Bytes";
import { Compare } from "./Compare";
import { Editor } from "./Editor";
import { Fields, toggleBytes } from "./Fields";
import { Files } from "./Files";
import { How, specOf } from "./How";
import { Instances } from "./Instances";
import { Keys, showsKeys } from "./Keys";
import { Icon, Mark, type IconName } from "./Icons";
import { List, size } from "./List";
import { OpenAs } from "./OpenAs";
import { Picker } from "./Picker";
import { goToSeek } from "./Seek";
import { Splitter, widths } from "./Splitter";
import { Start } from "./Start";
import { Values } from "./Values";

const STORED = "enginewire-theme";
const BYTES = "enginewire-bytes";

export function initTheme(): void {
  try {
    const stored = localStorage.getItem(STORED);
    if (stored === "light" || stored === "dark") theme.value = stored;
    const bytes = localStorage.getItem(BYTES);
    if (bytes !== null) wantsBytes.value = bytes === "true";
  } catch {
    // a page may not store anything
  }
  effect(() => {
    const wants = wantsBytes.value;
    try {
      if (wants !== null) localStorage.setItem(BYTES, String(wants));
    } catch {
      // see above
    }
  });
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

interface ToolProps {
  readonly icon: IconName;
  /** The label in the menu, and for who cannot see the icon. */
  readonly label: string;
  /** The label where there is room. */
  readonly short: string;
  readonly title?: string;
  /** True if it has its label on screens of usual width, too. */
  readonly isCommon?: boolean;
  readonly onClick: () => void;
}

/** A button of the header. */
function Tool({ icon, label, short, title, isCommon, onClick }: ToolProps): JSX.Element {
  return (
    <button type="button" class="ghost" aria-label={label} title={title ?? label} onClick={onClick}>
      <Icon name={icon} /> <span class="in-menu">{label}</span>
      <span class={`roomy ${isCommon === true ? "is-common" : ""}`}>{short}</span>
    </button>
  );
}

function ThemeButton(): JSX.Element {
  const isDark = theme.value === "dark" || (theme.value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const next: Theme = isDark ? "light" : "dark";
  return <Tool icon={isDark ? "sun" : "moon"} label={`Use ${next} colours`} short={isDark ? "Light" : "Dark"} onClick={() => (theme.value = next)} />;
}

/** Buttons that move to a menu where the header has no room for them. */
function More({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const outside = (event: Event): void => {
      if (box.current?.contains(event.target as Node) !== true) setOpen(false);
    };
    const keys = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    document.addEventListener("keydown", keys);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
      document.removeEventListener("keydown", keys);
    };
  }, [isOpen]);
  const onItem = (): void => {
    if (!isOpen) return;
    setOpen(false);
    // the button that was pressed is hidden with the menu
    button.current?.focus();
  };
  return (
    <div class={`more ${isOpen ? "is-open" : ""}`} ref={box}>
      <button ref={button} type="button" class="ghost more-button" aria-label="More" title="More" aria-expanded={isOpen} aria-controls="more" onClick={() => setOpen(!isOpen)}>
        <Icon name="more" />
      </button>
      <div class="more-items" id="more" onClick={onItem}>
        {children}
      </div>
    </div>
  );
}

/** The format of the file, the reason for it, and the other formats that it may have. */
function Kind(): JSX.Element | null {
  const now = file.value;
  if (now === null) return null;
  const guess = now.guesses.find((guess) => guess.kind === now.kind);
  const alternatives = now.guesses.filter((guess, at, all) => guess.kind !== now.kind && all.findIndex((other) => other.kind === guess.kind) === at);
  const written = now.layers !== "" ? ` Inside ${now.layers}.` : now.input === "raw" ? "" : ` Written as ${now.input}.`;
  const reason = reasonOf(guess);
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
            <option value={now.kind}>{kindName(now.kind)}</option>
            {alternatives.map((guess) => (
              <option key={guess.kind} value={guess.kind}>
                {kindName(guess.kind)} ({guess.confidence})
              </option>
            ))}
          </optgroup>
          <optgroup label="All formats">
            {kinds.value
              .filter((kind) => kind.kind !== now.kind && !alternatives.some((guess) => guess.kind === kind.kind))
              .map((kind) => (
                <option key={kind.kind} value={kind.kind}>
                  {kindName(kind.kind)}
                </option>
              ))}
          </optgroup>
        </select>
      </label>
      <span class="reason" title={`${guess?.reason ?? reason}.${written}`}>
        {reason}.{written}
        {alternatives.length > 0 && ` Also ${alternatives[0]?.confidence}: ${alternatives.map((guess) => kindName(guess.kind)).slice(0, 2).join(", ")}.`}
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
    const found = specOf(format);
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
        <div class={`file ${changed > 0 ? "is-changed" : ""}`}>
          <b title={now.name}>{now.name}</b>
          <span class="file-about">
            <span class="quiet">{size(now.size)}</span>
            {listed.value.length > 0 && (
              <button type="button" class="chip" title="All files that are open" onClick={showFiles}>
                {listed.value.length.toLocaleString("en")} files
              </button>
            )}
            {changed > 0 && (
              <button type="button" class="chip is-changed" title="Compare with the file as it was opened" onClick={() => void compareOriginal()}>
                {changed === 1 ? "changed" : `${changed} changed`}
              </button>
            )}
          </span>
        </div>
      )}
      <Kind />
      <span class="spring" />
      <div class="tools" role="toolbar" aria-label="File">
        {now !== null && (
          <>
            <button type="button" class="ghost" disabled={canUndo === null} aria-label="Undo" title={canUndo === null ? "Undo" : `Undo: ${changeOf(canUndo)} (Ctrl+Z)`} onClick={() => void undo(false)}>
              <Icon name="undo" /> <span class="roomy">Undo</span>
            </button>
            <button type="button" class="ghost" disabled={canRedo === null} aria-label="Redo" title={canRedo === null ? "Redo" : `Redo: ${changeOf(canRedo)} (Ctrl+Y)`} onClick={() => void undo(true)}>
              <Icon name="redo" /> <span class="roomy">Redo</span>
            </button>
          </>
        )}
        <More>
          {now !== null && (
            <>
              <Tool icon="link" label="Share by a link" short="Share" isCommon title="Copy a link to this: a small file goes along in it, with your changes" onClick={() => void copyLink()} />
              <Tool icon="compare" label="Compare with another file" short="Compare" isCommon onClick={() => otherPicker.current?.click()} />
            </>
          )}
          <Tool icon="book" label="How it works" short="How it works" onClick={how} />
          <Tool icon="keys" label="Keys" short="Keys" title="Keys (?)" onClick={() => (showsKeys.value = true)} />
          <ThemeButton />
        </More>
        <button type="button" class="ghost" aria-label="Open a file" title="Open a file (Ctrl+O)" onClick={() => picker.current?.click()}>
          <Icon name="open" /> <span class="roomy">Open</span>
        </button>
        {now !== null && (
          <button type="button" class={`download ${isUnsaved.value ? "primary" : "ghost"}`} aria-label="Download" title={`Download ${savedName()} (Ctrl+S)`} onClick={() => void download()}>
            <Icon name="download" /> <span class="wide-only">Download</span>
          </button>
        )}
      </div>
      <Picker input={picker} id="picker" onFiles={(chosen) => void openFiles(chosen)} />
      <Picker input={otherPicker} id="other-picker" of="file" onFiles={([chosen]) => chosen !== undefined && void openOther(chosen)} />
    </header>
  );
}

/** On a narrow screen, one part at a time. */
function Tabs(): JSX.Element {
  // the specification takes the place of the list
  const first: readonly (readonly [Panel, string])[] = view.value === "how" ? [["list", "How it works"]] : hasList.value ? [["list", "List"]] : [];
  const parts: readonly (readonly [Panel, string])[] = showsBytes.value ? [["fields", "Layout"], ["bytes", "Bytes"]] : [["fields", "Values"]];
  const tabs: readonly (readonly [Panel, string])[] = [...first, ...parts, ["value", "Value"]];
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
    const shown = notice.value;
    if (shown === null) return undefined;
    // a longer one takes longer to read
    const timer = setTimeout(() => notice.value === shown && (notice.value = null), Math.max(2500, 70 * shown.length));
    return () => clearTimeout(timer);
  }, [notice.value]);
  return (
    <>
      {problem.value !== null && (
        <div class="message is-bad" role="alert">
          <Icon name="alert" />
          <span>
            {problem.value}
            {(file.value !== null || view.value === "files") && <OpenAs />}
          </span>
          <button type="button" class="ghost" aria-label="Close the message" onClick={closeProblem}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {isRestored.value && problem.value === null && notice.value === null && (
        <div class="message" role="status">
          <span>{file.value?.name} is open again{changes.value.changed > 0 ? ", with your changes" : ""}: this browser has kept it.</span>
          <button type="button" onClick={forgetOpen}>
            Delete the kept copy
          </button>
          <button type="button" class="ghost" aria-label="Close the message" onClick={() => (isRestored.value = false)}>
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

function BusyDialog(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // what had the focus before has it again
    return () => element?.close();
  }, []);
  const onEscape = (event: Event): void => {
    event.preventDefault();
    cancel();
  };
  return (
    <dialog ref={dialog} class="busy" aria-label="Working" onCancel={onEscape}>
      <div class="busy-box">
        <div class="bar" role="progressbar" aria-label="Progress" aria-valuetext={busy.value ?? ""} />
        <p aria-live="polite">{busy.value}</p>
        <button type="button" onClick={cancel} autofocus>
          Cancel
        </button>
      </div>
    </dialog>
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
  return isBusy && isShown ? <BusyDialog /> : null;
}

/** True if an element has text that was typed and not applied yet. The browser undoes such typing. */
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
      const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
      void openDropped(entries, [...(event.dataTransfer?.files ?? [])]);
    };
    const paste = (event: ClipboardEvent): void => {
      if ((event.target as Element).closest("input, textarea") !== null) return;
      const pasted = event.clipboardData?.files[0];
      if (pasted !== undefined) void openFiles([pasted]);
      else if (event.clipboardData?.getData("text")) void openText(event.clipboardData.getData("text"));
    };
    const keys = (event: KeyboardEvent): void => {
      if (busy.value !== null) return;
      if (event.key === "?" && (event.target as Element).closest("input, textarea, select") === null) {
        event.preventDefault();
        showsKeys.value = true;
      }
      if (!(event.ctrlKey || event.metaKey)) return;
      const inText = hasTyped(event.target as Element);
      const key = event.key.toLowerCase();
      if (key === "s" && file.value !== null) void download();
      else if (key === "o") document.getElementById("picker")?.click();
      else if (key === "k" && view.value === "files") document.querySelector<HTMLElement>(".files .search input")?.focus();
      else if (key === "k" && hasList.value) {
        panel.value = "list";
        document.querySelector<HTMLElement>(".search input")?.focus();
      } else if (key === "k" && file.value !== null) {
        goToSeek();
      } else if (key === "b" && file.value !== null) toggleBytes();
      else if (key === "z" && !inText && file.value !== null) void undo(event.shiftKey);
      else if (key === "y" && !inText && file.value !== null) void undo(true);
      else return;
      event.preventDefault();
    };
    const leaving = (event: BeforeUnloadEvent): void => {
      if (hasUnsaved() || aside.value?.isUnsaved === true || unsavedListed().length > 0) event.preventDefault();
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
  const classes = ["workspace", `shows-${panel.value}`];
  if (hasList.value || isHow) classes.push("has-list");
  if (isHow) classes.push("has-how");
  if (showsBytes.value) classes.push(isWide.value ? "has-both" : "has-bytes");
  return (
    <div class={`app ${file.value === null && view.value !== "files" ? "is-start" : ""}`}>
      <Header />
      {view.value === "files" ? (
        <Files />
      ) : file.value === null ? (
        <Start />
      ) : view.value === "compare" ? (
        <Compare />
      ) : (
        <main class={classes.join(" ")} style={Object.fromEntries(Object.entries(widths.value).map(([name, width]) => [`--${name}`, `${width}rem`]))}>
          <h1 class="sr-only">{file.value.name}</h1>
          {isHow ? <How /> : instances.value !== null ? <Instances tree={instances.value} /> : hasList.value && <List />}
          {(hasList.value || isHow) && <Splitter name="list" label="Width of the list" />}
          {(!showsBytes.value || isWide.value) && <Values />}
          {showsBytes.value && <Fields />}
          <Splitter name="side" label="Width of the value" />
          <div class="right">
            <Editor />
            {showsBytes.value && <Bytes />}
          </div>
        </main>
      )}
      {file.value !== null && view.value !== "compare" && view.value !== "files" && <Tabs />}
      <Messages />
      <Busy />
      <Keys />
      {isOver && (
        <div class="over" aria-hidden="true">
          Drop it
        </div>
      )}
    </div>
  );
}
