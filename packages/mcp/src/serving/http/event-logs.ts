import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

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
        const all = [...events];
        const after = all.slice(all.findIndex(([id]) => id === last) + 1);
        for (const [id, event] of after) {
          if (event.streamId === streamId) await send(id, event.message);
        }
        return streamId;
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
