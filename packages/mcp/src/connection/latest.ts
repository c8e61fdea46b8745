/** Something that a server has, and can change at any time. */
export interface Latest<Value> {
  /** The newest: loaded when nothing is there yet, or something has changed. */
  get(): Promise<Value>;
  /** The newest, where it is there. */
  readonly fresh: Value | undefined;
  /** It has changed. Loads it anew, in the background and once for any number of changes. */
  changed(): void;
  /** Forgets what is there; nothing is loaded before somebody asks. */
  forget(): void;
}

/** Changes that come while the newest is loaded are followed this often; a server may say it without end. */
const mostRounds = 5;

/**
 * Keeps the newest of what `load` gives. What was begun before a change is never kept as the newest.
 *
 * @param failed Told when loading in the background fails: nobody waits for that. Whoever asks next tries again.
 */
export function createLatest<Value>(
  load: () => Promise<Value>,
  failed: (error: unknown) => void,
): Latest<Value> {
  let wanted = 1;
  let have = 0;
  let known: Value | undefined;
  let loading: Promise<Value> | undefined;

  async function loadNewest(): Promise<Value> {
    for (let round = 1; ; round++) {
      const version = wanted;
      const value = await load();
      known = value;
      have = version;
      if (version === wanted || round === mostRounds) return value;
    }
  }

  function begin(): Promise<Value> {
    // A turn later: a load may itself say that something has changed.
    loading ??= Promise.resolve()
      .then(loadNewest)
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  return {
    get fresh() {
      return have === wanted ? known : undefined;
    },
    async get() {
      return this.fresh ?? begin();
    },
    changed() {
      wanted += 1;
      if (loading === undefined) begin().catch(failed);
    },
    forget() {
      wanted += 1;
      known = undefined;
    },
  };
}
