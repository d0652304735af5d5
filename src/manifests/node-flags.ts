/** Where the image has Node.js. */
export const NODE_PATH = '/usr/local/bin/node';

/** Where the image has the program. */
export const PROGRAM_PATH = '/app/rollcall.mjs';

/**
 * For a program that keeps a roll call. What a judgement allocates has to be dead before the young
 * part of V8's heap is full, or all of it moves to the old part, which is then collected during the
 * next one. V8 shrinks the young part to 1 MB wherever it is to save memory; with 4 MB a change of
 * 1,000 machines takes half the time and 10 MB more (docs/benchmarks.md). No flag that a running
 * program can set does the same.
 */
export const RESIDENT_NODE_FLAGS = ['--min-semi-space-size=4'] as const;
