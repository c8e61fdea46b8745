import { Type } from "@sinclair/typebox";
import {
  Agent,
  agentMiddleware,
  errorContent,
  hostedTool,
  type JsonObject,
  type ResponseFormat,
  readValue,
  StructuredOutputError,
  setSchemaValidator,
  tool,
} from "@tunic/core";
import { interpretedValidator } from "@tunic/core/interpreted";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { inBothManners } from "./support/play.js";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const format: ResponseFormat = { type: "json_schema", schema: city };
const options = { responseFormat: format };

/** What reading the value comes to. */
function outcomeOf(response: { readonly value: unknown }): unknown {
  try {
    return response.value;
  } catch (error) {
    if (error instanceof StructuredOutputError) return error.code;
    throw error;
  }
}

inBothManners((play) => {
  describe("response.value", () => {
    it("is the answer as an object", async () => {
      const { response } = await play({ turns: ['{"city":"Köln"}'], run: { options } });
      expect(response.value).toEqual({ city: "Köln" });
      expect(response.value).toBe(response.value);
    });

    it("is undefined where no form was asked for", async () => {
      const { response } = await play({ turns: ['{"city":"Köln"}'] });
      expect(response.value).toBeUndefined();
    });

    it("follows from the agent's own response format, too", async () => {
      const { response } = await play({ turns: ['{"city":"Köln"}'], agent: { options } });
      expect(response.value).toEqual({ city: "Köln" });
    });

    it("is what a Standard Schema puts out", async () => {
      const schema = z.object({
        n: z.string().transform(Number),
        tags: z.array(z.string()).default([]),
      });
      const { response } = await play({
        turns: ['{"n":"12"}'],
        run: { options: { responseFormat: { type: "json_schema", schema } } },
      });
      expect(response.value).toEqual({ n: 12, tags: [] });
    });

    it("is read from the last answer, after tools have run", async () => {
      const lookUp = tool({ name: "look_up", execute: () => "Köln" });
      const { response } = await play({
        turns: [{ text: "Let me see.", calls: [{ name: "look_up" }] }, '{"city":"Köln"}'],
        agent: { tools: [lookUp] },
        run: { options },
      });
      expect(response.value).toEqual({ city: "Köln" });
    });

    it.each([
      ["JSON in a Markdown fence", '```json\n{"city":"Köln"}\n```'],
      ["blanks around it", '\n {"city":"Köln"} \n'],
      ["an optional member that is null", '{"city":"Köln","lim":null}'],
    ])("takes %s", async (_what, text) => {
      const schema = { ...city, properties: { ...city.properties, lim: { type: "integer" } } };
      const { response } = await play({
        turns: [text],
        run: { options: { responseFormat: { type: "json_schema", schema } } },
      });
      expect(response.value).toEqual({ city: "Köln" });
    });

    it.each([
      ["not_json", { text: "It is Köln." }],
      ["not_json", { text: '{"city":' }],
      ["invalid_value", { text: '{"town":"Köln"}' }],
      ["invalid_value", { text: "[1]" }],
      ["invalid_value", { text: "null" }],
      ["cut_off", { text: '{"city":"Kö', finishReason: "length" }],
      ["refused", { text: '{"ci', finishReason: "content_filter" }],
      ["refused", { contents: [errorContent("No.", { code: "refusal" })] }],
      ["refused", { contents: [errorContent("No.", { code: "refusal_cyber" })] }],
      ["no_answer", { text: "" }],
    ] as const)("is an error %s for %j", async (code, turn) => {
      const { response } = await play({ turns: [turn], run: { options } });
      expect(outcomeOf(response)).toBe(code);
      expect(outcomeOf(response)).toBe(code);
    });

    it("tells where the answer does not fit, and keeps its text", async () => {
      const { response } = await play({
        turns: ['{"city":7.5e400}'.replace("7.5e400", "[]")],
        run: { options },
      });
      expect(() => response.value).toThrow(
        expect.objectContaining({ text: '{"city":[]}', message: expect.stringContaining("/city") }),
      );
    });

    it("is an error of a run that paused", async () => {
      const ask = tool({ name: "ask", approvalMode: "always_require", execute: () => "" });
      const { response } = await play({
        turns: [{ calls: [{ name: "ask" }] }],
        agent: { tools: [ask] },
        run: { options },
      });
      expect(response.outcome).toBe("paused");
      expect(outcomeOf(response)).toBe("no_answer");
    });

    it("is there for handlers, and in what they answer themselves", async () => {
      const seen: unknown[] = [];
      const { response } = await play({
        turns: ['{"city":"Köln"}'],
        agent: {
          middleware: [
            agentMiddleware("outer", async (context, next) => {
              seen.push((await next()).value);
              return context.respond('{"city":"Bonn"}');
            }),
          ],
        },
        run: { options },
      });
      expect(seen).toEqual([{ city: "Köln" }]);
      expect(response.value).toEqual({ city: "Bonn" });
    });

    it("follows the form that a handler asks for instead", async () => {
      const other = {
        type: "json_schema",
        schema: { type: "object", required: ["town"] },
      } as const;
      const { response } = await play({
        turns: ['{"city":"Köln"}'],
        agent: {
          middleware: [
            agentMiddleware("other_form", (context, next) => {
              context.options = { ...context.options, responseFormat: other };
              return next();
            }),
          ],
        },
        run: { options },
      });
      expect(outcomeOf(response)).toBe("invalid_value");
    });

    it("of a schema that is checked asynchronously needs readValue", async () => {
      const schema = z.object({ city: z.string().refine(async (name) => name === "Köln") });
      const responseFormat = { type: "json_schema", schema } as const;
      const { response } = await play({
        turns: ['{"city":"Köln"}'],
        run: { options: { responseFormat } },
      });
      expect(outcomeOf(response)).toBe("asynchronous_schema");
      expect(await readValue(response, responseFormat)).toEqual({ city: "Köln" });
    });
  });
});

