"""A straightforward decoder of Scrap Mechanic LuaObject, such as a tool author writes in an afternoon.

`python3 lua_object.py FILE` prints the number of values and the seconds that the fastest of five runs took.
"""

import struct
import sys
import time
import uuid

HANDLES = {10021, 10022, 10023, 10024, 10025, 10027, 10028, 10030, 10031, 10032, 10036, 10037, 10038, 10039, 20002}


class Reader:
    def __init__(self, data):
        self.data = data
        self.bit = 0
        self.count = 0

    def flag(self):
        byte = self.data[self.bit >> 3]
        value = byte >> (7 - (self.bit & 7)) & 1
        self.bit += 1
        return bool(value)

    def take(self, size):
        at, shift = self.bit >> 3, self.bit & 7
        self.bit += size * 8
        if shift == 0:
            return self.data[at : at + size]
        wide = int.from_bytes(self.data[at : at + size + 1], "big")
        return (wide >> (8 - shift) & (1 << size * 8) - 1).to_bytes(size, "big")

    def read(self, layout):
        return struct.unpack(">" + layout, self.take(struct.calcsize(layout)))[0]

    def align(self):
        self.bit = (self.bit + 7) & ~7

    def string(self):
        size = self.read("I")
        self.align()
        return self.take(size)

    def value(self):
        self.count += 1
        tag = self.read("B")
        if tag == 1:
            return None
        if tag == 2:
            return self.flag()
        if tag == 3:
            return self.read("f")
        if tag in (4, 9):
            return self.string()
        if tag == 5:
            count = self.read("I")
            if self.flag():
                offset = self.read("i")
                return {offset + index: self.value() for index in range(count)}
            pairs = []
            for _ in range(count):
                key = self.value()
                pairs.append((key, self.value()))
            return pairs
        if tag == 6:
            return self.read("i")
        if tag == 7:
            return self.read("h")
        if tag == 8:
            return self.read("b")
        if tag == 11:
            return self.read("d")
        if tag == 100:
            kind = self.read("I")
            if kind == 10001:
                return uuid.UUID(bytes=self.take(16)[::-1])
            if kind == 10003:
                return tuple(self.read("f") for _ in range(3))
            if kind in (10004, 10005):
                return tuple(self.read("f") for _ in range(4))
            if kind in HANDLES:
                return (kind, self.read("I"))
            raise ValueError(f"userdata {kind}")
        raise ValueError(f"tag {tag}")

    def object(self):
        if self.take(3) != b"LUA" or self.read("I") != 1:
            raise ValueError("no LuaObject")
        value = self.value()
        self.align()
        if self.bit != len(self.data) * 8:
            raise ValueError("bytes after the end")
        return value


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    best = float("inf")
    for _ in range(5):
        reader = Reader(data)
        start = time.perf_counter()
        reader.object()
        best = min(best, time.perf_counter() - start)
    print(reader.count, best)


if __name__ == "__main__":
    main()
