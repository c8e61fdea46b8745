import {
  Agent,
  AgentSession,
  approve,
  type ChatClient,
  type Content,
  deny,
  type Message,
  textContent,
  tool,
} from "@tunic/core";
import { type FlowPolicy, type SecureAgentOptions, secureAgent } from "@tunic/security";

export const references = {
  find: (text: string) =>
    [...text.matchAll(/\{\\*"\$ref\\*":\\*"(v\d+[^"\\]*)\\*"\}/g)].map((m) => ({
      ref: m[1],
      hint: "",
    })),
  toArg: (ref: string) => ({ $ref: ref }),
  toolArgs: (name: string, { refs, prompt }: any) =>
    name === "inspect_variable" ? { variable: refs[0] } : { prompt, refs },
};

function view(messages: readonly Message[], options: any) {
  const out: any[] = [];
  const instructions =
    typeof options.instructions === "string"
      ? options.instructions
      : (options.instructions ?? []).map((i: any) => i.text).join("\n");
  if (instructions) out.push({ role: "system", text: instructions });
  for (const m of messages) {
    const text = m.contents.flatMap((c) => (c.type === "text" ? [c.text] : [])).join("");
    const toolCalls = m.contents.flatMap((c) =>
      c.type === "function_call" ? [{ id: c.callId, name: c.name, args: c.arguments }] : [],
    );
    const toolResults = m.contents.flatMap((c) =>
      c.type === "function_result"
        ? [
            {
              id: c.callId,
              name: "",
              text: c.contents
                .map((x) => (x.type === "text" ? x.text : JSON.stringify(x)))
                .join("\n"),
              isError: c.isError === true,
            },
          ]
        : [],
    );
    out.push({
      role: m.role,
      text,
      ...(toolCalls.length && { toolCalls }),
      ...(toolResults.length && { toolResults }),
    });
  }
  return {
    messages: out,
    tools: (options.tools ?? []).map((t: any) => ({
      name: t.name,
      description: t.description,
      parameters: t.parameters,
    })),
  };
}

export const securedAgent =
  (policy: FlowPolicy, mode: SecureAgentOptions["mode"] = "approve", extra: any = {}) =>
  async (episode: any) => {
    let n = 0;
    const client: ChatClient = {
      metadata: { provider: "harness" },
      async getResponse({ messages, options }) {
        const out = await episode.model.next(view(messages, options));
        const contents: Content[] = out.calls
          ? out.calls.map((c: any) => ({
              type: "function_call",
              callId: c.id,
              name: c.name,
              arguments: c.args,
            }))
          : [textContent(out.text)];
        return { messages: [{ id: `m${++n}`, role: "assistant", contents, createdAt: 0 }] };
      },
    };
    const quarantine: ChatClient = {
      metadata: { provider: "harness" },
      async getResponse({ messages, options }) {
        const { text } = await episode.quarantine({
          messages: view(messages, {}).messages,
          tools: [],
          schema: (options.responseFormat as any)?.schema,
        });
        return {
          messages: [
            { id: `q${++n}`, role: "assistant", contents: [textContent(text)], createdAt: 0 },
          ],
        };
      },
    };
    const tools = episode.tools.map((t: any) =>
      tool({
        name: t.name,
        description: t.description,
        parameters: t.parameters,
        execute: (args: any) => t.execute(args),
      }),
    );
    const provider: any = secureAgent({ tools, policy, quarantine, mode, ...extra });
    const agent = new Agent({
      client,
      ...(process.env.OLD
        ? {
            instructions: provider.instructions,
            tools: provider.tools,
            middleware: provider.middleware,
          }
        : { contextProviders: [provider] }),
      invocation: { maxIterations: 1000, maxConsecutiveErrors: 1000 },
    } as any);
    const session = new AgentSession();
    let response = await agent.run(episode.prompt, { session });
    while (response.outcome === "paused") {
      const answers = response.approvalRequests.map((r) => {
        if (process.env.WHY)
          console.log(
            "ASK",
            episode.descriptor.id,
            r.call.name,
            JSON.stringify(r.effective ?? r.call.arguments).slice(0, 120),
            r.violation,
            JSON.stringify((r as any).additionalProperties?.flow?.violations).slice(0, 300),
          );
        const granted = episode.approve({
          name: r.call.name,
          args: r.effective ?? r.call.arguments,
        });
        return granted ? approve(r) : deny(r);
      });
      response = await agent.run(answers, { session });
    }
    return response.text;
  };
