/** The executable of this machine's platform, unpacked from its archive far from the checkout. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PLATFORMS, isHere } from '../../tools/executables/platforms.ts';
import type { Surroundings } from '../live/rollcall.ts';
import { environmentIn } from '../cli/lab/environment.ts';

const run = promisify(execFile);
const TOOL = join(import.meta.dirname, '../../tools/executables.ts');
export const RELEASES = 'https://releases.example.com/rollcall/releases/download';

export const PLATFORM = PLATFORMS.find(isHere) ?? null;

/** Builds for one platform, this one where none is named. */
export async function buildExecutables(
  folder: string,
  flags: readonly string[] = [],
  platform = PLATFORM?.name ?? '',
): Promise<void> {
  const args = [TOOL, folder, '--platform', platform, '--releases', RELEASES, ...flags];
  await run(process.execPath, args);
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class ExecutableSite {
  readonly dir = mkdtempSync(join(tmpdir(), 'rollcall-executable-test-'));
  readonly built = join(this.dir, 'built');
  /** Where the archive is unpacked. */
  readonly place = join(this.dir, 'place');
  readonly program = join(this.place, 'rollcall');

  async build(archive: string): Promise<void> {
    await buildExecutables(this.built);
    mkdirSync(this.place);
    await run('tar', ['-xzf', join(this.built, archive), '-C', this.place]);
  }

  /** No Node.js, no other program and no source of evidence. */
  bare(): Surroundings {
    const home = join(this.dir, 'home');
    mkdirSync(home, { recursive: true });
    return { PATH: home, HOME: home, AWS_EC2_METADATA_DISABLED: 'true' };
  }

  /** Runs it to its end. */
  run(args: readonly string[], env: Surroundings = this.bare(), input = ''): Ended {
    const ended = spawnSync(this.program, args, { cwd: '/', env, input, encoding: 'utf8' });
    return { code: ended.status, out: ended.stdout, err: ended.stderr };
  }

  /** Starts it, and ends it by a signal once it has said something. */
  async runUntil(
    args: readonly string[],
    said: RegExp,
    env: Surroundings = this.bare(),
  ): Promise<Ended> {
    const { child, ended } = this.start(args, env);
    await saidBy(child, said);
    child.kill('SIGTERM');
    return ended;
  }

  start(args: readonly string[], env: Surroundings = this.bare()) {
    const child = spawn(this.program, args, { cwd: '/', env });
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (part: string) => (texts.out += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (texts.err += part));
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      ...texts,
    }));
    return { child, ended };
  }

  /** The environment of a lab that is open in a folder. */
  lab(folder: string): Surroundings {
    return { ...this.bare(), ...environmentIn(join(folder, 'env')) };
  }

  text(name: string): string {
    return readFileSync(join(this.built, name), 'utf8');
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

type Child = ReturnType<ExecutableSite['start']>['child'];

/** @throws Error where it ends before */
export async function saidBy(child: Child, what: RegExp): Promise<void> {
  let text = '';
  const over = Promise.withResolvers<void>();
  const hear = (part: string): void => {
    text += part;
    if (what.test(text)) over.resolve();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  child.once('close', () => over.reject(new Error(`it ended before ${what}:\n${text}`)));
  await over.promise;
}
