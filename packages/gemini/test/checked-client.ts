import { GoogleGenAI } from "@google/genai";
import { wireProblems } from "@tunic/testing/wire";
import { expect } from "vitest";
import { GeminiChatClient } from "../src/index.js";

/** A client of a server by others: what goes there is checked on its way. */
export function checkedClient(baseUrl: string): GeminiChatClient {
  const sdk = new GoogleGenAI({
    apiKey: "key",
    httpOptions: {
      baseUrl,
      fetch: async (url, init) => {
        expect(wireProblems("gemini", JSON.parse(String(init?.body)))).toEqual([]);
        return await fetch(url, init);
      },
    },
  });
  return new GeminiChatClient({ model: "gemini-2.5-flash", client: sdk });
}
