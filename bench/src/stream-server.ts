import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { streamedBodies } from "./streamed-bodies.js";

// A process of its own: what serving costs must not count as what reading costs.
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const path = request.url ?? "";
    const body = streamedBodies.find(([pattern]) => pattern.test(path))?.[1];
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
  });
});

server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("disconnect", () => process.exit());
