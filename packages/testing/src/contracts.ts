// Suites that run under vitest: a package that implements an interface of Tunic calls them in a test.

export { type ChatClientContract, describeChatClientContract } from "./chat-client-contract.js";
export type { ContractScenario } from "./contract-scenario.js";
export { describeMiddlewareContract, type MiddlewareContract } from "./middleware-contract.js";
