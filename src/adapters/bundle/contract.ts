/** One text, journal, dump or other plain sequence of bytes found in what the user gave. */
export interface EvidenceDocument {
  /**
   * Where the bytes are, for people: `logs/kubelet.log`, `eks_i-0abc.tar.gz!var_log/messages`, `-`.
   * Control, format and bidirectional characters are replaced. Not unique: an archive may hold two
   * entries of one name, and both are delivered, in the order of the archive.
   */
  readonly locator: string;
  /** The outermost archive or compressed file around the document, null for a plain file. */
  readonly container: string | null;
  /** Modification time in ms since the epoch of the file or archive entry; null when unknown. */
  readonly modifiedMs: number | null;
  /**
   * The bytes in order, in chunks of at most 1 MiB, each good until the next but one is asked for:
   * who needs it longer copies it. May be iterated once, and only until the next
   * document is asked for; what is not read is skipped. Damage ends the bytes early and is told as
   * a loss; iterating never throws for it.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Something in the input that could not be read, or was left out on purpose. */
export interface InputLoss {
  readonly locator: string;
  /** A full sentence: the input, what happened, and the command that helps if there is one. */
  readonly what: string;
}

export type OnLoss = (loss: InputLoss) => void;

/** A path the user named cannot be opened at all. The message says which, why, and what to do. */
export class EvidenceError extends Error {
  override readonly name = 'EvidenceError';
  /** The path as the user gave it. */
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}
