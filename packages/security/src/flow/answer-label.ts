import type { ChatOptions, Content, DeltaUpdate, TransformFactory } from "@tunic/core";
import { foldUpdates } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import { sealLabel } from "../labels/label-seal.js";
import { isLabelInput } from "../policy/compile-policy.js";
import { sealedMessage } from "./content-labels.js";
import type { FlowRun } from "./flow-run.js";

/** What a model itself can put into an answer; everything else was brought in by a tool of the service. */
const spoken: ReadonlySet<string> = new Set(["text", "text_reasoning", "function_call", "error"]);

/** The label of an answer while it comes in: that of the request, until a hosted tool brings more. */
export interface AnswerLabel {
  readonly current: ContentLabel;
  /** Looks at contents that have come in. */
  see(contents: readonly Content[]): void;
}

/** @param label Of the request. */
export function answerLabel(flow: FlowRun, label: ContentLabel, options: ChatOptions): AnswerLabel {
  const { lattice } = flow.settings;
  let current = label;
  let brought: ContentLabel | undefined;
  return {
    get current() {
      return current;
    },
    see(contents) {
      if (contents.every(({ type }) => spoken.has(type))) return;
      brought ??= hostedLabel(flow, options);
      current = lattice.join(current, brought);
    },
  };
}

/** What the hosted tools of a request can bring: as declared, else untrusted. */
function hostedLabel(flow: FlowRun, { tools = [] }: ChatOptions): ContentLabel {
  const { lattice, policy } = flow.settings;
  const hosted = tools.filter((tool) => tool.type === "hosted");
  const untrusted = lattice.label("untrusted");
  if (hosted.length === 0) return untrusted;
  return lattice.joinAll(
    hosted.map((tool) => {
      const result = policy.source.tools[`${tool.provider}/${tool.name}`]?.result;
      if (result === undefined || !isLabelInput(result)) return untrusted;
      return lattice.label(
        typeof result === "string" ? result : { integrity: "untrusted", ...result },
      );
    }),
  );
}

/** Puts the label on each message of an answer as it goes by, with a seal at its end where there is a secret. */
export function stampAnswer(flow: FlowRun, answer: AnswerLabel): TransformFactory {
  const { labelSecret } = flow.settings;
  return () => {
    let stamped: ContentLabel | undefined;
    let last: DeltaUpdate | undefined;
    const fold = labelSecret === undefined ? undefined : foldUpdates();
    return {
      update(update, emit) {
        last = update;
        fold?.add(update);
        answer.see(update.contents);
        if (stamped === answer.current) return emit(update);
        stamped = answer.current;
        return emit(withProperties(update, { label: stamped }));
      },
      end(emit) {
        if (last === undefined || fold === undefined || labelSecret === undefined) return;
        fold.add({ type: "finish", messageId: last.messageId });
        const contents = fold.messages.at(-1)?.contents ?? [];
        const labelSeal = sealLabel(answer.current, sealedMessage(contents), labelSecret);
        return emit(
          withProperties({ ...last, contents: [] }, { label: answer.current, labelSeal }),
        );
      },
    };
  };
}

function withProperties(update: DeltaUpdate, properties: object): DeltaUpdate {
  return {
    ...update,
    additionalProperties: { ...update.additionalProperties, ...properties },
  };
}
