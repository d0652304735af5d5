/** Network namespaces of a test's own, with programs in them; nothing is left when they stop. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { missingOnPath } from './parts.ts';

/** The sentence to skip a test with, or false where namespaces can be made. */
export function withoutNamespaces(): string | false {
  if (process.getuid?.() !== 0) return 'network namespaces need root; run the test as root';
  const missing = missingOnPath('ip', 'iptables', 'nft', 'conntrack');
  if (missing !== false)
    return `${missing.split(';')[0]}; run: apt-get install iproute2 iptables nftables conntrack`;
  return false;
}

/** A program in a namespace and the lines that it printed so far. */
export interface Inside {
  readonly lines: readonly string[];
  /** Ends it and waits until it has gone. */
  readonly stop: () => Promise<void>;
}

export class Namespaces {
  readonly #prefix: string;
  readonly #names: string[] = [];
  readonly #running = new Set<Inside>();

  constructor(prefix: string) {
    this.#prefix = `${prefix}-${process.pid}`;
  }

  nameOf(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  add(name: string): void {
    this.#names.push(this.nameOf(name));
    system(['ip', 'netns', 'add', this.nameOf(name)]);
    this.run(name, 'ip link set lo up');
  }

  /** Two ends of a cable, each `[namespace, interface, address]`. */
  connect(...ends: readonly [End, End]): void {
    const [[one, left], [other, right]] = ends;
    const peer = ['peer', 'name', right, 'netns', this.nameOf(other)];
    system(['ip', '-n', this.nameOf(one), 'link', 'add', left, 'type', 'veth', ...peer]);
    for (const [name, device, address] of ends) {
      this.run(name, `ip addr add ${address} dev ${device}`);
      this.run(name, `ip link set ${device} up`);
    }
  }

  /** Runs a command line without quotes to its end. @throws AssertionError when it fails */
  run(name: string, line: string): string {
    return system(['ip', 'netns', 'exec', this.nameOf(name), ...line.split(' ')]);
  }

  /** Starts a program that runs until it is stopped. */
  start(name: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Inside {
    // `ip netns exec` becomes the program, so that what is ended is the program itself.
    const child = spawn('ip', ['netns', 'exec', this.nameOf(name), ...argv], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const inside = { lines: linesOf(child), stop: async () => ended(child) };
    this.#running.add(inside);
    return inside;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((one) => one.stop()));
    for (const name of this.#names) spawnSync('ip', ['netns', 'del', name]);
  }
}

type End = readonly [namespace: string, device: string, address: string];

function system(argv: readonly string[]): string {
  const [program = '', ...args] = argv;
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: 10_000,
  });
  assert.equal(status, 0, `${argv.join(' ')}: ${stderr}`);
  return stdout;
}

function linesOf(child: ChildProcess): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }
  return lines;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill('SIGKILL');
  await promise;
}
