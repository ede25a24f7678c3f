"""Values as deep as a format allows, in threads with little stack: run by `test_threads.py`, since a fault is a crash.

The argument is a folder for files.
"""

import bisect
import functools
import shutil
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import enginewire
from blobs import FIXTURES
from enginewire import DecodeError, EncodeError, attributes, godot, lua, remote
from models import model

FOLDER = Path(sys.argv[1])
#: The stacks of threads, in KiB: that of no thread is much larger than what some call needs.
STACKS = [64, 128, 256, 512, 1024, 1280, 1536, 1792, 2048, 3072, 3584, 32768]

ITEM, ENTRY = lambda value: [value], lambda value: {"a": value}
TYPED = lambda value: godot.TypedArray("Array", [value])  # noqa: E731
#: The names and modules of formats, what is around a value, the innermost value, and what is around each.
FORMS = [
    ("godot-4", godot, lambda value: value, [], ITEM),
    ("godot-4", godot, lambda value: value, [], ENTRY),
    ("godot-4", godot, lambda value: value, [], lambda value: godot.Object("Node", {"a": value})),
    ("godot-4", godot, lambda value: value, TYPED([]), TYPED),
    ("roblox-attributes", attributes, ENTRY, [], ITEM),
    ("roblox-attributes", attributes, ENTRY, [], ENTRY),
    ("scrap-mechanic-lua", lua, lambda value: value, [], ITEM),
    ("scrap-mechanic-lua", lua, lambda value: value, [], ENTRY),
    ("roblox-remote", remote, lambda value: [remote.Data(None, "OnClientEvent", 0x0B6F, [value])], [], ITEM),
    ("roblox-remote", remote, lambda value: [remote.Data(None, "OnClientEvent", 0x0B6F, [value])], [], ENTRY),
]


def deepest(module, around, innermost, wrap):
    """The deepest value that the format has."""

    def nested(depth):
        return functools.reduce(lambda value, _: wrap(value), range(depth), innermost)

    def is_too_deep(depth):
        try:
            module.dumps(around(nested(depth)))
            return False
        except EncodeError as error:
            assert "nested" in str(error) and "stack" not in str(error), error
            return True

    return nested(bisect.bisect_left(range(1100), True, key=is_too_deep) - 1)


def changed_save(path, value):
    save = enginewire.Save(path)
    row = next(row for row in save if row.is_object)
    row.value = value
    save.save()
    return enginewire.Save(path)[row.table, row.rowid].value


def changed_blueprint(text, value):
    blueprint = enginewire.Blueprint.from_text(text)
    blueprint.parts[0].value = value
    return blueprint.parts[0].value


def scanned(place):
    # a stack of its own
    if find_spec("pyarrow") and threading.stack_size() > 256 << 10:
        import pyarrow

        assert pyarrow.table(enginewire.scan_bytes("a", place, ["key", "error"])).to_pylist() == [{"key": "a", "error": None}]


def deeper(module, around, inner):
    """A value with more levels than the format allows is refused, on any stack."""
    try:
        module.dumps(around([inner]))
    except EncodeError as error:
        assert "nested too deep" in str(error), error
    else:
        raise AssertionError("a value is too deep, and was written")


def calls(format, module, around, inner):
    """What is called: on any stack, and on one that has enough for the objects of Python, which may be refused on others."""
    value = around(inner)
    data = module.dumps(value)
    exact, notation = enginewire.to_json(data, format), enginewire.to_notation(data, format)
    always = [
        lambda: module.check(data),
        lambda: enginewire.inspect(data, format),
        lambda: enginewire.guess(data),
        lambda: enginewire.recover(data, format),
        lambda: enginewire.recover(data[:-1], format),
        lambda: enginewire.to_json(data, format),
        lambda: enginewire.to_notation(data, format),
        lambda: enginewire.from_json(exact),
        lambda: enginewire.from_notation(notation, format),
        lambda: deeper(module, around, inner),
    ]
    with_objects = [
        lambda: module.loads(data),
        lambda: module.loads(data, type=object),
        lambda: module.dumps(value),
        lambda: module.dumps(around(1j), default=lambda _: inner),
    ]
    if module is godot:
        frame = godot.dump_frame(value)
        always += [lambda: [*enginewire.open_file(data)], lambda: [*enginewire.open_file(frame * 2, framing="le")]]
        with_objects += [lambda: godot.dump_frame(value), lambda: [*godot.read_frames(frame * 2)]]
    if module is attributes:
        # without the count, and the key and its length
        place = model([("Part", "A", {"a": data[9:]}, [])])
        always.append(lambda: enginewire.Place(place))
        with_objects.append(lambda: enginewire.Place(place)["A"].attributes["a"])
        with_objects.append(lambda: enginewire.Place(place)["A"].attributes.update(b=inner))
        always.append(lambda: scanned(place))
    if module is lua:
        path = Path(shutil.copy(FIXTURES / "scrap-mechanic-lua/save-v28.db", FOLDER / "save.db"))
        text = (FIXTURES / "scrap-mechanic-lua/logic.blueprint.json").read_text()
        with_objects += [lambda: changed_save(path, value), lambda: changed_blueprint(text, value)]
    return always, with_objects


def work(always, with_objects):
    for call in always:
        call()
    for call in with_objects:
        try:
            call()
        except (DecodeError, EncodeError) as error:
            assert "too deep for the stack of this thread" in str(error), error
            refused.append(call)


threading.excepthook = lambda fault: failed.append(fault.exc_value)
failed, forms = [], []


def on_stack(kib, run, *arguments):
    threading.stack_size(kib << 10)
    thread = threading.Thread(target=run, args=arguments)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


on_stack(STACKS[-1], lambda: forms.extend(calls(*form[:3], deepest(*form[1:])) for form in FORMS))
for kib in STACKS:
    refused = []
    for form in forms:
        on_stack(kib, work, *form)
    assert refused or kib > 512, kib
assert not refused
print("all")
