import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { TunicError } from "../errors/tunic-error.js";
import { EventHub } from "../events/event-hub.js";
import type { RunEvent } from "../events/run-events.js";
import type { Message } from "../messages/message.js";
import { conductRun } from "./conduct-run.js";
import type { RunEnvironment } from "./environment.js";
import { Run, type RunInit } from "./run.js";

const never = new Promise<never>(() => {});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const said = (words: string): Message => ({
  id: words,
  role: "assistant",
  contents: [{ type: "text", text: words }],
  createdAt: 0,
});

/** A run whose clock stands still until somebody moves it, with everything it tells. */
function watched(init: RunInit = {}) {
  const clock = { now: 1000 };
  const environment: RunEnvironment = {
    now: () => clock.now,
    setTimer: () => () => {},
    randomId: () => "1",
  };
  const events: RunEvent[] = [];
  const run = new Run({ environment, onEvent: (event) => events.push(event), ...init });
  run.keep({ transcript: () => [said("so far")] });
  return { run, events, clock };
}

const endsOf = (events: readonly RunEvent[]) => events.filter((event) => event.type === "run.end");

describe("a run that ends in order", () => {
  it.each(["completed", "paused", "ended", "limit"] as const)(
    "as %s tells so, once",
    async (outcome) => {
      const { run, events, clock } = watched();
      const input = [said("hello")];
      const result = { outcome, usage: { inputTokens: 3 } };
      const conducted = await conductRun(run, input, async () => {
        run.rounds = 2;
        clock.now += 50;
        return result;
      });
      expect(conducted).toBe(result);
      expect(events).toEqual([
        { type: "run.start", runId: "run_1", messages: input },
        {
          type: "run.end",
          runId: "run_1",
          outcome,
          durationMs: 50,
          rounds: 2,
          usage: { inputTokens: 3 },
          transcript: [said("so far")],
        },
      ]);
      expect(run.gate.aborted).toBe(false);
    },
  );

  it("without a word on how is completed", async () => {
    const { run, events } = watched();
    await conductRun(run, [], async () => ({}));
    expect(endsOf(events)).toMatchObject([{ outcome: "completed" }]);
  });

  it("does not count the time in which it waited for its consumer", async () => {
    const { run, events, clock } = watched();
    let open = (): void => {};
    await conductRun(run, [], async () => {
      clock.now += 10;
      const waiting = run.waitFor(new Promise<void>((resolve) => (open = resolve)));
      clock.now += 500;
      open();
      await waiting;
      clock.now += 1;
      return {};
    });
    expect(endsOf(events)).toMatchObject([{ durationMs: 11 }]);
  });
});

describe("a run that fails", () => {
  it("rejects with the very error, tells of it once, and stops what still goes on", async () => {
    const { run, events } = watched();
    const error = new Error("broken");
    const left = run.gate.pass(never);
    left.catch(() => {});
    await expect(conductRun(run, [], () => Promise.reject(error))).rejects.toBe(error);
    expect(events.map(({ type }) => type)).toEqual(["run.start", "run.end"]);
    expect(endsOf(events)).toMatchObject([
      { outcome: "failed", error, transcript: [said("so far")] },
    ]);
    expect([run.signal.aborted, run.signal.reason]).toEqual([true, error]);
    await expect(left).rejects.toBe(error);
  });

  it("by a throw before its first await fails just the same", async () => {
    const { run, events } = watched();
    const work = (): Promise<object> => {
      throw new Error("at once");
    };
    await expect(conductRun(run, [], work)).rejects.toThrow("at once");
    expect(endsOf(events)).toMatchObject([{ outcome: "failed" }]);
  });

  it("gives an error of ours the transcript, and leaves any other error as it is", async () => {
    const ours = new TunicError("code", "ours");
    await conductRun(watched().run, [], () => Promise.reject(ours)).catch(() => {});
    expect(ours.transcript).toEqual([said("so far")]);
    const foreign = Object.freeze(new Error("foreign"));
    await expect(conductRun(watched().run, [], () => Promise.reject(foreign))).rejects.toBe(
      foreign,
    );
  });

  it("gives an error of ours that came from a child run the transcript of the outer run", async () => {
    const error = new TunicError("code", "ours");
    const outer = watched();
    const inner = watched({ parent: outer.run });
    inner.run.keep({ transcript: () => [said("inner")] });
    const work = () => conductRun(inner.run, [], () => Promise.reject(error));
    await expect(conductRun(outer.run, [], work)).rejects.toBe(error);
    expect(error.transcript).toEqual([said("so far")]);
  });

  it("by a stop from inside, such as its time limit, is failed and not aborted", async () => {
    const { run, events } = watched();
    const conducted = conductRun(run, [], () => run.gate.pass(never));
    run.gate.abort(new Error("time is up"));
    await expect(conducted).rejects.toThrow("time is up");
    expect(endsOf(events)).toMatchObject([{ outcome: "failed" }]);
  });

  it("with its own error while the caller's signal is aborted too, is failed with that error", async () => {
    const caller = new AbortController();
    const { run, events } = watched({ signal: caller.signal });
    const conducted = conductRun(run, [], async () => {
      caller.abort("left");
      throw new Error("own");
    });
    await expect(conducted).rejects.toThrow("own");
    expect(endsOf(events)).toMatchObject([{ outcome: "failed" }]);
  });
});

