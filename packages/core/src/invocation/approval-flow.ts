// What only approvals need, as one piece. It is loaded by the first run that asks, is answered, or has
// somebody judge its calls: most runs do none of it, and every piece of its own would cost the others a
// file at their start.

export { ownVerdict } from "../approvals/own-verdict.js";
export { askPeople } from "./ask-people.js";
export { settleAnswers } from "./settle-batches.js";
export { judgeChanged, weighBatch } from "./weigh-batch.js";
