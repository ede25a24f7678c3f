"""Writes the classes that Rust defines into the stubs in a folder, below what is written by hand."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from enginewire import _enginewire

MARK = "\n# `bindings/python/gate --stubs` writes the rest.\n"


#: Methods beside those that all classes have.
MORE = {
    "matrix": "@property\ndef matrix(self) -> tuple[float, ...]: ...",
    "quaternion": "@property\ndef quaternion(self) -> tuple[float, float, float, float]: ...",
    "from_quaternion": "@staticmethod\ndef from_quaternion(position: Vector3, quaternion: Iterable[float]) -> {name}: ...",
    "from_euler": '@staticmethod\ndef from_euler(position: Vector3, x: float, y: float, z: float, order: str = "XYZ") -> {name}: ...',
    "rows": "@property\ndef rows(self) -> tuple[Vector3, Vector3, Vector3]: ...",
    "from_rows": "@staticmethod\ndef from_rows(rows: Iterable[Vector3]) -> {name}: ...",
    "from_hex": "@staticmethod\ndef from_hex(text: str) -> {name}: ...",
    "__len__": "def __len__(self) -> int: ...",
    "__getitem__": "@overload\ndef __getitem__(self, index: SupportsIndex, /) -> {item}: ...\n"
    "@overload\ndef __getitem__(self, index: slice, /) -> tuple[{item}, ...]: ...",
    "__iter__": "def __iter__(self) -> Iterator[{item}]: ...",
    "__replace__": "def __replace__(self, **changes: Any) -> Self: ...",
}


def more(of: Any) -> list[str]:
    item = "float" if "float" in of.__annotations__.values() else "int"
    found = [text.format(name=of.__name__, item=item) for name, text in MORE.items() if name in vars(of)]
    return ["    " + text.replace("\n", "\n    ") for text in found]


def stub(of: Any) -> str:
    arguments = ["cls"]
    for argument in inspect.signature(of).parameters.values():
        hint = re.sub(r"\btuple\[(.+), \.\.\.\]", r"Iterable[\1]", of.__annotations__[argument.name])
        default = "" if argument.default is argument.empty else f" = {argument.default}"
        arguments.append(f"{argument.name}: {hint}{default}")
    about = (of.__doc__ or "").replace("\n", "\n    ")
    lines = [
        "\n@final",
        f"class {of.__name__}:",
        f'    """{about}"""\n',
        f"    __match_args__: Final = {of.__match_args__!r}".replace("'", '"'),
        f"    def __new__({', '.join(arguments)}) -> Self: ...",
        *(f"    @property\n    def {name}(self) -> {hint}: ..." for name, hint in of.__annotations__.items()),
        *more(of),
    ]
    return "\n".join(lines) + "\n"


for file in Path(sys.argv[1]).glob("*.pyi"):
    module = vars(_enginewire).get(file.stem, _enginewire)
    classes = [found for found in vars(module).values() if "__annotations__" in getattr(found, "__dict__", {})]
    file.write_text(file.read_text().partition(MARK)[0] + MARK + "".join(map(stub, classes)))
