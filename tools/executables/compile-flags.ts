/** Flags under which V8 compiles the same bytes each time, and their ordinary values. */
export const COMPILE_FLAGS = [
  // Hashes of strings are part of what is written.
  { flag: '--hash-seed=7', ordinary: '--hash-seed=0' },
  { flag: '--random-seed=7', ordinary: '--random-seed=0' },
  // Code that was not used for some collections would be missing, sooner or later.
  { flag: '--no-flush-bytecode', ordinary: '--flush-bytecode' },
] as const;
