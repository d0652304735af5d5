/** What each program has looked at so far, as the ports have answered it. */
import { listAt, textAt } from '../../../src/evidence/json.ts';
import type { AwsCall } from '../../../src/ports/aws-api.ts';

type How = 'began' | 'whole' | 'failed';

interface Look {
  readonly beganMs: number;
  readonly whole: Set<string>;
  isFailed: boolean;
}

interface Looked {
  /** Whole looks at everything, by when they began, ms. */
  readonly wholeMs: number[];
  look: Look | null;
  /** By id: when the last whole reading began, ms; `sent` after a call that it was for. */
  readonly readings: Map<string, number | 'sent'>;
  readonly reading: Map<string, number>;
}

/** A look has the interfaces, the instances and the Nodes. */
const PARTS = 3;

export class LookBook {
  readonly #nowMs: () => number;
  readonly #programs = new Map<string, Looked>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  #of(program: string): Looked {
    const known = this.#programs.get(program);
    if (known !== undefined) return known;
    const made = { wholeMs: [], look: null, readings: new Map(), reading: new Map() };
    this.#programs.set(program, made);
    return made;
  }

  asked(program: string, call: AwsCall, how: How): void {
    const id = readId(call);
    if (id !== null) return this.#read(program, id, how);
    if (call.operation === 'DescribeNetworkInterfaces' && how === 'began')
      this.#of(program).look = { beganMs: this.#nowMs(), whole: new Set(), isFailed: false };
    this.part(program, call.operation, how);
  }

  part(program: string, name: string, how: How): void {
    const { look, wholeMs } = this.#of(program);
    if (look === null) return;
    if (how === 'failed') look.isFailed = true;
    if (how === 'whole') look.whole.add(name);
    if (this.isWhole(program) && wholeMs.at(-1) !== look.beganMs) wholeMs.push(look.beganMs);
  }

  #read(program: string, id: string, how: How): void {
    const { reading, readings } = this.#of(program);
    if (how === 'began') reading.set(id, this.#nowMs());
    if (how === 'whole') readings.set(id, reading.get(id) ?? 0);
  }

  /** When the last reading of it began that no call has used; `sent` where one has. */
  takeReading(program: string, id: string): number | 'sent' | null {
    const { readings } = this.#of(program);
    const found = readings.get(id) ?? null;
    readings.set(id, 'sent');
    return found;
  }

  /** True where all of the last look was read. */
  isWhole(program: string): boolean {
    const { look } = this.#of(program);
    return look !== null && !look.isFailed && look.whole.size === PARTS;
  }

  /** From the first whole look of this start after a moment to the last one, ms. */
  apartMs(program: string, fromMs: number): number {
    const { wholeMs } = this.#of(program);
    const lastMs = wholeMs.at(-1) ?? 0;
    return lastMs - (wholeMs.find((atMs) => atMs >= fromMs) ?? lastMs);
  }
}

/** The interface that a call reads; null for a call that lists. */
export function readId({ input }: AwsCall): string | null {
  const [filter] = listAt(input, 'Filters');
  if (textAt(filter, 'Name') !== 'network-interface-id') return null;
  const [id] = listAt(filter, 'Values');
  return typeof id === 'string' ? id : null;
}
