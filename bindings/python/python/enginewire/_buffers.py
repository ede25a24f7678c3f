"""The owner of the memory that a buffer shows, and whether others can write to it."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

try:
    from mmap import mmap
except ImportError:  # on WebAssembly
    mmap = bytes  # type: ignore[misc, assignment]


def fixed(buffer: Any) -> memoryview | bytes:
    """The bytes of a buffer, as nobody in this process can change them: a view if its owner is `bytes` or a mapping that is read-only,
    otherwise a copy.

    That the buffer itself is read-only is not enough, because its owner may not be. What other owners say holds only for now: an
    array can be made writable again, and shows memory that others write to.
    """
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(f"expected an object with a buffer, such as bytes, found {type(buffer).__name__}") from None
    owner: Any = view
    arrays = getattr(sys.modules.get("numpy"), "ndarray", memoryview)
    while isinstance(owner, (memoryview, arrays)):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    if isinstance(owner, bytes) or isinstance(owner, mmap) and memoryview(owner).readonly:
        with suppress(TypeError):  # it is in pieces
            return view.cast("B")
    return view.tobytes()
