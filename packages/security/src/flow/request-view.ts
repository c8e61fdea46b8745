import type { Message } from "@tunic/core";
import { withoutShown } from "../answer/shown-variables.js";
import { withoutEdits } from "./edit-notes.js";
import type { FlowRun, RequestView } from "./flow-run.js";
import { messageLabel } from "./message-labels.js";

/**
 * What a request shows. Views grow at their end: what stood in the one before is neither labelled again nor
 * looked into. One that has become another is looked at as a whole.
 */
export function requestView(flow: FlowRun, messages: readonly Message[]): RequestView {
  const { lattice } = flow.settings;
  if (!hasGrown(flow.view, messages)) {
    flow.view = { given: [], sent: [], label: lattice.bottom };
  }
  const { view } = flow;
  for (let at = view.given.length; at < messages.length; at++) {
    const message = messages[at] as Message;
    const sent = withoutEdits(withoutShown(message));
    view.given.push(message);
    view.sent.push(sent);
    view.label = lattice.join(view.label, messageLabel(flow, sent));
  }
  return view;
}

function hasGrown({ given }: RequestView, messages: readonly Message[]): boolean {
  return given.length <= messages.length && given.every((message, at) => message === messages[at]);
}

/** What is sent: the very list that was given, where nothing in it is replaced. */
export function sentMessages(
  { given, sent }: RequestView,
  messages: readonly Message[],
): readonly Message[] {
  return sent.every((message, at) => message === given[at]) ? messages : [...sent];
}
