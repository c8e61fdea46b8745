// The public surface of @tunic/resilience. What is named here is API; nothing else is.

export {
  type FallbackClientOptions,
  type FallbackTarget,
  fallbackClient,
} from "./fallback-client.js";
export { type RetryBudget, type RetryBudgetOptions, retryBudget } from "./retry-budget.js";
export { type RetryModelCallsOptions, retryModelCalls } from "./retry-model-calls.js";
export { type RouteClientOptions, type RouteRule, routeClient } from "./route-client.js";
