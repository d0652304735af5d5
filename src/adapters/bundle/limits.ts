const MIB = 1024 * 1024;

/** How much one path given by the user may cost. Every limit that is hit is told as a loss. */
export interface BundleLimits {
  /** Entries of folders and archives, nested ones included. */
  readonly entriesMax: number;
  /** Bytes read from disk or standard input plus bytes unpacked, nested ones included. */
  readonly bytesMax: number;
  /** Unpacked bytes per packed byte; beyond it a compressed input counts as a bomb. */
  readonly ratioMax: number;
  /** Unpacked bytes below which the ratio is not looked at. */
  readonly ratioFloorBytes: number;
  /** Bytes kept in memory for a zip that is not a file of its own (nested, or standard input). */
  readonly nestedBytesMax: number;
  /** Losses told one by one; the rest is told as a number. */
  readonly lossesMax: number;
}

/** DEFLATE reaches 1032:1 at most; logs stay below 100:1, so 300 tells the two apart. */
export const DEFAULT_LIMITS: BundleLimits = {
  entriesMax: 250_000,
  bytesMax: 16 * 1024 * MIB,
  ratioMax: 300,
  ratioFloorBytes: 64 * MIB,
  nestedBytesMax: 64 * MIB,
  lossesMax: 200,
};
