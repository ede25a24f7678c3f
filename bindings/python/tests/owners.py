"""Arrays that view memory, which then changes or is given back: run by `test_arrays.py`, since a fault is a crash.

Arrays are those of numpy if the argument is `numpy`, otherwise memoryviews.
"""

import array
import ctypes
import itertools
import mmap
import sys
import tempfile
from multiprocessing.shared_memory import SharedMemory
from pickle import PickleBuffer

if sys.argv[1] == "numpy":
    import numpy
else:
    numpy = sys.modules["numpy"] = None

from enginewire import godot

BLOB = godot.dumps({"ints": array.array("i", range(1001)), "bytes": b"12345678", "empty": array.array("d"), "": [1]})
EXPECTED = {"ints": [*range(1001)], "bytes": [*b"12345678"], "empty": [], "": [1]}
assert len(BLOB) % 8 == 0

#: How one looks at the memory of an object.
VIEWS = {
    "itself": lambda one: one,
    "view": memoryview,
    "slice": lambda one: memoryview(one)[:],
    "words": lambda one: memoryview(memoryview(one).cast("B")).cast("i"),
    "table": lambda one: memoryview(one).cast("B").cast("i", (2, len(BLOB) // 8)),
    "pickled": PickleBuffer,
    "read-only": lambda one: memoryview(one).toreadonly(),
    "pickled read-only": lambda one: PickleBuffer(memoryview(one).toreadonly()),
}


def listed(value):
    return {key: item.tolist() if key else item for key, item in value.items()}


def loaded(buffer, is_view=None):
    value = godot.loads(buffer)
    assert listed(value) == EXPECTED, buffer
    for key in ["ints", "bytes", "empty"]:
        assert memoryview(value[key]).readonly, buffer
        if numpy and is_view is not None and value[key].size:
            assert numpy.shares_memory(value[key], numpy.frombuffer(buffer, "u1")) == is_view, buffer
    return value


def is_refused(change):
    try:
        change()
    except BufferError:
        return True
    return False


def copied(buffer, change):
    """Memory that others can write to is copied, so that it may change."""
    value = loaded(buffer)
    if isinstance(buffer, (memoryview, PickleBuffer)):
        buffer.release()
    del buffer
    assert not is_refused(change)
    garbage = [b"\xff" * size for size in (8, 64, 1000, len(BLOB), 100_000)]
    assert listed(value) == EXPECTED and garbage


def filled(owner):
    ctypes.memset((ctypes.c_char * len(BLOB)).from_buffer(owner), 255, len(BLOB))


def grown(owner, item):
    owner.extend([item] * 100_000)
    del owner[:]


file = tempfile.TemporaryFile()


def mapped(access):
    file.seek(0)
    file.write(BLOB)
    file.flush()
    return mmap.mmap(file.fileno(), len(BLOB), access=access)


for view in VIEWS.values():
    # bytes, and what refers to them goes
    buffer = view(BLOB)
    value = loaded(buffer, is_view=True)
    if buffer is not BLOB:
        buffer.release()
    assert listed(value) == EXPECTED
    # a mapping that is read-only: it does not close under any of its arrays
    owner = mapped(mmap.ACCESS_READ)
    value = loaded(buffer := view(owner), is_view=True)
    if buffer is not owner:
        buffer.release()
    for key in ["", "ints", "bytes", "empty"]:
        assert is_refused(owner.close)
        assert value.pop(key) is not None
    owner.close()
    # its arrays outlive its name
    value = loaded(view(mapped(mmap.ACCESS_READ)))
    assert listed(value) == EXPECTED
    # other mappings, and shared memory
    for access in (mmap.ACCESS_WRITE, mmap.ACCESS_COPY):
        owner = mapped(access)
        copied(view(owner), lambda: filled(owner))
        owner = mapped(access)
        copied(view(owner), owner.close) if view is not VIEWS["itself"] else owner.close()
    memory = SharedMemory(create=True, size=len(BLOB))
    memory.buf[: len(BLOB)] = BLOB
    copied(view(memory.buf[: len(BLOB)]), memory.close)
    memory.unlink()
    copied(view(owner := bytearray(BLOB)), lambda: grown(owner, 255))
    for code in sorted({*array.typecodes} - {"u", "w"} if view in (VIEWS["words"], VIEWS["table"]) else array.typecodes):
        owner = array.array(code)
        owner.frombytes(BLOB)
        copied(view(owner), lambda: grown(owner, owner[0]))
    for kind in (ctypes.c_char, ctypes.c_ubyte, ctypes.c_int, ctypes.c_int * 2, ctypes.c_double):
        owner = (kind * (len(BLOB) // ctypes.sizeof(kind))).from_buffer_copy(BLOB)
        if view not in (VIEWS["words"], VIEWS["table"]):
            copied(view(owner), lambda: filled(owner))

if numpy:
    ARRAY_VIEWS = [VIEWS["itself"], VIEWS["view"], VIEWS["pickled"], VIEWS["read-only"], lambda one: one.view(), lambda one: one[...]]

    def made(owner, dtype, shape):
        return numpy.frombuffer(owner, dtype).reshape(shape)

    def changed(owner):
        owner.flags.writeable = True
        owner.view("u1")[:] = 255

    for of in itertools.product(["u1", "i1", "i4", ">i4", "f8", "c8", "?", "S8", "V8"], [-1, (2, -1)]):
        for view in ARRAY_VIEWS:
            # of bytes, and of a mapping that is read-only
            loaded(view(made(BLOB, *of)))
            assert listed(loaded(view(made(mapped(mmap.ACCESS_READ), *of)))) == EXPECTED
            # of what can be written to, or could be, or once more
            owner = bytearray(BLOB)
            copied(view(made(owner, *of)), lambda: filled(owner))
            for part, is_writable in itertools.product([lambda one: one, lambda one: one.view()], [False, True]):
                owner = made(BLOB, *of).copy()
                shown = part(owner)
                shown.flags.writeable = is_writable
                copied(view(shown), lambda: changed(owner))
    owner = mapped(mmap.ACCESS_READ)
    value = loaded(numpy.frombuffer(owner, "i4"), is_view=True)
    assert is_refused(owner.close)
    for mode in ("r", "c", "r+"):
        mapped(mmap.ACCESS_READ)
        loaded(numpy.memmap(file, "u1", mode), is_view=mode == "r")
print("all")