describe("readValue", () => {
  it("reads the answer of a bare chat client", async () => {
    const client = new ScriptedChatClient(['{"n":1}']);
    const responseFormat = {
      type: "json_schema",
      schema: Type.Object({ n: Type.Number() }),
    } as const;
    const response = await client.getResponse({ messages: [], options: { responseFormat } });
    const value = await readValue(response, responseFormat);
    expect(value.n + 1).toBe(2);
  });

  it("rejects where the answer does not fit", async () => {
    const client = new ScriptedChatClient(["{}"]);
    const response = await client.getResponse({ messages: [], options });
    await expect(readValue(response, format)).rejects.toMatchObject({ code: "invalid_value" });
  });
});

describe("a response format in use", () => {
  it("is checked by the validator that is set later", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } } as const;
    const agent = new Agent({
      client: new ScriptedChatClient(['{"n":1}', '{"n":1}']),
      options: { responseFormat: { type: "json_schema", schema } },
    });
    try {
      setSchemaValidator(() => {
        throw new EvalError("no code from strings here");
      });
      expect(outcomeOf(await agent.run("a"))).toBe("invalid_value");
      setSchemaValidator(interpretedValidator);
      expect(outcomeOf(await agent.run("b"))).toEqual({ n: 1 });
    } finally {
      setSchemaValidator(undefined);
    }
  });
});

describe("what is wrong with an answer", () => {
  const words = async (text: string, schema: JsonObject) => {
    const client = new ScriptedChatClient([text]);
    const responseFormat = { type: "json_schema", schema } as const;
    const response = await new Agent({ client }).run("a", { options: { responseFormat } });
    const error = await readValue(response, responseFormat).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid_value" });
    return String(error);
  };

  it("is said of the answer, not of the arguments of a tool", async () => {
    const said = await words("[1]", { type: "object" });
    expect(said).toContain("it must be a JSON object; got [1].");
  });

  it("may be the schema", async () => {
    const properties = { n: { type: "string", pattern: "(" } };
    const said = await words('{"n":"a"}', { type: "object", properties });
    expect(said).toContain("the schema itself does not compile");
    expect(said).not.toMatch(/tool|arguments/i);
  });
});

it("an error content whose code is no text is no refusal", async () => {
  const odd: unknown = 5;
  const error = { type: "error", code: odd as string, message: "odd" } as const;
  const client = new ScriptedChatClient([{ contents: [error, { type: "text", text: '{"n":1}' }] }]);
  const schema = { type: "object", properties: { n: { type: "integer" } } } as const;
  const options = { responseFormat: { type: "json_schema", schema } } as const;
  expect(outcomeOf(await new Agent({ client }).run("a", { options }))).toEqual({ n: 1 });
});

describe("a response format that no service can be given", () => {
  it.each([
    ["a list", { type: "array" }],
    ["a zod string", z.string()],
  ])("%s is refused when the agent is made", (_what, schema) => {
    const client = new ScriptedChatClient([]);
    const responseFormat = { type: "json_schema", schema } as const;
    expect(() => new Agent({ client, options: { responseFormat } })).toThrow(
      expect.objectContaining({ code: "schema_not_object" }),
    );
  });
});

describe("hosted tools", () => {
  it("stand beside a response format", async () => {
    const client = new ScriptedChatClient(['{"city":"Köln"}']);
    const search = hostedTool({ provider: "scripted", name: "search", definition: {} });
    const response = await new Agent({ client, tools: [search] }).run("go", { options });
    expect(response.value).toEqual({ city: "Köln" });
  });
});
