"""Patterns of addresses, like those of the program."""

import re
from collections.abc import Callable

_STARS = {"*": "[^.]*", "**": ".*"}


def matching(pattern: str) -> Callable[[str], bool]:
    """Tells whether an address matches: `*` is any part of a name, which ends at a dot, and `**` any characters."""
    parts = re.split(r"(\*\*?)", pattern)
    compiled = re.compile("".join(_STARS.get(part) or re.escape(part) for part in parts), re.DOTALL)
    return lambda address: compiled.fullmatch(address) is not None
