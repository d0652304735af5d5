import { run } from '../../src/apps/cli/run.ts';

export interface Captured {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Runs a command line in this process and returns what a shell would see. */
export async function capture(
  argv: readonly string[],
  input: string | null = null,
): Promise<Captured> {
  let out = '';
  let err = '';
  const code = await run(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: () => bytesOf(input ?? ''),
    progress: () => {},
    isInputPiped: input !== null,
    colour: false,
    columns: 100,
    width: 100,
  });
  return { code, out, err };
}
