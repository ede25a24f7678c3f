"""Writes the classes that Rust defines into the stubs in a folder, below what is written by hand."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from enginewire import _enginewire

MARK = "\n# `bindings/python/gate --stubs` writes the rest.\n"


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
    ]
    return "\n".join(lines) + "\n"


for file in Path(sys.argv[1]).glob("*.pyi"):
    module = vars(_enginewire).get(file.stem, _enginewire)
    classes = [found for found in vars(module).values() if "__annotations__" in getattr(found, "__dict__", {})]
    file.write_text(file.read_text().partition(MARK)[0] + MARK + "".join(map(stub, classes)))
