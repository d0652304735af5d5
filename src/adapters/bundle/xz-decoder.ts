import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Decoder, Engine, Slices } from './decoder.ts';
import { DecodeError, EngineDecoder } from './decoder.ts';
import { Gathering } from './gathering.ts';

const XZ_MEMORY = '512MiB';
const FAULT_CHARS_MAX = 2000;

/**
 * A decoder of xz. The `xz` program first: it runs beside us, is 2.6 times as fast as the
 * WebAssembly library, and reads what that does not (several streams, SHA-256 checks, xz inside
 * xz). The library where there is no such program.
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
  if (message.includes('Memory usage limit')) return new DecodeError('memory', message);
  return new DecodeError('damaged', message === '' ? 'the xz program stopped' : message);
}

/** The library unpacks one stream at a time and would wait for ever for a second one to start. */
let libraryIsBusy = false;

async function xzLibrary(slices: Slices): Promise<Decoder> {
  if (libraryIsBusy) throw new DecodeError('nested', 'only the xz program reads xz inside xz');
  libraryIsBusy = true;
  const { XzReadableStream } = (await import('xz-decompress')).default;
  const packed = new PackedStream(slices);
  const unpacked = new XzReadableStream(packed.stream).getReader();
  return new LibraryDecoder(packed, unpacked);
}

/** Slices as the web stream that the library wants, with a memory of how it ended. */
class PackedStream {
  readonly stream: ReadableStream<Uint8Array>;
  isEnded = false;
  readonly #slices: Slices;
  #last: Uint8Array = new Uint8Array(0);

  constructor(slices: Slices) {
    this.#slices = slices;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (await this.#advance()) controller.enqueue(this.#last);
      else controller.close();
    };
    this.stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** Whether another xz stream, or anything but zeros, follows the one that was unpacked. */
  async hasMore(): Promise<boolean> {
    const last = Buffer.from(this.#last).toString('latin1');
    if (/YZ\0*\xfd7zXZ\0/.test(last)) return true;
    while (await this.#advance()) if (this.#last.some((byte) => byte !== 0)) return true;
    return false;
  }

  async #advance(): Promise<boolean> {
    const slice = await this.#slices();
    this.isEnded = slice === null;
    if (slice === null) return false;
    this.#last = slice;
    return true;
  }
}

class LibraryDecoder implements Decoder {
  readonly #packed: PackedStream;
  readonly #unpacked: ReadableStreamDefaultReader<Uint8Array>;
  #closed = false;

  constructor(packed: PackedStream, unpacked: ReadableStreamDefaultReader<Uint8Array>) {
    this.#packed = packed;
    this.#unpacked = unpacked;
  }

  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const { done, value } = await this.#read();
      if (done) break;
      if (value !== undefined && value.length > 0) return value;
    }
    if (await this.#packed.hasMore()) throw new DecodeError('more', 'a second xz stream follows');
    return null;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#unpacked.cancel().catch(() => {});
    libraryIsBusy = false;
  }

  async #read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
    try {
      return await this.#unpacked.read();
    } catch (error) {
      if (this.#packed.isEnded) throw new DecodeError('early', 'the input ended');
      throw new DecodeError('damaged', (error as Error).message);
    }
  }
}
