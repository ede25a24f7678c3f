"""Roblox model and place files."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSet
from pathlib import Path
from typing import Any, Self, cast

from . import _atomic
from ._enginewire import Model, nearest
from ._errors import DecodeError, EncodeError
from ._inspect import guess
from ._kept import check_names, kept
from ._mapping import Entries

Text = str | bytes


class Attributes(MutableMapping[Text, Any]):
    """The attributes of an instance. A change is in the file once the `Place` is saved; other attributes keep their bytes.

    An `int` becomes a number, as in Studio. A number keeps the type of the one that is there, also in lists and dictionaries:
    `EncodeError` if it does not fit. `Double`, `Float` and `Int` are of the type that they name. `EncodeError` also if a list or a dict is set
    over a structure like a `Color3`, or Roblox does not allow a new name or value.

    Several attributes with one key are removed together, and not set: readers do not agree on the one that counts.
    """

    __slots__ = ("_index", "_place")

    def __init__(self, place: Place, index: int) -> None:
        self._place = place
        self._index = index

    @property
    def _model(self) -> Model:
        return self._place._model

    # the model keeps what it decodes, so that many keys are read in the time of one
    def _all(self) -> dict[Text, Any] | Entries:
        return self._model.attributes(self._index)

    def __getitem__(self, key: Text) -> Any:
        missing = object()
        value = self._all().get(key, missing)
        if value is missing:
            raise KeyError(key)
        # a change of a list or a dict would be in later values, but not in the file
        return copy.deepcopy(cast(Any, value)) if isinstance(value, (list, dict, Entries)) else value

    def __setitem__(self, key: Text, value: Any) -> None:
        self.update({key: value})

    def update(self, *others: Any, any_key: bool = False, any_type: bool = False, **named: Any) -> None:
        """Sets several attributes: all of them or none. With `any_key`, new names may be ones that Roblox does not allow; with `any_type`,
        new values may be ones that no script can set, such as lists and dicts."""
        items: dict[Any, Any] = {}
        items.update(*others, **named)
        old = self._all()
        check_names(old, map(_text, items), any_key)
        self._model.update(self._index, [(key, self._kept(old, key, value)) for key, value in items.items()], any_type)

    @staticmethod
    def _kept(old: Mapping[Text, Any], key: Text, value: Any) -> Any:
        before = old.get(_text(key))
        try:
            if isinstance(old, Entries) and list(old).count(_text(key)) > 1 and before != value:
                raise EncodeError(
                    "several attributes have this key, and readers do not agree on the one that counts; del removes them all, and"
                    " replace(Entries([…])) gives the instance other attributes"
                )
            return kept(before, value, "roblox-attributes")
        except EncodeError as error:
            error._within(f"[{key!r}]", value)
            raise

    def __delitem__(self, key: Text) -> None:
        if not self._model.remove_attribute(self._index, key):
            raise KeyError(key)

    def __iter__(self) -> Iterator[Text]:
        # a key of `Entries` may repeat
        return iter(dict.fromkeys(self._all()))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def replace(self, attributes: Mapping[Text, Any] | Entries, *, any_key: bool = False, any_type: bool = False) -> None:
        """Makes these the attributes of the instance, and no others. They do not keep the types of those that are there. `any_key` and
        `any_type` are those of `update`."""
        new = attributes if isinstance(attributes, Entries) else dict(attributes)
        try:
            old = self._all()
        except DecodeError:  # which are gone then
            old = {}
        check_names(old, map(_text, new), any_key)
        self._model.set_attributes(self._index, new, any_type)

    def __repr__(self) -> str:
        return f"{self._all()!r}"

    def __deepcopy__(self, memo: object) -> dict[Text, Any] | Entries:
        """The values themselves, without the place."""
        return copy.deepcopy(self._all())


def _text(key: Text) -> Text:
    """A key in the form that `loads` returns."""
    try:
        return key.decode() if isinstance(key, bytes) else key
    except UnicodeDecodeError:
        return key


class Tags(MutableSet[Text]):
    """The tags of an instance. A change is in the file once the `Place` is saved."""

    __slots__ = ("_index", "_place")

    def __init__(self, place: Place, index: int) -> None:
        self._place = place
        self._index = index

    @property
    def _model(self) -> Model:
        return self._place._model

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> set[Any]:
        return set(it)

    def __contains__(self, tag: object) -> bool:
        return tag in self._model.tags(self._index)

    def __iter__(self) -> Iterator[Text]:
        return iter(self._model.tags(self._index))

    def __len__(self) -> int:
        return len(self._model.tags(self._index))

    def add(self, value: Text) -> None:
        """Adds a tag. `ValueError` if Roblox does not allow it."""
        self._model.change_tag(self._index, value, True)

    def discard(self, value: Text) -> None:
        """Removes a tag, if it is there."""
        self._model.change_tag(self._index, value, False)

    def __repr__(self) -> str:
        return f"{self._model.tags(self._index)!r}"

    def __deepcopy__(self, memo: object) -> set[Text]:
        """The tags themselves, without the place."""
        return set(self)


class Instance:
    """An instance of a `Place`."""

    __slots__ = ("_index", "_place")

    def __init__(self, place: Place, index: int) -> None:
        self._place = place
        self._index = index

    @property
    def class_name(self) -> Text:
        """Its class: `Folder`."""
        return self._place._model.instance(self._index)[0]

    @property
    def name(self) -> Text:
        """Its name."""
        return self._place._model.instance(self._index)[1]

    @property
    def referent(self) -> int | Text:
        """The identifier of the instance within the file."""
        return self._place._model.instance(self._index)[2]

    @property
    def location(self) -> str:
        """Its place in the file, which is unique: `@0x20:3`."""
        return self._place._model.instance(self._index)[4]

    @property
    def path(self) -> Text:
        """The names from the root to it, with dots between them."""
        return self._place._model.path(self._index)

    @property
    def parent(self) -> Instance | None:
        """The instance that it is in."""
        parent = self._place._model.instance(self._index)[3]
        return None if parent is None else Instance(self._place, parent)

    @property
    def children(self) -> list[Instance]:
        """The instances that are directly in it, in the order of the file."""
        return self._place._children_of(self._index)

    @property
    def attributes(self) -> Attributes:
        """Its attributes: a mapping that can be changed."""
        return Attributes(self._place, self._index)

    @attributes.setter
    def attributes(self, attributes: Mapping[Text, Any] | Entries) -> None:
        self.attributes.replace(attributes)

    @property
    def attribute_bytes(self) -> bytes:
        """The bytes of its attributes, with the changes. `recover` gives what can be read of broken ones."""
        return self._place._model.attribute_bytes(self._index)

    @property
    def tags(self) -> Tags:
        """Its tags: a set that can be changed."""
        return Tags(self._place, self._index)

    @tags.setter
    def tags(self, tags: Iterable[Text]) -> None:
        if isinstance(tags, (str, bytes)):
            raise TypeError(f"tags is a {type(tags).__name__}; expected several of them")
        wanted = set(tags)
        for tag in set(self.tags) - wanted:
            self.tags.discard(tag)
        for tag in wanted - set(self.tags):
            self.tags.add(tag)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and other._place is self._place and other._index == self._index

    def __hash__(self) -> int:
        return hash((id(self._place), self._index))

    def __repr__(self) -> str:
        return f"<Instance {self.class_name!r} {self.path!r}>"


class Place(_atomic.NotCopied):
    """A model or place file of Roblox, binary or XML: its instances with their attributes and tags.

    >>> place = Place("fixtures/roblox-model/made.rbxm")
    >>> torch = place["Workspace.Torch.Torch"]
    >>> torch.attributes["Fuel"] = 42.0
    >>> torch.tags.add("Lamp")
    >>> torch.attributes["Fuel"]
    42.0
    >>> place.save("changed.rbxm")
    >>> [lamp.path for lamp in Place("changed.rbxm").with_tag("Lamp")]
    ['Workspace.Torch.Torch']

    It is opened by its path, its bytes, or a file opened as binary. `save` writes to the file that was opened, or a copy to another:
    completely or not at all. Whatever is not changed keeps its bytes. `problems` lists the parts that could not be read.

    A process that `os.fork` makes while another thread uses a place may wait forever for it; start processes by `spawn`.
    """

    def __init__(self, file: Any, *, max_memory: int = 256 << 20) -> None:
        self._path, data = _atomic.source(file)
        self._max_memory = max_memory
        # not of a number, which would be as many zeros
        self._load(bytes(memoryview(data)))

    def _load(self, data: bytes) -> None:
        with _atomic.naming(self._path):
            try:
                self._model = Model(data, self._max_memory)
            except DecodeError as error:
                raise _explained(error, data) from None
        self._data = data
        self._children: dict[int | None, list[int]] = {}

    def _children_of(self, parent: int | None) -> list[Instance]:
        if not self._children:
            children: dict[int | None, list[int]] = {}
            for index, found in enumerate(self._model.parents()):
                children.setdefault(found, []).append(index)
            self._children = children
        return [Instance(self, index) for index in self._children.get(parent, ())]

    @property
    def children(self) -> list[Instance]:
        """The instances that are in no other."""
        return self._children_of(None)

    def __enter__(self) -> Self:
        """For `with Place(path) as place`. The file is not open meanwhile, and what is not saved is not written at the end."""
        return self

    def __exit__(self, *_: object) -> None: ...

    @property
    def problems(self) -> list[str]:
        """The parts of the file that could not be read. Everything else is available."""
        return self._model.problems()

    @property
    def is_changed(self) -> bool:
        """True if there are changes that are not in the file that was opened."""
        return self._model.is_changed()

    def __len__(self) -> int:
        return len(self._model)

    def __iter__(self) -> Iterator[Instance]:
        """All instances, in the order of the file."""
        return (Instance(self, index) for index in range(len(self._model)))

    def find(self, path: Text) -> list[Instance]:
        """The instances with this path, such as `Workspace.Torch`; with this referent, such as `#7`; or at this location."""
        return [Instance(self, index) for index in self._model.find(path)]

    def glob(self, pattern: str) -> list[Instance]:
        """The instances whose addresses match a pattern, as in the program: `*` is any part of a name, `**` any names.

        >>> [instance.path for instance in Place("fixtures/roblox-model/made.rbxm").glob("Workspace.*.T*")]
        ['Workspace.Torch.Torch']
        """
        return [Instance(self, index) for index in self._model.glob(pattern)]

    def __getitem__(self, path: Text) -> Instance:
        """The one instance with this path. `KeyError` unless there is exactly one."""
        found = self.find(path)
        if len(found) == 1:
            return found[0]
        if not found:
            like = nearest(path, [other for each in self if isinstance(other := each.path, str)]) if isinstance(path, str) else []
            raise KeyError(_atomic.missing(f"the place has no instance {path!r}", like, self.problems))
        locations = ", ".join(instance.location for instance in found)
        raise KeyError(f"{path!r} names {len(found)} instances; use one of {locations}")

    def __contains__(self, path: object) -> bool:
        return isinstance(path, (str, bytes)) and bool(self.find(path))

    def with_tag(self, tag: Text) -> list[Instance]:
        """The instances with this tag."""
        return [Instance(self, index) for index in self._model.with_tag(tag)]

    def with_attributes(self) -> list[Instance]:
        """The instances that have attributes."""
        return [Instance(self, index) for index in self._model.with_attributes()]

    def to_bytes(self) -> bytes:
        """The file with the changes."""
        return self._model.to_bytes()

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Writes the file with the changes to `path`, or to the file that was opened: completely or not at all.

        Another `path` becomes a copy: the changes are not in the file that was opened until `save` is called without a path. A place of
        bytes is that of the first file that it is saved to. The file that was opened is not written over if another program changed it
        meanwhile: `ChangedMeanwhile`, an `OSError`.
        """
        data = self.to_bytes()
        seen = _atomic.Seen(self._path, self._data) if self._path is not None else None
        if _atomic.save("place", self._path, path, data, seen):
            self._path = self._path or Path(cast(str, path))
            self._load(data)

    def __repr__(self) -> str:
        broken = ", broken" if self.problems else ""
        return f"<Place {str(self._path or 'of bytes')!r}, {len(self)} instances{broken}>"


def _explained(error: DecodeError, data: bytes) -> DecodeError:
    """The same error; of a file of another kind, with what it is."""
    found = guess(data)[:1] if error.message == "not a Roblox model or place file" else []
    return DecodeError(f"{error.message}: {found[0].reason}", *error.args[1:]) if found else error
