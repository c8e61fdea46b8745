import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** An event, and its id. */
export type StoredEvent = readonly [id: string, message: JSONRPCMessage];

interface LoggedEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

/** What an event takes beside its message, about: ids, entries and objects. Most messages are smaller than that. */
export const eventBytes = 512;

interface Kept {
  readonly events: Map<string, LoggedEvent>;
  readonly bytes: number;
}

/** What one session has been sent of late. */
export interface EventLog extends EventStore {
  /**
   * What came after an event on a stream that has had its last one; undefined for other streams, on which more may come.
   *
   * @param last The event's id.
   */
  restOf(last: string): readonly StoredEvent[] | undefined;
  /** A stream may hold answers to several requests from now on: its last event cannot be told. */
  sharesStreams(): void;
  /** When the session is over. */
  forget(): void;
}

/**
 * What has been sent over streams of events, so that a client whose connection breaks can have the rest of it. All sessions
 * share the room; what is oldest goes first.
 */
export class EventLogs {
  readonly #maxBytes: number;
  /** The events of all sessions by number. */
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;
  /** Of the newest event. */
  #newest = 0;
  /** No event that is kept has a smaller one. */
  #oldest = 1;

  /** @param maxBytes Of all events together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** That of a session: it knows its own events only. */
  open(): EventLog {
    const events = new Map<string, LoggedEvent>();
    let isShared = false;
    /** An event, and those that came after it on its stream. */
    const from = (id: string): readonly StoredEvent[] => {
      const all = [...events];
      const start = all.findIndex(([each]) => each === id);
      const streamId = all[start]?.[1].streamId;
      const own =
        start < 0 ? [] : all.slice(start).filter(([, event]) => event.streamId === streamId);
      return own.map(([each, { message }]) => [each, message]);
    };
    return {
      storeEvent: async (streamId, message) => {
        const number = ++this.#newest;
        const id = String(number);
        const bytes = eventBytes + Buffer.byteLength(JSON.stringify(message));
        events.set(id, { streamId, message });
        this.#kept.set(number, { events, bytes });
        this.#bytes += bytes;
        this.#makeRoom();
        return id;
      },
      getStreamIdForEventId: async (id) => events.get(id)?.streamId,
      async replayEventsAfter(last, { send }) {
        const { streamId = "" } = events.get(last) ?? {};
        for (const [id, message] of from(last).slice(1)) await send(id, message);
        return streamId;
      },
      restOf(last) {
        const own = from(last);
        const isOver = own.some(([, message]) => "result" in message || "error" in message);
        return isOver && !isShared ? own.slice(1) : undefined;
      },
      sharesStreams() {
        isShared = true;
      },
      forget: () => {
        for (const id of [...events.keys()]) this.#drop(Number(id));
      },
    };
  }

  #makeRoom(): void {
    // By number: to look for the first entry of a map is slow where many were taken out before it.
    while (this.#bytes > this.#maxBytes) this.#drop(this.#oldest++);
  }

  #drop(number: number): void {
    const kept = this.#kept.get(number);
    if (kept === undefined) return;
    kept.events.delete(String(number));
    this.#kept.delete(number);
    this.#bytes -= kept.bytes;
  }
}
