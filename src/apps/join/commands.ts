import { redact, printable } from '../../evidence/redact.ts';
import type { HostWrites } from '../../ports/host-writes.ts';
import type { JoinRun } from './join-run.ts';

const KEPT_BYTES = 256 * 1024;
/** What prints more without a line's end is shown in parts. */
const LINE_MAX = 4096;

/** Runs COMMAND and the reset, passes on what they print, and keeps the end of it. */
export class CommandRunner {
  readonly #writes: HostWrites;
  readonly #run: JoinRun;
  #output = '';

  constructor(writes: HostWrites, run: JoinRun) {
    this.#writes = writes;
    this.#run = run;
  }

  /** @throws PortError where it cannot be started */
  async run(argv: readonly string[]): Promise<number> {
    const { output, commandTimeoutMs: timeoutMs } = this.#run;
    const lines = linesTo(output);
    const end = await this.#writes.runCommand({
      argv,
      timeoutMs,
      bytesMax: KEPT_BYTES,
      mark: this.#mark(),
      onOutput: lines.hear,
    });
    lines.end();
    const said = new TextDecoder().decode(end.output);
    this.#output = `${this.#output}${said}`.slice(-KEPT_BYTES);
    if (end.isTimeOut) output(`COMMAND was ended after ${timeoutMs / 1000} s.`);
    return end.exitCode;
  }

  async isRunning(): Promise<boolean> {
    return this.#writes.isRunning(this.#mark());
  }

  output(): string {
    return this.#output;
  }

  /** The same for each start of one join, as no two run on a machine at once. */
  #mark(): string {
    return this.#run.folder;
  }
}

interface Lines {
  readonly hear: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

/** Whole lines of what may be anything, without what would change the terminal. */
function linesTo(say: (line: string) => void): Lines {
  const decoder = new TextDecoder();
  let open = '';
  const tell = (line: string): void => {
    const text = redact(printable(line));
    if (text !== '') say(text);
  };
  return {
    hear(chunk) {
      const [last = '', ...before] = `${open}${decoder.decode(chunk, { stream: true })}`
        .split('\n')
        .toReversed();
      for (const line of before.toReversed()) tell(line.slice(0, LINE_MAX));
      open = last.slice(-LINE_MAX);
    },
    end: () => tell(open),
  };
}
