/**
 * A module that is loaded at its first use, and not asked for again once it is there: `import()` takes
 * microseconds each time, and much longer under a loader that has hooks. One that could not be loaded is tried
 * again at the next use.
 */
export function lateModule<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
