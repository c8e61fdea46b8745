import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

interface LoggedEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

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
  /** The events of all sessions by id, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #ids = 0;

  /** @param maxBytes Of all messages together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** That of a session: it knows its own events only. */
  open(): EventLog {
    const events = new Map<string, LoggedEvent>();
    return {
      storeEvent: async (streamId, message) => {
        const id = String(++this.#ids);
        const bytes = Buffer.byteLength(JSON.stringify(message));
        events.set(id, { streamId, message });
        this.#kept.set(id, { events, bytes });
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
        for (const id of [...events.keys()]) this.#drop(id);
      },
    };
  }

  #makeRoom(): void {
    for (const id of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(id);
    }
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    kept.events.delete(id);
    this.#kept.delete(id);
    this.#bytes -= kept.bytes;
  }
}
