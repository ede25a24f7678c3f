#!/usr/bin/env node
/** Serves the page on localhost: `npx enginewire-page [PORT]`, in the folder around this one `npm start`. */

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const file = join(dirname(fileURLToPath(import.meta.url)), "dist/index.html");
const [given = "8080", ...more] = process.argv.slice(2);
const port = Number(given);
if (!/^\d+$/.test(given) || port > 65535 || more.length > 0) {
  const isHelp = given === "--help" || given === "-h";
  console[isHelp ? "log" : "error"]("Usage: enginewire-page [PORT]\n\nServes the page of enginewire on http://localhost:PORT; without PORT, on 8080.");
  process.exit(isHelp ? 0 : 2);
}

const server = createServer(async (request, response) => {
  // no URL parser: it throws at some of what a request may name, such as //
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path !== "/" && path !== "/index.html") return response.writeHead(404).end();
  try {
    const page = await readFile(file);
    return response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(page);
  } catch {
    return response.writeHead(503, { "content-type": "text/plain" }).end("The page is not built yet: npm run build");
  }
});
server.on("error", ({ code, message }) => {
  console.error(code === "EADDRINUSE" ? `Port ${port} is in use. Give another one, such as ${port + 1}.` : message);
  process.exit(1);
});
server.listen(port, "127.0.0.1", () => console.log(`http://localhost:${server.address().port}`));
