import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type XzLibraryModule from 'xz-decompress';
import type { Decoder, Engine, Fault, Slices } from './decoder.ts';
import { DecodeError, EngineDecoder } from './decoder.ts';
import { Gathering } from './gathering.ts';

type XzLibrary = typeof XzLibraryModule;

const XZ_MEMORY = '512MiB';
const FAULT_CHARS_MAX = 2000;

/**
 * A decoder of xz. The `xz` program first: it runs beside us, is 2.6 times as fast as the
 * WebAssembly library, and reads what that does not (SHA-256 checks, filters, xz inside xz). The
 * library where there is no such program.
 *
 * @param program the program's name or path; null for the library alone
 */
export async function xzDecoder(slices: Slices, program: string | null = 'xz'): Promise<Decoder> {
  const engine = program === null ? null : await xzProgram(program);
  if (engine === null) return xzLibrary(slices);
  return new Gathering(new EngineDecoder(engine, slices));
}

/** Starts the program; null when there is none. The input goes through its standard input only. */
async function xzProgram(program: string): Promise<Engine | null> {
  const { spawn } = await import('node:child_process');
  const { PATH } = process.env;
  const options = ['-dcq', '--format=xz', `--memlimit-decompress=${XZ_MEMORY}`];
  const child = spawn(program, options, { env: { LC_ALL: 'C', ...(PATH && { PATH }) } });
  const starts = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  return starts ? programEngine(child) : null;
}

function programEngine(child: ChildProcessWithoutNullStreams): Engine {
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < FAULT_CHARS_MAX) complaint += text;
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    input: child.stdin,
    output: child.stdout,
    verdict: async () => ((await code) === 0 ? null : programFault(complaint)),
    destroy: () => {
      child.kill('SIGKILL');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
  };
}

function programFault(complaint: string): DecodeError {
  const message = complaint.trim().replace(/^.*\(stdin\): /, '');
  if (message.includes('Unexpected end of input')) return new DecodeError('early', message);
  if (message.includes('format not recognized')) return new DecodeError('trailing', message);
  if (message.includes('Memory usage limit')) return new DecodeError('memory', message);
  if (message.includes('Unsupported options')) return new DecodeError('options', message);
  return new DecodeError('damaged', message === '' ? 'the xz program stopped' : message);
}

/** The library unpacks one stream at a time and would wait for ever for a second one to start. */
let libraryIsBusy = false;

async function xzLibrary(slices: Slices): Promise<Decoder> {
  if (libraryIsBusy) throw new DecodeError('nested', 'only the xz program reads xz inside xz');
  libraryIsBusy = true;
  const { default: library } = await import('xz-decompress');
  return new LibraryDecoder(library, slices);
}

/** What the numbers in its complaints mean, from the header of XZ Embedded. */
const LIBRARY_FAULTS: Readonly<Record<string, Fault>> = {
  2: 'options',
  3: 'memory',
  4: 'memory',
  5: 'trailing',
  6: 'options',
  8: 'early',
};

class LibraryDecoder implements Decoder {
  readonly #unpacked: ReadableStreamDefaultReader<Uint8Array>;
  #isPackedEnded = false;
  #isClosed = false;

  constructor(library: XzLibrary, slices: Slices) {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const slice = await slices();
      this.#isPackedEnded = slice === null;
      if (slice === null) controller.close();
      else controller.enqueue(slice);
    };
    const packed = new ReadableStream({ pull }, { highWaterMark: 0 });
    this.#unpacked = new library.XzReadableStream(packed).getReader();
  }

  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const { done, value } = await this.#read();
      if (done) return null;
      if (value !== undefined && value.length > 0) return value;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#unpacked.cancel().catch(() => {});
    libraryIsBusy = false;
  }

  async #read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
    try {
      return await this.#unpacked.read();
    } catch (error) {
      const { message } = error as Error;
      const number = /error code (\d+)$/.exec(message)?.[1];
      // Asked for input after its end it stumbles over a null, which has no number.
      const unnumbered = this.#isPackedEnded ? 'early' : 'damaged';
      const fault = number === undefined ? unnumbered : (LIBRARY_FAULTS[number] ?? 'damaged');
      throw new DecodeError(fault, message, true);
    }
  }
}
