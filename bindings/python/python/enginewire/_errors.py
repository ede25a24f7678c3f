"""The exceptions of the package."""

from __future__ import annotations


class DecodeError(ValueError):
    """Bytes that are not a value of the format.

    `str(error)` is the whole message. `offset` is the byte at fault, counted from 0, and `bit` the bit within it, from 0 to 7
    (only LuaObject is packed in bits). `path` names the field, such as `entries[0] "Spawn".value.cframe.rotation.id`.
    `expected` lists the values that are valid there, if the format defines them. `code` is a stable name for the kind of error:
    `truncated`, `unknown-id`, …
    """

    __module__ = "enginewire"

    def __init__(
        self, message: str, offset: int = 0, bit: int = 0, path: str = "", expected: str | None = None, code: str = "other"
    ) -> None:
        super().__init__(message, offset, bit, path, expected, code)
        self.message: str = message
        self.offset = offset
        self.bit = bit
        self.path: str = path
        self.expected = expected
        self.code = code
        # of a value of a wrong type: the places of the values around it
        self._steps: list[int] | None = None

    def __str__(self) -> str:
        return self.message


class EncodeError(ValueError):
    """An object that a format cannot hold. `path` is its location, such as `['Spawn'][2]`."""

    __module__ = "enginewire"

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message, path)
        self.message: str = message
        self.path: str = path

    #: The objects around one that is nested too deep, by `id`; of other errors, `None`.
    _around: set[int] | None = None

    def _within(self, item: str, value: object) -> None:
        """Adds the item, which is the value, to the path. What is met twice on the way contains itself."""
        if self._around is None and self.path == "…":
            self._around = set()
        if self._around is not None:
            if id(value) in self._around:
                self.message, self.path = f"containers are nested too deep: the {type(value).__name__} contains itself", ""
            elif len(self.path) > 100:
                self.path = f"{self.path[:80].rpartition('[')[0]}…"
            self._around.add(id(value))
        self.path = item + ("" if self.path[:1] in ("", "[", "…") else ".") + self.path

    def __str__(self) -> str:
        return f"{self.message}, at {self.path}" if self.path else self.message