describe("a run that is aborted", () => {
  it("before it starts, never does its work, and still has a start and an end", async () => {
    const { run, events } = watched({ signal: AbortSignal.abort("left") });
    let worked = false;
    const conducted = conductRun(run, [], async () => {
      worked = true;
      return {};
    });
    await expect(conducted).rejects.toBe("left");
    expect(worked).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(["run.start", "run.end"]);
    expect(endsOf(events)).toMatchObject([{ outcome: "aborted", error: "left" }]);
  });

  it("while it works, rejects with the caller's reason untouched", async () => {
    const caller = new AbortController();
    const { run, events } = watched({ signal: caller.signal });
    const conducted = conductRun(run, [], () => run.gate.pass(never));
    const reason = Object.freeze({ why: "left" });
    caller.abort(reason);
    await expect(conducted).rejects.toBe(reason);
    expect(endsOf(events)).toMatchObject([{ outcome: "aborted", transcript: [said("so far")] }]);
  });

  it("takes its child runs with it, each with an end of its own", async () => {
    const caller = new AbortController();
    const outer = watched({ signal: caller.signal });
    const inner = watched({ parent: outer.run });
    const work = () => conductRun(inner.run, [], () => inner.run.gate.pass(never));
    const conducted = conductRun(outer.run, [], work);
    caller.abort("left");
    await expect(conducted).rejects.toBe("left");
    expect(endsOf(inner.events)).toMatchObject([{ outcome: "aborted" }]);
    expect(endsOf(outer.events).map((event) => event.outcome)).toEqual(["aborted", "aborted"]);
  });

  it("leaves a reason that is one of our errors untouched", async () => {
    const caller = new AbortController();
    const { run } = watched({ signal: caller.signal });
    const conducted = conductRun(run, [], () => run.gate.pass(never));
    const reason = new TunicError("mine", "left");
    caller.abort(reason);
    await expect(conducted).rejects.toBe(reason);
    expect(reason.transcript).toBeUndefined();
  });

  it("as a child of a run that failed leaves that run's error its transcript", async () => {
    const error = new TunicError("code", "ours");
    const outer = watched();
    const inner = watched({ parent: outer.run });
    inner.run.keep({ transcript: () => [said("inner")] });
    const conducted = conductRun(outer.run, [], async () => {
      conductRun(inner.run, [], () => inner.run.gate.pass(never)).catch(() => {});
      throw error;
    });
    await expect(conducted).rejects.toBe(error);
    await turn();
    expect(endsOf(inner.events)).toMatchObject([{ outcome: "aborted", error }]);
    expect(error.transcript).toEqual([said("so far")]);
  });
});

describe("whatever way a run ends", () => {
  const ways: [string, () => Promise<object>][] = [
    ["in order", async () => ({})],
    ["with an error", () => Promise.reject(new Error("broken"))],
  ];

  it.each(ways)("%s, it listens to no signal any more", async (_way, work) => {
    const caller = new AbortController();
    const parent = new Run();
    const run = new Run({ signal: caller.signal, parent });
    const listeners = () =>
      [caller.signal, parent.signal].map((signal) => getEventListeners(signal, "abort").length);
    expect(listeners()).toEqual([1, 1]);
    await conductRun(run, [], work).catch(() => {});
    expect(listeners()).toEqual([0, 0]);
  });

  it("by an abort, and by a signal that was followed anew after a time limit, it is the same", async () => {
    const caller = new AbortController();
    const run = new Run({ signal: caller.signal });
    const conducted = conductRun(run, [], () => {
      run.gate.abort("time limit");
      run.reopen();
      return run.gate.pass(never);
    });
    caller.abort("left");
    await expect(conducted).rejects.toBe("left");
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
  });

  it("a listener that throws changes nothing about it", async () => {
    const hub = new EventHub();
    const notices: RunEvent[] = [];
    hub.on("notice", (event) => notices.push(event));
    hub.on("run.start", () => Promise.reject(new Error("slow listener")));
    const { run } = watched({
      events: hub,
      onEvent: () => {
        throw new Error("bad listener");
      },
    });
    expect(await conductRun(run, [], async () => ({}))).toEqual({});
    await turn();
    expect(notices.map((event) => event.type === "notice" && event.message).toSorted()).toEqual([
      'A listener of "run.end" failed: bad listener',
      'A listener of "run.start" failed: bad listener',
      'A listener of "run.start" failed: slow listener',
    ]);
  });

  it("nothing is put together for events when nobody listens", async () => {
    const run = new Run();
    run.keep({
      transcript() {
        throw new Error("nobody asked");
      },
    });
    expect(await conductRun(run, [], async () => ({}))).toEqual({});
  });
});
