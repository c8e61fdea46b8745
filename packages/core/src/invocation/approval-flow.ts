// What only approvals need, as one piece that is loaded by the first run that asks or is answered: most
// runs do neither, and every piece of its own would cost the others a file at their start.

export { bestDecision } from "../approvals/best-decision.js";
export { askPeople } from "./ask-people.js";
export { settleAnswers } from "./settle-batches.js";
