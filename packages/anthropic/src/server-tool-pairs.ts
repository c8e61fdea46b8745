import { isJsonObject } from "@tunic/core";
import type { Block } from "./wire-block.js";

/** Neighbouring turns of one role, as far as it matters here. */
interface Group {
  readonly role: string;
  readonly blocks: readonly Block[];
}

const none: ReadonlySet<Block> = new Set();

/**
 * The blocks that the service would refuse: calls of its own tools that have no result, and results
 * without a call, as a log that was cut or repaired has them. A call may be left open by the last
 * turn, which paused, and by a turn with calls of ours, whose results come first: "A server tool call
 * still missing its result block completes in a later response"
 * (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
 */
export function unpairedBlocks(groups: readonly Group[]): ReadonlySet<Block> {
  const pairing = new Pairing();
  groups.forEach(({ role, blocks }, at) => {
    if (role !== "assistant") return;
    for (const block of blocks) pairing.read(block);
    const waits = at === groups.length - 1 || blocks.some(({ type }) => type === "tool_use");
    if (!waits) pairing.giveUp();
  });
  return pairing.unpaired.size > 0 ? pairing.unpaired : none;
}

class Pairing {
  readonly unpaired = new Set<Block>();
  readonly #open = new Map<unknown, Block>();

  read(block: Block): void {
    if (isServerCall(block)) {
      const id = idOf(block, "id");
      const other = this.#open.get(id);
      if (other) this.unpaired.add(other);
      this.#open.set(id, block);
    } else if (isServerResult(block) && !this.#open.delete(idOf(block, "tool_use_id"))) {
      this.unpaired.add(block);
    }
  }

  /** No result comes any more. */
  giveUp(): void {
    for (const call of this.#open.values()) this.unpaired.add(call);
    this.#open.clear();
  }
}

function isServerCall({ type }: Block): boolean {
  return type !== "tool_use" && type.endsWith("tool_use");
}

function isServerResult({ type }: Block): boolean {
  return type !== "tool_result" && type.endsWith("tool_result");
}

function idOf(block: Block, member: string): unknown {
  const known: unknown = block;
  return isJsonObject(known) ? known[member] : undefined;
}
