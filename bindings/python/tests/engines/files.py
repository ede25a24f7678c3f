"""Files for the tests of engines, and a hash of rows that does not depend on their order."""

import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import enginewire
import pyarrow

ROOT = pathlib.Path(__file__).parents[4]
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from models import model, value  # noqa: E402

#: How many small files there are, and the bytes of the large place among them.
COUNT = int(os.environ.get("ENGINEWIRE_ENGINE_FILES", "400"))
LARGE = int(os.environ.get("ENGINEWIRE_ENGINE_LARGE", str(4 << 20)))

#: So that there are some dozens of parts, however many files there are.
PARTITION_BYTES = COUNT * 2000


def make(folder, count=COUNT, large=LARGE):
    """Generated models, copies of the fixtures and the corpus, broken and cut files, a large place and an unreadable file."""
    chance = random.Random(7)
    known = sorted(path for path in ROOT.glob("fixtures/**/*.rbx*") if path.is_file())
    if "ENGINEWIRE_CORPUS" in os.environ:
        known += sorted(pathlib.Path(os.environ["ENGINEWIRE_CORPUS"], "roblox-models").glob("*.rbx*"))
    # a few hostile fixtures have very many rows, or rows of 100 MB, which would be most of all
    known = [path for path in known if pyarrow.table(enginewire.scan(path)).nbytes < 100_000]
    for number in range(count):
        path = folder / f"{number % 100:02}" / f"{number:05}.rbxmx"
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = chance.randrange(10)
        if kind < 2 and known:
            chosen = chance.choice(known)
            shutil.copy(chosen, path.with_suffix(chosen.suffix))
            continue
        data = model(
            [
                (
                    chance.choice(["Part", "Folder", "Model"]),
                    f"Name{chance.randrange(1000)}",
                    {
                        "Number": value(6, chance.random()),
                        "Text": value(2, chance.randbytes(chance.randrange(40)).hex().encode()),
                        "At": value(0x11, *(float(chance.randrange(100)) for _ in range(3))),
                        "Wrong": b"\x1d" if chance.randrange(50) == 0 else value(3, b"\1"),
                    },
                    ["Tag"] * chance.randrange(2),
                )
                for _ in range(chance.randrange(1, 6))
            ]
        )
        path.write_bytes(data[: chance.randrange(len(data))] if kind == 2 else data)
    (folder / "unreadable.rbxl").symlink_to("nowhere")
    filler = "x" * 20_000
    instance = ("Script", "Main", {"Order": value(6, 1.0), "Source": value(2, filler.encode())}, [])
    (folder / "00" / "large.rbxlx").write_bytes(model([instance] * (large // 27_000)))
    return folder


def run_blocks(word, folder):
    """Runs the blocks of docs/scale.md that have this word, one after another, as they stand."""
    text = (ROOT / "docs/scale.md").read_text()
    blocks = [block for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if word in block]
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return len(blocks)


class RowHash:
    """The sum of the hashes of all rows, and how many there are."""

    def __init__(self):
        self.sum = self.count = 0

    def add(self, batch):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            digest = hashlib.blake2b(repr(row).encode(), digest_size=16).digest()
            self.sum = (self.sum + int.from_bytes(digest, "big")) % 2**128
            self.count += 1
        return self

    def __eq__(self, other):
        return (self.sum, self.count) == (other.sum, other.count)

    def __repr__(self):
        return f"{self.count} rows {self.sum:032x}"


def row_hash(batches):
    found = RowHash()
    for batch in batches:
        found.add(batch)
    return found
