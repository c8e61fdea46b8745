/**
 * The values that each package exports. A name that comes or goes is a decision: run
 * `npm test -- -u --project repository` and let the change of this file be seen in review.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as anthropic from "../packages/anthropic/src/index.js";
import * as approvals from "../packages/core/src/approvals.js";
import * as core from "../packages/core/src/index.js";
import * as interpreted from "../packages/core/src/interpreted.js";
import * as gemini from "../packages/gemini/src/index.js";
import * as mcp from "../packages/mcp/src/index.js";
import * as mcpServer from "../packages/mcp/src/server.js";
import * as openai from "../packages/openai/src/index.js";
import * as resilience from "../packages/resilience/src/index.js";
import * as security from "../packages/security/src/index.js";
import * as securityNode from "../packages/security/src/node.js";
import * as skills from "../packages/skills/src/index.js";
import * as skillsNode from "../packages/skills/src/node.js";
import * as arbitraries from "../packages/testing/src/arbitraries.js";
import * as contracts from "../packages/testing/src/contracts.js";
import * as testing from "../packages/testing/src/index.js";
import * as wire from "../packages/testing/src/wire.js";
import * as toolbox from "../packages/toolbox/src/index.js";

describe("public exports", () => {
  it("has a list for every entry of every package", () => {
    expect(publishedEntries()).toEqual([
      "@tunic/anthropic",
      "@tunic/core",
      "@tunic/core/approvals",
      "@tunic/core/interpreted",
      "@tunic/gemini",
      "@tunic/mcp",
      "@tunic/mcp/server",
      "@tunic/openai",
      "@tunic/resilience",
      "@tunic/security",
      "@tunic/security/node",
      "@tunic/skills",
      "@tunic/skills/node",
      "@tunic/testing",
      "@tunic/testing/arbitraries",
      "@tunic/testing/contracts",
      "@tunic/testing/wire",
      "@tunic/toolbox",
    ]);
  });

  it("of @tunic/core", () => {
    expect(names(core)).toMatchInlineSnapshot(`
      "Agent
      AgentResponse
      AgentSession
      ApprovalError
      ChatClientError
      ConfigurationError
      ContextProviderError
      FunctionInvocationLayer
      InputError
      MiddlewareError
      MiddlewareTermination
      ResponseBuilder
      SessionBusyError
      StreamClosedError
      StructuredOutputError
      ToolAuthError
      ToolError
      ToolInvalidArgumentsError
      ToolRateLimitError
      ToolServiceError
      ToolTimeoutError
      TunicError
      UnknownToolError
      addUsage
      agentMiddleware
      approve
      askWithAnswerTool
      bufferUpdates
      bytesOf
      canonicalJson
      chatMiddleware
      checkArguments
      checkClientOptions
      checkHistory
      checkOptionNames
      checkToolChoice
      compose
      copyJson
      createStateKey
      dataContent
      deny
      endRun
      errorContent
      foldUpdates
      foreignType
      functionMiddleware
      functionResultContent
      hostedTool
      isJsonObject
      joinInstructions
      memorySpentRequests
      mergeProviderOptions
      modelView
      nearestName
      normalizeTools
      onAbort
      openCalls
      ownDefinition
      parseArguments
      parseDecision
      parseRetryAfter
      paused
      pending
      rawRepresentation
      readRateLimits
      readRetryAfter
      readValue
      replaceText
      responseSchema
      sameJson
      setSchemaValidator
      sortMiddleware
      stateFact
      streamResponse
      textContent
      textOf
      toObjectSchema
      toWireToolName
      tool
      toolApproval
      toolNamesOnWire
      toolResult
      totalTokens
      uriContent
      verdictMiddleware
      withAbort
      withCause
      withMiddleware"
    `);
  });

  it("of @tunic/core/approvals", () => {
    expect(names(approvals)).toMatchInlineSnapshot(`
      "ApprovalError
      approve
      deny
      describeRequest
      foldUpdates
      memorySpentRequests
      parseDecision
      pending
      promptForDecisions
      textOf"
    `);
  });

  it("of @tunic/core/interpreted", () => {
    expect(names(interpreted)).toMatchInlineSnapshot(`"interpretedValidator"`);
  });

  it("of @tunic/testing", () => {
    expect(names(testing)).toMatchInlineSnapshot(`
      "ScriptedChatClient
      manualEnvironment
      recordRun"
    `);
  });

  it("of @tunic/testing/contracts", () => {
    expect(names(contracts)).toMatchInlineSnapshot(`
      "describeChatClientContract
      describeMiddlewareContract"
    `);
  });

  it("of @tunic/testing/arbitraries", () => {
    expect(names(arbitraries)).toMatchInlineSnapshot(`
      "messageLogs
      transcriptKinds
      transcripts"
    `);
  });

  it("of @tunic/testing/wire", () => {
    expect(names(wire)).toMatchInlineSnapshot(`"wireProblems"`);
  });

  it("of @tunic/openai", () => {
    expect(names(openai)).toMatchInlineSnapshot(`
      "OpenAIChatClient
      OpenAIResponsesClient
      openAIToolNames
      toOpenAIMessages
      toOpenAIResponsesInput
      toOpenAIResponsesTools
      toOpenAITools"
    `);
  });

  it("of @tunic/gemini", () => {
    expect(names(gemini)).toMatchInlineSnapshot(`
      "GeminiChatClient
      geminiToolNames
      toGeminiContents
      toGeminiTools"
    `);
  });

  it("of @tunic/resilience", () => {
    expect(names(resilience)).toMatchInlineSnapshot(`
      "fallbackClient
      retryBudget
      retryModelCalls
      routeClient"
    `);
  });

  it("of @tunic/security", () => {
    expect(names(security)).toMatchInlineSnapshot(`
      "SPOTLIGHTING_INSTRUCTIONS
      checkPolicy
      combineLabels
      createLabelLattice
      declassify
      defaultLattice
      digest
      endorse
      expandedArguments
      explain
      flowTrace
      hiddenValues
      isLabeled
      isSealed
      labelOf
      labelTracking
      labeled
      memoryFlowAudit
      policyEnforcement
      sealLabel
      secureAgent
      simulate
      spotlighting
      toolHash
      toolKey
      verifyFlowAudit
      withLabel"
    `);
  });

  it("of @tunic/security/node", () => {
    expect(names(securityNode)).toMatchInlineSnapshot(`"processSandbox"`);
  });

  it("of @tunic/skills", () => {
    expect(names(skills)).toMatchInlineSnapshot(`
      "ClassSkill
      DEFAULT_SKILLS_INSTRUCTION_PROMPT
      SkillsProvider
      aggregateSkills
      allToolsAutoApprovalRule
      cacheSkills
      deduplicateSkills
      defineSkill
      describeProblem
      filterSkills
      fixSkill
      loadSkill
      mcpSkills
      optionalSkills
      readOnlyToolsAutoApprovalRule
      skillAutoApprovalRule
      skillScript
      trustedSkillsAutoApprovalRule
      validateSkill"
    `);
  });

  it("of @tunic/skills/node", () => {
    expect(names(skillsNode)).toMatchInlineSnapshot(`
      "fileSkills
      processScriptRunner"
    `);
  });

  it("of @tunic/toolbox", () => {
    expect(names(toolbox)).toMatchInlineSnapshot(`"toolSearch"`);
  });

  it("of @tunic/mcp", () => {
    expect(names(mcp)).toMatchInlineSnapshot(`
      "McpError
      McpTools
      loadMcpServers
      mcpTools"
    `);
  });

  it("of @tunic/mcp/server", () => {
    expect(names(mcpServer)).toMatchInlineSnapshot(`
      "serveTools
      servedClient"
    `);
  });

  it("of @tunic/anthropic", () => {
    expect(names(anthropic)).toMatchInlineSnapshot(`
      "AnthropicChatClient
      anthropicToolNames
      defaultMaxTokens
      toAnthropicMessages
      toAnthropicTools"
    `);
  });
});

function names(module: object): string {
  return Object.keys(module).sort().join("\n");
}

function publishedEntries(): string[] {
  const packages = new URL("../packages/", import.meta.url);
  return readdirSync(packages)
    .flatMap((folder) => {
      const manifest = JSON.parse(
        readFileSync(new URL(`${folder}/package.json`, packages), "utf8"),
      ) as { name: string; exports: Record<string, unknown> };
      return Object.keys(manifest.exports)
        .filter((entry) => entry !== "./package.json")
        .map((entry) => manifest.name + entry.slice(1));
    })
    .sort();
}
