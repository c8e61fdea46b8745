import {
  Agent,
  type AgentInput,
  AgentSession,
  approve,
  type ChatClient,
  type Content,
  type FunctionApprovalRequestContent,
  type Message,
  pending,
  tool,
} from "@tunic/core";

const approvalSecret = "a secret of more than 32 characters";
const wipe = tool({
  name: "wipe",
  description: "Wipes a disk.",
  parameters: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
  approvalMode: "always_require",
  execute: ({ id }) => `wiped ${id}`,
});

/** A conversation that is paused after so many messages: questions, calls with their results, answers. */
async function pausedHistory(length: number): Promise<readonly Message[]> {
  const history: Message[] = [];
  for (let id = 0; history.length < length - 2; id++) {
    const call = {
      type: "function_call",
      callId: `c${id}`,
      name: "read",
      arguments: { id },
    } as const;
    const text = (say: string) =>
      [{ type: "text", text: `${say} ${id}, in a sentence of some length.` }] as const;
    const result = {
      type: "function_result",
      callId: call.callId,
      contents: text("Read"),
    } as const;
    const all = [
      { id: `u${id}`, role: "user", contents: text("Please read"), createdAt: id },
      { id: `a${id}`, role: "assistant", contents: [call], createdAt: id },
      { id: `t${id}`, role: "tool", contents: [result], createdAt: id },
      { id: `d${id}`, role: "assistant", contents: text("I have read"), createdAt: id },
    ] as const;
    history.push(...all);
  }
  const { newMessages } = await agentThatAsks(1).run([...history, "wipe it"]);
  return [...history, ...newMessages];
}

function agentThatAsks(calls: number): Agent {
  return new Agent({
    client: clientThatCalls(calls),
    tools: wipe,
    invocation: { approvals: { approvalSecret } },
  });
}

function agentThatGoesOn(): Agent {
  return new Agent({
    client: clientThatSays([{ type: "text", text: "done" }]),
    tools: wipe,
    // The same answer is given again and again: here, each is as good as new.
    invocation: { approvals: { approvalSecret, spent: { take: () => true } } },
  });
}

/**
 * What it costs to go on with a paused conversation, as ratios to copying its messages through JSON:
 * from a signed history, and in a session that is read from its JSON.
 */
export async function resumeRatios(
  length: number,
): Promise<{ readonly history: number; readonly session: number }> {
  const history = await pausedHistory(length);
  const request = pending(history)[0] as FunctionApprovalRequestContent;
  const agent = agentThatGoesOn();
  const session = new AgentSession();
  await agentThatAsks(1).run([...history.slice(0, -2), "wipe it"], { session });
  const data = session.toJSON();
  const asked = session.pending[0] as FunctionApprovalRequestContent;
  const go = async (input: AgentInput, options = {}): Promise<void> => {
    const response = await agent.run(input, options);
    if (response.text !== "done") throw new Error("bench: the run has not gone on");
  };
  const [copy = 0, fromHistory = 0, fromSession = 0] = await best([
    async () => void JSON.parse(JSON.stringify(history)),
    () => go([...history, approve(request)]),
    () => go(approve(asked), { session: AgentSession.fromJSON(data) }),
  ]);
  return { history: fromHistory / copy, session: fromSession / copy };
}

/** Milliseconds that a signature adds to a pause with so many requests. */
export async function signingMs(requests: number): Promise<number> {
  const signed = agentThatAsks(requests);
  const plain = new Agent({ client: clientThatCalls(requests), tools: wipe });
  const [withKey = 0, without = 0] = await best([
    async () => void (await signed.run("go")),
    async () => void (await plain.run("go")),
  ]);
  return (withKey - without) / 1000;
}

function clientThatCalls(calls: number): ChatClient {
  return clientThatSays(
    Array.from({ length: calls }, (_, id) => ({
      type: "function_call",
      callId: `w${id}`,
      name: "wipe",
      arguments: { id },
    })),
  );
}

function clientThatSays(contents: readonly Content[]): ChatClient {
  return {
    metadata: { provider: "mock" },
    getResponse: async () => ({
      messages: [{ id: "", role: "assistant", createdAt: 0, contents }],
    }),
  };
}

/** Microseconds of each work: the best of many, one after the other, so that noise hits all alike. */
async function best(
  works: readonly (() => Promise<void>)[],
  rounds = 60,
): Promise<readonly number[]> {
  const times = works.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [at, work] of works.entries()) {
      const started = performance.now();
      await work();
      times[at] = Math.min(times[at] ?? Infinity, (performance.now() - started) * 1000);
    }
  }
  return times;
}
