/** Well below the time limit of a test, which would say nothing about the reason. */
const patienceMs = 2000;

/** The promise, or a rejection with a hint when it has not settled in time. */
export async function inTime<Value>(promise: Promise<Value>, hint: () => string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(hint())), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
