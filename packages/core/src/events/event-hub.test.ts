import { describe, expect, it } from "vitest";
import { callListener, EventHub } from "./event-hub.js";
import type { RunEvent } from "./run-events.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const source = {
  runId: "run_1",
  parentRunId: "run_0",
  sessionId: "s1",
  agentId: "a1",
  agentName: "Ada",
};
const decided = (requestId = "r1"): RunEvent<"approval.decided"> => ({
  type: "approval.decided",
  ...source,
  requestId,
  approved: true,
});

function noticesOf(hub: EventHub): RunEvent<"notice">[] {
  const notices: RunEvent<"notice">[] = [];
  hub.on("notice", (event) => notices.push(event));
  return notices;
}

describe("EventHub", () => {
  it("calls the listeners of an event's name, in order, with the event itself", () => {
    const hub = new EventHub();
    const seen: unknown[] = [];
    hub.on("approval.decided", (event) => seen.push("first", event));
    hub.on("approval.decided", (event) => seen.push("second", event));
    hub.on("tools.changed", () => seen.push("other"));
    const event = decided();
    hub.emit(event);
    expect(seen).toEqual(["first", event, "second", event]);
    expect(seen[1]).toBe(event);
  });

  it("refuses names of no event and listeners that are none", () => {
    const hub = new EventHub();
    const on = (...args: readonly unknown[]) => Reflect.apply(hub.on, hub, args);
    expect(() => on("call.ended", () => {})).toThrow(
      expect.objectContaining({
        code: "unknown_event",
        message: expect.stringContaining('did you mean "call.end"?'),
      }),
    );
    expect(() => on("zebra", () => {})).toThrow(/There are: run\.start, /);
    expect(() => on("run.end")).toThrow(expect.objectContaining({ code: "invalid_option" }));
    expect(hub.active).toBe(false);
  });

  it("reports a listener that throws as a notice from the same run, and calls the others", () => {
    const hub = new EventHub();
    const notices = noticesOf(hub);
    const seen: string[] = [];
    const error = new Error("broken");
    hub.on("approval.decided", () => {
      throw error;
    });
    hub.on("approval.decided", (event) => seen.push(event.requestId));
    hub.emit(decided());
    expect(seen).toEqual(["r1"]);
    expect(notices).toEqual([
      {
        type: "notice",
        ...source,
        code: "listener_failed",
        message: 'A listener of "approval.decided" failed: broken',
        error,
      },
    ]);
  });

  it("reports a listener that rejects, also with what is no error", async () => {
    const hub = new EventHub();
    const notices = noticesOf(hub);
    hub.on("approval.decided", async () => {
      await null;
      throw "just words";
    });
    hub.emit(decided());
    expect(notices).toEqual([]);
    await turn();
    expect(notices).toMatchObject([
      { message: expect.stringContaining("just words"), error: "just words" },
    ]);
  });

  it("does not wait for a listener that never settles", () => {
    const hub = new EventHub();
    const seen: string[] = [];
    hub.on("approval.decided", () => new Promise(() => {}));
    hub.on("approval.decided", (event) => seen.push(event.requestId));
    hub.emit(decided());
    hub.emit(decided("r2"));
    expect(seen).toEqual(["r1", "r2"]);
  });

  it("does not report a failing notice listener to itself or anybody else", async () => {
    const hub = new EventHub();
    let calls = 0;
    hub.on("notice", () => {
      calls++;
      throw new Error("broken");
    });
    hub.on("notice", async () => {
      calls++;
      throw new Error("broken later");
    });
    hub.on("approval.decided", () => {
      throw new Error("the one cause");
    });
    hub.emit(decided());
    await turn();
    expect(calls).toBe(2);
  });

  it("hurts nobody when a listener fails and nobody listens to notices", async () => {
    const hub = new EventHub();
    hub.on("approval.decided", () => Promise.reject(new Error("broken")));
    hub.on("approval.decided", () => {
      throw new Error("broken");
    });
    expect(() => hub.emit(decided())).not.toThrow();
    await turn();
  });

  it("ends one listening at a time, even of one function that listens twice", () => {
    const hub = new EventHub();
    let calls = 0;
    const listener = () => calls++;
    const offFirst = hub.on("approval.decided", listener);
    hub.on("approval.decided", listener);
    offFirst();
    offFirst();
    hub.emit(decided());
    expect(calls).toBe(1);
  });

  it("is active exactly while somebody listens", () => {
    const hub = new EventHub();
    expect(hub.active).toBe(false);
    const offs = [
      hub.on("notice", () => {}),
      hub.on("run.start", () => {}),
      hub.on("notice", () => {}),
    ];
    expect(hub.active).toBe(true);
    offs[0]?.();
    offs[0]?.();
    offs[1]?.();
    expect(hub.active).toBe(true);
    offs[2]?.();
    expect(hub.active).toBe(false);
  });

  it("lets a listener end itself while it is called, without skipping the next one", () => {
    const hub = new EventHub();
    const seen: string[] = [];
    const off = hub.on("approval.decided", () => {
      seen.push("once");
      off();
    });
    hub.on("approval.decided", () => seen.push("always"));
    hub.emit(decided());
    hub.emit(decided());
    expect(seen).toEqual(["once", "always", "always"]);
  });
});

describe("callListener", () => {
  const fails = (): never => {
    throw new Error("broken");
  };

  it("gives a failure to whoever reports it", () => {
    const reports: unknown[] = [];
    callListener(fails, decided(), (...report) => reports.push(report));
    expect(reports).toEqual([
      ["listener_failed", 'A listener of "approval.decided" failed: broken', new Error("broken")],
    ]);
  });

  it("reports no failure of a notice listener: that would not end", () => {
    const reports: unknown[] = [];
    callListener(fails, { type: "notice" }, (...report) => reports.push(report));
    expect(reports).toEqual([]);
  });
});
