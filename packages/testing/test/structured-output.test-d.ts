import { Type } from "@sinclair/typebox";
import { Agent, type ChatClient } from "@tunic/core";
import { expectTypeOf, it } from "vitest";
import * as z from "zod";

declare const client: ChatClient;
const agent = new Agent({ client });

it("the type of response.value follows from the schema of the run", async () => {
  const schema = z.object({ n: z.number().default(1) });
  const response = await agent.run("go", {
    options: { responseFormat: { type: "json_schema", schema } },
  });
  expectTypeOf(response.value).toEqualTypeOf<{ n: number }>();
});

it("of a stream, too", async () => {
  const stream = agent.stream("go", {
    options: {
      temperature: 0,
      responseFormat: { type: "json_schema", schema: Type.Object({ city: Type.String() }) },
    },
  });
  expectTypeOf((await stream.response).value).toEqualTypeOf<{ city: string }>();
});

it("a JSON Schema written in place has a type as well", async () => {
  const response = await agent.run("go", {
    options: {
      responseFormat: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
          additionalProperties: false,
        },
      },
    },
  });
  expectTypeOf(response.value).toEqualTypeOf<{ city: string }>();
});

it("is unknown where nothing is known of it", async () => {
  expectTypeOf((await agent.run("go")).value).toEqualTypeOf<unknown>();
  expectTypeOf(
    (await agent.run("go", { options: { temperature: 0 } })).value,
  ).toEqualTypeOf<unknown>();
});

it("options that there are not are refused by the compiler", () => {
  // @ts-expect-error a misspelt option
  void agent.run("go", { sesion: undefined });
  // @ts-expect-error a form that there is not
  void agent.run("go", { options: { responseFormat: { type: "json_object" } } });
});
