import type { Writable } from "node:stream";

/**
 * Tells what is told at once, as long as it is taken. While the other side does not read, only the newest is kept, until
 * there is room again: who does not read must not fill this side's memory.
 *
 * @param output Where it goes out; undefined where that is not known.
 */
export function tellNewest<Value>(
  output: Writable | undefined,
  tell: (value: Value) => void,
): (value: Value) => void {
  let newest: { readonly value: Value } | undefined;
  return (value) => {
    const isWaiting = newest !== undefined;
    if (!isWaiting && !output?.writableNeedDrain) return tell(value);
    newest = { value };
    if (isWaiting || output === undefined) return;
    void roomIn(output).then(() => {
      const told = newest;
      newest = undefined;
      if (told !== undefined && !output.destroyed) tell(told.value);
    });
  };
}

const waits = new WeakMap<Writable, Promise<void>>();

/** One wait for all that wait for the same stream, so that it has few listeners. */
function roomIn(output: Writable): Promise<void> {
  const known = waits.get(output);
  if (known !== undefined) return known;
  const wait = new Promise<void>((resolve) => {
    const done = (): void => {
      output.off("drain", done).off("close", done);
      waits.delete(output);
      resolve();
    };
    output.on("drain", done).on("close", done);
  });
  waits.set(output, wait);
  return wait;
}
