import { FunctionInvocationLayer, tool } from "@tunic/core";
const mode = process.argv[2];
const add = tool({ name: "add", description: "", parameters: { type: "object", properties: { a: { type: "number" } } }, execute: ({ a }) => String(a) });
let turn = 0;
const client = { metadata: { provider: "x" }, async getResponse(request: any) {
  const run = request.run; const t = turn++ % 2;
  const contents = t === 0 ? [{ type: "function_call" as const, callId: "c1", name: "add", arguments: { a: 1 } }] : [{ type: "text" as const, text: "x" }];
  return { messages: [{ id: mode === "fixed" ? "m" + t : run.newId("message"), role: "assistant" as const, contents, createdAt: 0 }] };
} };
const layer = new FunctionInvocationLayer(client);
const tools = [add];
const messages = [{ id: "u", role: "user" as const, contents: [{ type: "text" as const, text: "hi" }], createdAt: 0 }];
for (let i = 0; i < 200000; i++) { await layer.getResponse({ messages, options: { tools } }); }
