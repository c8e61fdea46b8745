/** Deeper than data that anybody reads, and shallow enough for every stack. */
export const maximumDepth = 500;
/** Shared parts are written out each time; this ends what would never fit into memory. */
export const maximumNodes = 2_000_000;
