import type Anthropic from "@anthropic-ai/sdk";
import {
  ConfigurationError,
  type FunctionTool,
  type HostedTool,
  ownDefinition,
  type Tool,
  toObjectSchema,
  toolNamesOnWire,
} from "@tunic/core";
import { type ArgumentNames, withWireNames } from "./argument-names.js";
import { StrictBudget } from "./strict-budget.js";
import { type StrictForm, toStrictForm } from "./strict-schema.js";
import type { ToolSettings } from "./tool-settings.js";
import type { Notice } from "./wire-block.js";
import { toolNameRules, wireToolName } from "./wire-names.js";

/** A tool as a model's call names it. */
export interface CalledTool {
  readonly name: string;
  /** Absent where the arguments have their own names on the wire. */
  readonly arguments?: ArgumentNames;
}

/** The tools of a request. */
export interface WireTools {
  readonly tools: Anthropic.ToolUnion[];
  /** The way back for calls, by the name on the wire. */
  readonly calls: ReadonlyMap<string, CalledTool>;
  /** Tools that are not held strictly, and why. */
  readonly notStrict: ReadonlyMap<FunctionTool, string>;
}

/** A function tool in its two forms; the strict one is absent where there is none. */
interface WireForms {
  readonly plain: Anthropic.ToolUnion;
  readonly strict?: Anthropic.ToolUnion;
  readonly names?: ArgumentNames;
  /** What the strict form takes of the limits, or why there is none. */
  readonly form: StrictForm | { readonly reason: string };
}

/** Writes tools down for one client. Tools never change, so each is converted once. */
export class ToolConverter {
  readonly #settings: ToolSettings;
  readonly #forms = new WeakMap<FunctionTool, WireForms>();
  readonly #lists = new WeakMap<
    readonly Tool[],
    { readonly of: readonly Tool[]; made: WireTools }
  >();
  readonly #told = new WeakSet<FunctionTool>();

  constructor(settings: ToolSettings = {}) {
    this.#settings = settings;
  }

  /**
   * Our tools as the `tools` of a request. Hosted tools of Anthropic go in as their `definition` is.
   *
   * @throws ConfigurationError `foreign_tool` for a hosted tool of somebody else, `tool_not_strict` for a
   * schema that is to be held strictly and cannot, `tool_name_collision` for two tools of one name there.
   */
  convert(tools: readonly Tool[], notice?: Notice): WireTools {
    const known = this.#lists.get(tools);
    // The list is the caller's own, who may have changed it since.
    const isSame =
      known?.of.length === tools.length && tools.every((tool, at) => tool === known.of[at]);
    const made = known && isSame ? known.made : this.#list(tools);
    if (!isSame) this.#lists.set(tools, { of: [...tools], made });
    if (notice && made.notStrict.size > 0) this.#tell(made.notStrict, notice);
    return made;
  }

  /** Once for each tool. */
  #tell(notStrict: WireTools["notStrict"], notice: Notice): void {
    for (const [tool, reason] of notStrict) {
      if (this.#told.has(tool)) continue;
      this.#told.add(tool);
      notice("tool_not_strict", `Tool "${tool.name}" is offered without strict: ${reason}.`);
    }
  }

  #list(tools: readonly Tool[]): WireTools {
    const budget = new StrictBudget();
    const notStrict = new Map<FunctionTool, string>();
    for (const tool of tools) if (isStrict(tool)) budget.take(this.#formsOf(tool).form);
    const wire = tools.map((tool) =>
      tool.type === "hosted" ? hostedTool(tool) : this.#functionTool(tool, budget, notStrict),
    );
    const names = anthropicToolNames(tools);
    const calls = new Map<string, CalledTool>();
    for (const tool of tools) {
      if (tool.type === "hosted") continue;
      const { names: back } = this.#formsOf(tool);
      calls.set(wireToolName(tool.name), { name: tool.name, ...(back && { arguments: back }) });
    }
    // What the service's own kinds of tools are called stays as it is.
    for (const [wireName, name] of names) if (!calls.has(wireName)) calls.set(wireName, { name });
    return { tools: wire, calls, notStrict };
  }

