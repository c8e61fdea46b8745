import { Ajv } from "ajv";
import {
  addSchema,
  type Contender,
  deltas,
  deltaText,
  echoSchema,
  fragments,
  type Work,
} from "./script.js";

interface Call {
  readonly id: string;
  readonly name: string;
  args: string;
}
interface FloorMessage {
  readonly role: string;
  readonly content: string;
  readonly id?: string;
  readonly calls?: readonly Call[] | undefined;
}
type Event =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "call"; readonly id: string; readonly name: string }
  | { readonly type: "args"; readonly delta: string };

/** The least that can be written: a loop by hand, without a framework, validating with compiled ajv. */
export function floor(): Contender {
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
  const validators = {
    add: ajv.compile<{ a: number; b: number }>(addSchema),
    echo: ajv.compile<{ text: string }>(echoSchema),
  };

  async function execute(work: Work, call: Call): Promise<FloorMessage> {
    const input: unknown = JSON.parse(call.args);
    let content: string;
    if (call.name === "add" && validators.add(input)) content = work.add(input.a, input.b);
    else if (call.name === "echo" && validators.echo(input)) content = work.echo(input.text);
    else throw new Error("bad arguments");
    return { role: "tool", id: call.id, content };
  }

  async function generate(
    work: Work,
    _messages: readonly FloorMessage[],
  ): Promise<{ text?: string; calls?: readonly Call[] }> {
    const turn = work.next();
    if ("calls" in turn) return turn;
    return { text: "text" in turn ? turn.text : "" };
  }

  async function* answer(work: Work, _messages: readonly FloorMessage[]): AsyncGenerator<Event> {
    const turn = work.next();
    if ("stream" in turn) {
      for (let index = 0; index < deltas; index++) yield { type: "text", delta: deltaText };
      yield { type: "call", id: "c0", name: "echo" };
      for (const delta of fragments) yield { type: "args", delta };
    } else if ("text" in turn) yield { type: "text", delta: turn.text };
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a loop by hand looks like this; taking it apart would cost time that is measured.
  async function* streamed(work: Work): AsyncGenerator<Event> {
    const messages: FloorMessage[] = [{ role: "user", content: "go" }];
    for (;;) {
      let text = "";
      let call: Call | undefined;
      for await (const event of answer(work, messages)) {
        if (event.type === "text") text += event.delta;
        else if (event.type === "call") call = { id: event.id, name: event.name, args: "" };
        else if (call) call.args += event.delta;
        yield event;
      }
      messages.push({ role: "assistant", content: text, calls: call && [call] });
      if (!call) return;
      messages.push(await execute(work, call));
    }
  }

  return {
    async run(work) {
      const messages: FloorMessage[] = [{ role: "user", content: "go" }];
      for (;;) {
        const { text = "", calls } = await generate(work, messages);
        messages.push({ role: "assistant", content: text, calls });
        if (!calls) return { text };
        const [only] = calls;
        if (calls.length === 1 && only) messages.push(await execute(work, only));
        else messages.push(...(await Promise.all(calls.map((call) => execute(work, call)))));
      }
    },
    async stream(work) {
      let length = 0;
      let text = "";
      for await (const event of streamed(work)) {
        if (event.type !== "text") continue;
        length += event.delta.length;
        text = event.delta;
      }
      return { text, streamed: length };
    },
  };
}
