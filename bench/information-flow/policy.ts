import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FlowPolicy } from "@tunic/security";

const source = readFileSync(new URL("policy.json", import.meta.url), "utf8");

/** The one policy of all suites and tasks. */
export const policy: FlowPolicy = JSON.parse(source);

/** The SHA-256 of its file, in hexadecimal, as `sha256sum` prints it. */
export const policyHash = createHash("sha256").update(source).digest("hex");
