import { agentMiddleware, tool } from "@tunic/core";
import { afterEach, describe, expect, it } from "vitest";
import { serveTools } from "../src/server.js";
import { deferred } from "./support/deferred.js";
import {
  bearer,
  begin,
  callers,
  serveHttp,
  stopServing,
  tokenOf,
  two,
} from "./support/http-served.js";
import { initialize, rawRequest } from "./support/raw-request.js";
import { answerOf, connected } from "./support/served.js";
import { stateless } from "./support/stateless-request.js";

afterEach(stopServing);

describe("authentication", () => {
  it.each([
    ["none", {}],
    ["a wrong token", { authorization: `Bearer ${tokenOf("otta")}` }],
    ["a token that is longer", { authorization: `Bearer ${tokenOf("otto")}x` }],
    ["a token that is shorter", { authorization: `Bearer ${tokenOf("otto").slice(0, -1)}` }],
    ["no token", { authorization: "Bearer " }],
    ["another scheme", { authorization: `Basic ${tokenOf("otto")}` }],
  ])("by bearer refuses %s", async (_what, headers) => {
    const url = await serveHttp(two);
    const refused = await rawRequest(url, { body: initialize, headers });
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toBe("Bearer");
  });

  it("by bearer knows who has the token", async () => {
    const url = await serveHttp(two);
    const client = await connected(url, bearer("otto"));
    expect(answerOf(await client.callTool({ name: "who" })).text).toBe("otto");
    await client.close();
  });

  it("by one bearer token", async () => {
    const url = await serveHttp({ auth: { bearer: tokenOf("only") } });
    const client = await connected(url, bearer("only"));
    expect(answerOf(await client.callTool({ name: "who" })).text).toBe("bearer");
    await client.close();
    await begin(url, bearer("only"));
    await begin(url, { authorization: `bearer ${tokenOf("only")}` });
    expect((await rawRequest(url, { body: initialize })).status).toBe(401);
  });

  it("by basic knows the user", async () => {
    const url = await serveHttp({ auth: { basic: { mara: "päss:word", otto: "other" } } });
    const basic = (text: string) => ({
      authorization: `Basic ${Buffer.from(text).toString("base64")}`,
    });
    const client = await connected(url, basic("mara:päss:word"));
    expect(answerOf(await client.callTool({ name: "who" })).text).toBe("mara");
    await client.close();
    for (const wrong of ["mara:other", "mara:", "otto:päss:word", ":", "mara"]) {
      const refused = await rawRequest(url, { body: initialize, headers: basic(wrong) });
      expect(refused.status).toBe(401);
      expect(refused.headers["www-authenticate"]).toContain("Basic");
    }
  });

  it("by a function, whose principal's roles are those of each request", async () => {
    let roles = ["admin"];
    const url = await serveHttp({
      auth: async ({ headers }) =>
        headers["x-user"] === "mara" ? { id: "mara", roles: [...roles] } : undefined,
    });
    expect((await rawRequest(url, { body: initialize })).status).toBe(401);
    const client = await connected(url, { "x-user": "mara" });
    callers.length = 0;
    await client.callTool({ name: "who" });
    roles = [];
    await client.callTool({ name: "who" });
    await client.close();
    expect(callers).toEqual([
      { id: "mara", roles: ["admin"] },
      { id: "mara", roles: [] },
    ]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("down"))],
    ["returns no principal", async () => true as never],
  ])("by a function that %s lets nobody in", async (_what, auth) => {
    const url = await serveHttp({ auth });
    const refused = await rawRequest(url, { body: initialize });
    expect(refused.status).toBe(401);
    expect(refused.body).not.toContain("down");
  });

  it("lets no call begin after the server's end, however late it says who calls", async () => {
    const goOn = deferred();
    const asked = deferred();
    const auth = async () => {
      asked.resolve();
      await goOn.promise;
      return { id: "mara" };
    };
    let runs = 0;
    const server = await serveTools(tool({ name: "go", execute: () => "gone" }), {
      transport: { http: { auth } },
      middleware: [
        agentMiddleware("counts", (_context, next) => {
          runs++;
          return next();
        }),
      ],
      onError: () => {},
    });
    const call = stateless(server.url ?? "", "tools/call", { name: "go" }).catch(() => "ended");
    await asked.promise;
    // By the time that this is refused, the call has come whole.
    expect((await rawRequest(server.url ?? "", { method: "PUT" })).status).toBe(405);
    await server.close();
    // At once: what its connection's end has not reached yet is stopped, too.
    goOn.resolve();
    expect(await call).toBe("ended");
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    expect(runs).toBe(0);
  });

  it("answers also where telling of an error fails", async () => {
    const fails = [
      () => {
        throw new Error("no logger");
      },
      () => Promise.reject(new Error("no logger")),
    ];
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on("warning", hear);
    for (const onError of fails) {
      const auth = () => Promise.reject(new Error("down"));
      await using server = await serveTools([], { transport: { http: { auth } }, onError });
      expect((await rawRequest(server.url ?? "", { body: initialize })).status).toBe(401);
    }
    await new Promise(setImmediate);
    process.off("warning", hear);
    expect(warnings.map(({ message }) => message)).toEqual(["no logger", "no logger"]);
  });

  it.each([
    [{ bearer: "short" }],
    [{ bearer: [] }],
    [{ bearer: [{ secret: tokenOf("a") }] }],
    [{ basic: {} }],
    [{ basic: { "a:b": "secret" } }],
    [{}],
  ])("cannot be %j", async (auth) => {
    await expect(serveHttp({ auth: auth as never })).rejects.toThrow(/http\.auth/);
  });

  it("never tells a secret in its errors", async () => {
    await expect(serveHttp({ auth: { bearer: "hunter2" } })).rejects.not.toThrow(/hunter2/);
  });

  it.each([
    ["two kinds", { bearer: tokenOf("mara"), basic: { mara: "secret" } }],
    ["a kind that there is not", { bearer: tokenOf("mara"), barer: "secret" }],
    [
      "one token for two people",
      {
        bearer: ["mara", "otto"].map((id) => ({ secret: tokenOf("one"), principal: { id } })),
      },
    ],
  ])("is not taken with %s", async (_what, auth) => {
    const refused = expect(serveHttp({ auth })).rejects;
    await refused.toThrow(/serveTools\(\): http\.auth/);
    await refused.not.toThrow(/xxx|secret"/);
  });
});
