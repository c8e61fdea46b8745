// What only sub-agents and context providers need, as one piece. It is loaded by the first run that has
// some: every piece of its own would cost the others a part of what all of them share.

export { closeProviders } from "./close-providers.js";
export { withProvided } from "./provided-context.js";
export { runSubAgent } from "./sub-agent.js";
