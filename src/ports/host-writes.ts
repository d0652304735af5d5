export interface HostCommand {
  /** Never run through a shell. */
  readonly argv: readonly string[];
  /** Marks the command, so that `isRunning` finds it again after this program was killed. */
  readonly mark: string;
  readonly timeoutMs: number;
  /** How much of the end of its output is kept. */
  readonly bytesMax: number;
  /** Hears the output, both streams as they come. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

export interface HostCommandEnd {
  /** As shells count it: 128 and the number of the signal for a program that was killed. */
  readonly exitCode: number;
  readonly output: Uint8Array;
  /** True when more was printed than is kept; the beginning was dropped. */
  readonly isCut: boolean;
  /** True when it was ended at its time limit. */
  readonly isTimeOut: boolean;
}

/**
 * What a program that stays on a machine changes there. Throws `PortError`: `denied` for a file or
 * disk that may not be written, `unavailable` for one that is full, `not-found` for a program that
 * is not installed.
 */
export interface HostWrites {
  /** Replaces a small file, on the disk when this returns; a crash leaves the old or the new whole. */
  replaceFile(path: string, text: string): Promise<void>;
  /** Does nothing where there is none. */
  removeFile(path: string): Promise<void>;
  /** Adds a line to a device such as `/dev/console`, or to a file. */
  appendLine(path: string, line: string): Promise<void>;
  /**
   * Holds a name of this machine until it is let go or this program ends, however it ends.
   *
   * @returns null when another program holds it
   */
  hold(name: string): Promise<HostHold | null>;
  /** Runs a command with the environment of this program and no input. */
  runCommand(command: HostCommand): Promise<HostCommandEnd>;
  /** True while a command with this mark runs. */
  isRunning(mark: string): Promise<boolean>;
  /** Has the service manager restart a unit. */
  restartUnit(unit: string, timeoutMs: number): Promise<void>;
}

export interface HostHold {
  release(): Promise<void>;
}
