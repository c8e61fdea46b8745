import {
  createStateKey,
  type JsonObject,
  type Middleware,
  type RunContext,
  stateFact,
} from "@tunic/core";
import type {
  Skill,
  SkillContext,
  SkillFingerprint,
  SkillResource,
  SkillScript,
} from "../skill.js";
import { isOwn, type SkillAction, skillActions } from "./auto-approval.js";
import { named, skillNamed, skillsOfRun } from "./run-skills.js";

/** What a call of a tool for skills would use. */
export interface CalledSkill {
  readonly action: SkillAction;
  readonly skill: Skill;
  /** The name of the resource or script, as the skill has it; else as the call has it. */
  readonly part?: string | undefined;
  /** What it is now. Undefined where nobody can say. */
  readonly fingerprint?: string | undefined;
}

/** A call, as far as it says what it would use. */
interface SkillCall {
  readonly run: RunContext;
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

/** Looked at once for a call: what a person is told is what is held against it later. */
const lookedAt = createStateKey<Map<string, Promise<CalledSkill | undefined>>>(
  "skills looked at",
  () => new Map(),
);

/**
 * A yes to a call of a tool for skills is a yes to this very skill: its origin, its trust, and what would be loaded,
 * read or run of it. It stands under `skill` in the request.
 */
export function skillFacts(provider: string): Middleware {
  return {
    name: `${provider}-facts`,
    async verdict(context, next) {
      const { run, tool, call, signal } = context;
      if (isOwn(tool) && skillActions.has(tool.name)) {
        stateFact(context, "skill", async () => {
          const { callId } = call;
          const args = context.arguments;
          return factOf(await calledSkill({ run, callId, tool: tool.name, args, signal }), callId);
        });
      }
      return await next();
    },
  };
}

/** The skill that a call would use, with what it would use of it; undefined where there is none. */
export function calledSkill(call: SkillCall): Promise<CalledSkill | undefined> {
  const looked = call.run.state.get(lookedAt);
  const key = keyOf(call);
  const known = looked.get(key) ?? lookAt(call);
  looked.set(key, known);
  return known;
}

/** What somebody was told that a call would use; undefined where nobody was asked. */
export async function agreedFingerprint(call: SkillCall): Promise<string | undefined> {
  const known = await call.run.state.get(lookedAt).get(keyOf(call));
  return known?.fingerprint === unreadable ? undefined : known?.fingerprint;
}

/** Where it cannot be read, neither will it run. */
const unreadable = "unreadable";

function keyOf({ callId, tool, args }: SkillCall): string {
  return JSON.stringify([callId, tool, args["skill_name"], partIn(args)]);
}

function partIn(args: JsonObject): unknown {
  return args["script_name"] ?? args["resource_name"];
}

async function lookAt({ run, tool, args, signal }: SkillCall): Promise<CalledSkill | undefined> {
  const action = skillActions.get(tool);
  const name = args["skill_name"];
  if (action === undefined || typeof name !== "string") return undefined;
  const skill = skillNamed(skillsOfRun(run)?.skills ?? [], name);
  if (skill === undefined) return undefined;
  const context: SkillContext = { run, session: run.session, signal };
  if (action === "load") {
    return { action, skill, fingerprint: await looked(skill, context) };
  }
  const wanted = String(partIn(args));
  const parts: readonly (SkillResource | SkillScript)[] =
    action === "run" ? skill.scripts : skill.resources;
  const part = named(parts, wanted);
  // Where a resource has to be asked for, nothing is fetched before somebody has agreed.
  const fingerprint = part && (await looked(part, context));
  return { action, skill, part: part?.name ?? wanted, fingerprint };
}

async function looked(
  of: { readonly fingerprint?: SkillFingerprint | undefined },
  context: SkillContext,
): Promise<string | undefined> {
  try {
    return await of.fingerprint?.(context);
  } catch {
    context.signal.throwIfAborted();
    return unreadable;
  }
}

const partNames = { load: undefined, read: "resource", run: "script" } as const;

function factOf(called: CalledSkill | undefined, callId: string): JsonObject | undefined {
  if (called === undefined) return undefined;
  const { action, part, fingerprint } = called;
  const { frontmatter, origin, trust } = called.skill;
  const partName = partNames[action];
  return {
    action,
    name: frontmatter.name,
    ...(partName !== undefined && part !== undefined && { [partName]: part }),
    origin,
    trust,
    ...(fingerprint !== undefined && { fingerprint }),
    // Of others, and it can be anything next time: a yes is for this call, and never remembered for another.
    ...(fingerprint === undefined && trust !== "trusted" && { call: callId }),
  };
}
