// A WebSocket server that talks to Godot, in Node without other packages:
//   node godot-server.mjs [PORT]
// A client in Godot 4, where `socket` is a WebSocketPeer that is connected to ws://localhost:8080:
//   socket.put_packet(var_to_bytes({"type": "move", "to": Vector2(3, 4)}))
//   bytes_to_var(socket.get_packet())    # {"type": "moved", "to": (3, 4), "by": 1}
// PacketPeer.put_var and get_var do the same in one call.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

import { decode, DecodeError, encode } from "enginewire";

const FORMAT = { format: "godot-4" };
/** No message is longer. */
const LIMIT = 1 << 20;

/** A dictionary of Godot, whose keys are all strings, as a `Map`. */
function fields(value) {
  if (value.type !== "Dictionary" || !Array.isArray(value.value)) throw new Error("expected a Dictionary");
  return new Map(value.value.map((entry) => [entry.key.value, entry.value]));
}

const text = (value) => ({ type: "String", value });
const dictionary = (members) => ({
  type: "Dictionary",
  value: Object.entries(members).map(([key, value]) => ({ key: text(key), value })),
});

/** The answer to a message, as a value of Godot. */
function answer(bytes, client) {
  try {
    const message = fields(decode(bytes, FORMAT));
    switch (message.get("type")?.value) {
      case "move":
        return dictionary({ type: text("moved"), to: message.get("to"), by: { type: "int", value: BigInt(client) } });
      default:
        return dictionary({ type: text("error"), reason: text("unknown type of message") });
    }
  } catch (error) {
    // a broken message is the client's fault, and does not end the server
    const reason = error instanceof DecodeError ? error.report : error.message;
    return dictionary({ type: text("error"), reason: text(reason) });
  }
}

// The rest of this file implements WebSocket (RFC 6455). The package `ws` would do it too.

/** A frame of a message in one piece. */
function frame(opcode, payload) {
  const length = payload.length;
  const head = length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.alloc(length < 65536 ? 4 : 10);
  if (length >= 126) {
    head[0] = 0x80 | opcode;
    head[1] = length < 65536 ? 126 : 127;
    if (length < 65536) head.writeUInt16BE(length, 2);
    else head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** The first frame in these bytes, and what follows it; `undefined` if it is not complete. */
function unframe(bytes) {
  if (bytes.length < 2) return undefined;
  let [at, length] = [2, bytes[1] & 127];
  if (length === 126) {
    if (bytes.length < 4) return undefined;
    [at, length] = [4, bytes.readUInt16BE(2)];
  } else if (length === 127) {
    if (bytes.length < 10) return undefined;
    [at, length] = [10, Number(bytes.readBigUInt64BE(2))];
  }
  if (length > LIMIT || (bytes[1] & 128) === 0) throw new Error("a frame is too long, or has no mask");
  if (bytes.length < at + 4 + length) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + length));
  for (let i = 0; i < length; i++) payload[i] ^= mask[i & 3];
  return { opcode: bytes[0] & 15, isLast: (bytes[0] & 128) !== 0, payload, rest: bytes.subarray(at + 4 + length) };
}

let clients = 0;
const server = createServer((_, response) => response.writeHead(426).end("WebSocket only\n"));
server.on("upgrade", (request, socket) => {
  const client = ++clients;
  const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
  let bytes = Buffer.alloc(0);
  let message = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (piece) => {
    try {
      bytes = Buffer.concat([bytes, piece]);
      for (let next = unframe(bytes); next !== undefined; next = unframe(bytes)) {
        bytes = next.rest;
        if (next.opcode === 8) {
          socket.end(frame(8, Buffer.alloc(0)));
          return;
        }
        if (next.opcode === 9) socket.write(frame(10, next.payload));
        if (next.opcode > 2) continue;
        message = Buffer.concat([message, next.payload]);
        if (message.length > LIMIT) throw new Error("a message is too long");
        if (!next.isLast) continue;
        socket.write(frame(2, encode(answer(message, client), FORMAT)));
        message = Buffer.alloc(0);
      }
    } catch {
      socket.destroy();
    }
  });
});
server.listen(Number(process.argv[2] ?? 8080), () => console.log(`ws://localhost:${server.address().port}`));
