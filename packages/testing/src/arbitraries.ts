// Generators for property tests; they need fast-check, an optional peer.

export { type TranscriptKind, transcriptKinds } from "./arbitraries/transcript-kinds.js";
export { messageLogs, type TranscriptOptions, transcripts } from "./arbitraries/transcripts.js";
