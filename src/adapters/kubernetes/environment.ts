/** A program that is asked for a credential. */
export interface KubeCommand {
  readonly argv: readonly string[];
  /** Added to the environment of this program. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Most bytes that are kept of each stream. */
  readonly bytesMax: number;
  /** True when the program may ask its user on the terminal. */
  readonly isInteractive: boolean;
}

export interface KubeCommandResult {
  /** null when it was ended by a signal or by the time limit. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTimedOut: boolean;
  /** True when it printed more than `bytesMax`. */
  readonly isCut: boolean;
}

/** What reading a kubeconfig needs of the machine, so that tests need no state of the process. */
export interface KubeEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home folder of the user, absolute. */
  readonly home: string;
  /** True when a person sits at standard input. */
  readonly isInteractive?: boolean;
  /** The whole file; throws errors that carry the system's `code` (`ENOENT`, `EACCES`). */
  readFile(path: string): Promise<Uint8Array>;
  /** Throws an error with the code `ENOENT` when there is no such program. */
  run(command: KubeCommand): Promise<KubeCommandResult>;
}

/** The system's code of an error (`ENOENT`), empty when it has none. */
export function codeOf(error: unknown): string {
  const code: unknown = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
