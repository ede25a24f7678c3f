/** The first screen: a place to drop a file, and samples to try. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import samples from "virtual:samples";
import { forget, isChange, visits } from "../kept";
import { awaited, openFiles, openKept, openSample, openText } from "../state";
import { Icon } from "./Icons";
import { OpenAs } from "./OpenAs";
import { Picker } from "./Picker";
import { Specimen } from "./Specimen";
import { kindName } from "../words";

/** The files that were open when the page was left, in other tabs, too. */
function Visits(): JSX.Element | null {
  if (visits.value.length === 0) return null;
  return (
    <section class="samples" aria-labelledby="visits-title">
      <h2 id="visits-title">Kept in this browser</h2>
      <ul class="visits">
        {visits.value.map((kept) => (
          <li key={kept.tab}>
            <button type="button" class="card" onClick={() => void openKept(kept)}>
              <b>{kept.file.name}</b>
              <span>
                {kindName(kept.file.kind)}, {kept.steps.some(isChange) ? "with your changes" : "unchanged"}, of {new Date(kept.file.time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}
              </span>
            </button>
            <button type="button" aria-label={`Forget ${kept.file.name}`} onClick={() => forget(kept)}>
              Forget
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Start(): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const pasted = useRef<HTMLTextAreaElement>(null);
  return (
    <main class="start">
      <Specimen />
      <div class="hero">
        <h1>
          Drop a file. <br />
          <em>See every byte.</em>
        </h1>
        <p class="lead">Attributes, places, packets, variants and save data of Roblox, Godot and Scrap Mechanic: read, explained, changed, and downloaded again. Nothing leaves this page.</p>
        {awaited.value !== null && (
          <p class="banner is-note" role="status">
            This link is for the file <b>{awaited.value.name}</b>, which is not in it. Open the file to see what the link shows.
          </p>
        )}
        <OpenAs />
        <div class="drop">
          <button type="button" class="primary big" onClick={() => picker.current?.click()}>
            <Icon name="open" /> Open files
          </button>
          <button type="button" onClick={() => folder.current?.click()}>
            Open a folder
          </button>
          <Picker input={picker} onFiles={(chosen) => void openFiles(chosen)} />
          <Picker input={folder} of="folder" onFiles={(chosen) => void openFiles(chosen)} />
          <span class="quiet">or drop them anywhere, or paste:</span>
          <textarea
            ref={pasted}
            rows={2}
            spellcheck={false}
            aria-label="Hex, base64, a list of bytes, a dump or a value to open"
            placeholder="hex, base64, a dump, or a value in Luau, GDScript or Lua, such as 02 00 00 00 2a 00 00 00 or Vector2(1, 2)"
            onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void openText(event.currentTarget.value)}
          />
          <button type="button" onClick={() => void openText(pasted.current?.value ?? "")}>
            Open the text
          </button>
        </div>
      </div>
      <Visits />
      <section class="samples" aria-labelledby="samples-title">
        <h2 id="samples-title">Or try one</h2>
        <div class="cards">
          {samples.map((sample) => (
            <button type="button" key={sample.id} class="card" data-sample={sample.id} onClick={() => void openSample(sample)}>
              <span class="card-kind">{kindName(sample.kind)}</span>
              <b>{sample.title}</b>
              <span>{sample.about}</span>
            </button>
          ))}
        </div>
      </section>
    </main>
  );
}
