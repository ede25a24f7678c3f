"""The blobs of the repository's fixtures and of the corpus."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enginewire import remote

FIXTURES = Path(__file__).parents[3] / "fixtures"
CORPUS = Path(os.environ["ENGINEWIRE_CORPUS"]) if "ENGINEWIRE_CORPUS" in os.environ else None


@dataclass
class Blob:
    """Canonical bytes of a format."""

    name: str
    format: str
    data: bytes
    options: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.format}:{self.name}"


def _files(folder: Path, pattern: str = "*.bin") -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob(pattern)):
        if "bad" not in path.parts and "hostile" not in path.parts:
            yield str(path.relative_to(folder)), path.read_bytes()


def _of_fixtures() -> Iterator[Blob]:
    for name, data in _files(FIXTURES / "roblox-attributes"):
        yield Blob(name, "attributes", data, {})
    for name, data in _files(FIXTURES / "roblox-remote"):
        yield Blob(name, "remote", data, {})
    for name, data in _files(FIXTURES / "scrap-mechanic-lua"):
        yield Blob(name, "lua", data, {})
    for version in (3, 4):
        for name, data in _files(FIXTURES / f"godot-{version}"):
            yield Blob(name, "godot", data, {"version": version})


def _of_corpus(corpus: Path) -> Iterator[Blob]:
    for name, data in _files(corpus / "roblox-attributes"):
        yield Blob(name, "attributes", data, {})
    for name, data in _files(corpus / "scrap-mechanic-lua"):
        yield Blob(name, "lua", data, {})
    for case in json.loads((corpus / "scrap-mechanic-lua/synthetic/values.json").read_text()):
        yield Blob(case["name"], "lua", bytes.fromhex(case["hex"]), {})
    for file in ("captures.json", "captures-synthetic.json"):
        for case in json.loads((corpus / "roblox-remote" / file).read_text()):
            if case["level"] == "packet" and "document" in case:
                ids = {int(id, 16): name for id, name in case.get("events", {}).items()}
                yield Blob(case["name"], "remote", bytes.fromhex(case["hex"]), {"event_ids": {**remote.EVENT_IDS, **ids}})
    for folder, version in (("v3", 3), ("v4", 4), ("v4-double", 4)):
        for case in json.loads((corpus / "godot" / folder / "index.json").read_text())["cases"]:
            if case["canonical"]:
                data = (corpus / "godot" / folder / f"{case['name']}.bin").read_bytes()
                options: dict[str, Any] = {"version": version}
                if case.get("text") == "lossless":
                    options["any_text"] = True
                yield Blob(f"{folder}/{case['name']}", "godot", data, options)


BLOBS = [*_of_fixtures(), *(_of_corpus(CORPUS) if CORPUS else ())]
