import type { Skill, SkillContext, SkillListing, SkillsSource } from "../../src/index.js";

export function skillNamed(name: string, origin = "code"): Skill {
  return {
    frontmatter: { name, description: `About ${name}.` },
    origin,
    trust: "trusted",
    load: () => `Do ${name}.`,
    resources: [],
    scripts: [],
  };
}

export function contextWith(parts: Partial<SkillContext> = {}): SkillContext {
  return { signal: new AbortController().signal, ...parts };
}

export function listOf(...skills: readonly Skill[]): SkillsSource {
  return { list: async () => ({ skills, problems: [] }) };
}

/** A source whose answers come when they are told to. */
export function heldSource() {
  const asked: { readonly context: SkillContext; readonly answer: PromiseWithResolvers }[] = [];
  const source: SkillsSource = {
    list(context) {
      const answer = withResolvers();
      asked.push({ context, answer });
      return answer.promise;
    },
  };
  return { source, asked };
}

interface PromiseWithResolvers {
  readonly promise: Promise<SkillListing>;
  readonly resolve: (listing: SkillListing) => void;
  readonly reject: (reason: unknown) => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve: PromiseWithResolvers["resolve"] = () => {};
  let reject: PromiseWithResolvers["reject"] = () => {};
  const promise = new Promise<SkillListing>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
