// The public surface of @tunic/testing; the suites that need vitest are in @tunic/testing/contracts.

export { type ManualEnvironment, manualEnvironment } from "./manual-environment.js";
export {
  type LayerKind,
  type RunRecorder,
  type RunRecorderOptions,
  recordRun,
} from "./run-recorder.js";
export {
  type RecordedRequest,
  ScriptedChatClient,
  type ScriptedChatClientOptions,
} from "./scripted-chat-client.js";
export type { ScriptedAnswer, ScriptedCall, ScriptedTurn } from "./scripted-turn.js";
