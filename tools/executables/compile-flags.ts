/** Flags under which V8 compiles the same bytes each time, and their ordinary values. */
export const COMPILE_FLAGS = [
  // Hashes of strings are part of what is written, and drawn at each start.
  { flag: '--random-seed=7', ordinary: '--random-seed=0' },
  // Code that was not used for some collections of garbage would be missing, sooner or later.
  { flag: '--no-flush-bytecode', ordinary: '--flush-bytecode' },
  // What was in memory before shows between the fields of objects, so no memory is used twice.
  { flag: '--min-semi-space-size=512', ordinary: '--min-semi-space-size=0' },
  { flag: '--max-semi-space-size=512', ordinary: '--max-semi-space-size=0' },
  { flag: '--initial-heap-size=4096', ordinary: '--initial-heap-size=0' },
] as const;