  #functionTool(
    tool: FunctionTool,
    budget: StrictBudget,
    notStrict: Map<FunctionTool, string>,
  ): Anthropic.ToolUnion {
    const { plain, strict, form } = this.#formsOf(tool);
    const wanted = tool.strict ?? (this.#settings.strictTools ? "auto" : false);
    if (wanted === false) return plain;
    if (wanted === true) {
      if (strict) return strict;
      throw new ConfigurationError(
        "tool_not_strict",
        `Tool "${tool.name}" is to be strict, and Anthropic cannot hold its schema: ${reasonOf(form)}. Change the schema, or leave strict out.`,
      );
    }
    const refusal = strict ? budget.takeIfLeft(form) : reasonOf(form);
    if (strict && refusal === undefined) return strict;
    notStrict.set(tool, refusal ?? "");
    return plain;
  }

  #formsOf(tool: FunctionTool): WireForms {
    let forms = this.#forms.get(tool);
    if (forms === undefined) {
      forms = this.#makeForms(tool);
      this.#forms.set(tool, forms);
    }
    return forms;
  }

  #makeForms(tool: FunctionTool): WireForms {
    const own = this.#settings.toolOptions?.[tool.name] ?? {};
    const name = wireToolName(tool.name);
    if (typeof own["type"] === "string" && own["type"] !== "custom") {
      const plain = { name, ...own } as unknown as Anthropic.ToolUnion;
      return { plain, form: { reason: "the service has a schema of its own for it" } };
    }
    const what = `The schema of tool "${tool.name}"`;
    const { schema, names } = withWireNames(toObjectSchema(tool.parameters, what), what);
    const form = toStrictForm(schema);
    const head = {
      name,
      ...(tool.description !== "" && { description: tool.description }),
      ...(this.#settings.eagerInputStreaming && { eager_input_streaming: true }),
      ...own,
    };
    return {
      plain: { ...head, input_schema: { ...schema, type: "object" } },
      ...("schema" in form && {
        strict: { ...head, strict: true, input_schema: { ...form.schema, type: "object" } },
      }),
      ...(names && { names }),
      form,
    };
  }
}

const plainConverter = new ToolConverter();

/**
 * Our tools as the `tools` of a request, as a client without options of its own writes them.
 *
 * @throws ConfigurationError `foreign_tool` for a hosted tool of somebody else, `tool_not_strict` for a
 * schema that is to be held strictly and cannot, `tool_name_collision` for two tools of one name there.
 */
export function toAnthropicTools(tools: readonly Tool[]): Anthropic.ToolUnion[] {
  return plainConverter.convert(tools).tools;
}

/**
 * The names of tools by their names on the wire: the way back for what a model calls.
 *
 * @throws ConfigurationError `tool_name_collision`
 */
export function anthropicToolNames(tools: readonly Tool[]): ReadonlyMap<string, string> {
  return toolNamesOnWire(tools.flatMap(namesOf), toolNameRules);
}

/** How a hosted tool is named in `tool_choice`; toolsets have no name. */
export function hostedName({ definition }: HostedTool): string | undefined {
  const { name } = definition;
  return typeof name === "string" ? name : undefined;
}

function namesOf(tool: Tool): readonly string[] {
  if (tool.type === "function") return [tool.name];
  const name = hostedName(tool);
  return name === undefined ? [] : [name];
}

function isStrict(tool: Tool): tool is FunctionTool {
  return tool.type === "function" && tool.strict === true;
}

function reasonOf(form: WireForms["form"]): string {
  return "reason" in form ? form.reason : "the schema has a strict form";
}

function hostedTool(tool: HostedTool): Anthropic.ToolUnion {
  // The vendor's own words: a newer kind of tool needs no newer version of this package.
  return ownDefinition(tool, "anthropic", "Anthropic") as unknown as Anthropic.ToolUnion;
}
