import { shownJson, textAt, type WireRecord } from "../wire-values.js";

/** What an item is known by. */
export interface ItemIdentity {
  readonly type: string;
  readonly id: string;
  /** The id of a call, as the service names it. */
  readonly callId: string;
  /** The name of a call on the wire. */
  readonly name: string;
  /** All of it, as the service has said it; undefined where it never did. */
  readonly whole: WireRecord | undefined;
}

/** Whether an item that the service speaks of can be this one. */
export function mayBe(mine: ItemIdentity, item: WireRecord): boolean {
  if (mine.type !== textAt(item, "type")) return false;
  const callId = textAt(item, "call_id");
  if (mine.callId !== "" && callId !== "") return mine.callId === callId;
  const name = textAt(item, "name");
  return mine.name === "" || name === "" || mine.name === name;
}

/**
 * Whether an item is told from its beginning once more, although it was told whole. An empty message does
 * no harm, and some servers have one id for all of them.
 */
export function beginsAgain(mine: ItemIdentity, item: WireRecord): boolean {
  if (mine.whole === undefined || mine.type === "message" || !hasIdOf(mine, item)) return false;
  return ["type", "call_id", "name"].every(
    (member) => textAt(item, member) === textAt(mine.whole ?? {}, member),
  );
}

/** Whether an item is told whole once more. */
export function repeats(mine: ItemIdentity, item: WireRecord): boolean {
  const { whole } = mine;
  return whole !== undefined && hasIdOf(mine, item) && shownJson(item) === shownJson(whole);
}

/** Whether an item is this call with other ids, which some servers give anew in the whole response. */
export function restates({ whole }: ItemIdentity, item: WireRecord): boolean {
  if (whole === undefined || textAt(whole, "name") === "") return false;
  return ["type", "name", "arguments"].every(
    (member) => shownJson(whole[member]) === shownJson(item[member]),
  );
}

function hasIdOf({ id }: ItemIdentity, item: WireRecord): boolean {
  return id !== "" && textAt(item, "id") === id;
}
