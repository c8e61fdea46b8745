import type {
  ApprovalContext,
  FunctionInvocationContext,
  FunctionTool,
  JsonObject,
  RunContext,
  Tool,
} from "@tunic/core";
import { expand, expandedArguments } from "../flow/expand.js";
import { flowOf } from "../flow/flow-run.js";
import { referencesIn } from "../tree/reference.js";
import { withReferenceSlots } from "../tree/reference-slots.js";
import { withCheckedProgress } from "./checked-progress.js";

/** What was wrapped, by what it was wrapped in. */
const originals = new WeakMap<FunctionTool, FunctionTool>();
const wrapped = new WeakMap<FunctionTool, FunctionTool>();

/** The tool inside a wrapped one; any other tool itself. */
export function originalOf(tool: FunctionTool): FunctionTool {
  return originals.get(tool) ?? tool;
}

/** All tools of a list, those with a function wrapped; the same list for the same tools. */
export function wrapTools(tools: readonly Tool[]): readonly Tool[] {
  const known = lists.get(tools);
  if (known !== undefined) return known;
  const made = tools.map((tool) => (tool.type === "function" ? wrapTool(tool) : tool));
  const same = made.every((tool, at) => tool === tools[at]);
  const list = same ? tools : made;
  lists.set(tools, list);
  lists.set(list, list);
  return list;
}

const lists = new WeakMap<readonly Tool[], readonly Tool[]>();

/**
 * A tool whose arguments may be references: the model sees a schema with a place for them, and the
 * tool itself gets the values, checked against its own schema. Nothing but the tool sees them.
 */
function wrapTool(tool: FunctionTool): FunctionTool {
  const known = wrapped.get(tool) ?? (originals.has(tool) ? tool : undefined);
  if (known !== undefined) return known;
  const made = wrap(tool);
  wrapped.set(tool, made);
  originals.set(made, tool);
  return made;
}

/** A tool that takes references as they are: it counts as wrapped. */
export function asWrapped(tool: FunctionTool): FunctionTool {
  wrapped.set(tool, tool);
  return tool;
}

function wrap(tool: FunctionTool): FunctionTool {
  const { schema: _, execute, approvalMode, describeCall, resources, ...rest } = tool;
  return Object.freeze({
    ...rest,
    parameters: withReferenceSlots(tool.parameters),
    argumentsFor: (args: JsonObject, run: RunContext) =>
      expandedArguments({ arguments: args, run }),
    ...(execute && {
      execute: (input: unknown, context: FunctionInvocationContext) =>
        // Checked again: only now it is known what the references stand for.
        tool.invoke(valuesIn(input, context), {
          context: withCheckedProgress(withOriginals(context)),
          skipParsing: true,
        }),
    }),
    ...(approvalMode && {
      approvalMode:
        typeof approvalMode === "function"
          ? (input: unknown, context: ApprovalContext) =>
              approvalMode(valuesIn(input, context), context)
          : approvalMode,
    }),
    ...(describeCall && {
      describeCall: (input: unknown, context: ApprovalContext) =>
        describeCall(valuesIn(input, context), context),
    }),
    ...(resources && {
      resources:
        typeof resources === "function"
          ? (input: unknown) =>
              // What a call works on is hidden: it waits for all others of its tool.
              referencesIn(input as JsonObject).length > 0
                ? [`${tool.name}: hidden`]
                : resources(input)
          : resources,
    }),
  }) as FunctionTool;
}

/** A tool is taken away by the object that its program knows, too. */
function withOriginals(context: FunctionInvocationContext): FunctionInvocationContext {
  const listed = (each: string | Tool): string | Tool =>
    typeof each !== "string" && each.type === "function" ? (wrapped.get(each) ?? each) : each;
  const removeTools: FunctionInvocationContext["removeTools"] = (input) => {
    context.removeTools(Array.isArray(input) ? input.map(listed) : listed(input as string | Tool));
  };
  return new Proxy(context, {
    get: (target, key) =>
      key === "removeTools" ? removeTools : (Reflect.get(target, key, target) as unknown),
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

function valuesIn(input: unknown, { run }: Pick<ApprovalContext, "run">): JsonObject {
  const flow = flowOf(run);
  const args = input as JsonObject;
  return flow === undefined ? args : expand(flow, args);
}
