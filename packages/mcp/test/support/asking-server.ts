import type { RawServer } from "./raw-server.js";

/**
 * Asks with what its tool `ask` is called with, `times` times at once, and answers with what it was told;
 * `again` asks anew with each answer, and `later` has it asked when resources are listed, outside any call. For a process of its own.
 */
export function askingServer(server: RawServer): void {
  let call = 0;
  let args: Record<string, unknown> = {};
  let left = 0;
  let asked = 0;
  const answers: unknown[] = [];
  const ask = () => {
    const { method = "elicitation/create", params } = args;
    server.send({ id: `q${asked++}`, method, params });
  };
  server.on("initialize", ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "asking", version: "1" },
  }));
  server.on("resources/list", () => {
    ask();
    return { resources: [] };
  });
  server.tools({ name: "ask" }, { name: "again" }, { name: "later" }, { name: "answers" });
  server.on("tools/call", ({ name, arguments: given }, id) => {
    if (name === "answers") return server.text(JSON.stringify(answers));
    call = id;
    args = given;
    const { times = 1 } = given;
    left = name === "again" ? Number.POSITIVE_INFINITY : Number(times);
    if (name === "later") return server.text("done");
    for (let at = 0; at < Number(times); at++) ask();
    return undefined;
  });
  server.onAnswer((_id, answer) => {
    answers.push(answer);
    left -= 1;
    const { action } = (answer ?? {}) as { readonly action?: string };
    if (args["later"] !== undefined) server.say("LATE ANSWER");
    if (left === Number.POSITIVE_INFINITY && action !== "cancel" && answers.length < 500)
      return ask();
    if (left <= 0 || left === Number.POSITIVE_INFINITY) {
      server.result(call, server.text(JSON.stringify(answers)));
    }
  });
}
