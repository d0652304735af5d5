/** Runs the program as people do, with an environment of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/rollcall');

/** A program that runs. */
export type Started = ReturnType<typeof spawn>;

export interface Run {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the program sees besides PATH: its home, the kubeconfig, and AWS. */
export type Surroundings = Readonly<Record<string, string>>;

export function startRollcall(args: readonly string[], env: Surroundings): Started {
  return spawn(PROGRAM, args, {
    env: { PATH: process.env['PATH'], NO_PROXY: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Longer than any test may take: a program that hangs does not keep the file of its test alive. */
const ENDS_WITHIN_MS = 150_000;

export function endOf(child: Started): Promise<Run> {
  const limit = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      resolve({ code, signal, ...said });
    });
  });
}

export function rollcall(args: readonly string[], env: Surroundings): Promise<Run> {
  return endOf(startRollcall(args, env));
}

export function documentOf({ stdout, stderr }: Run): DiagnosisDocument {
  if (stdout === '') throw new Error(`rollcall printed no document; it said: ${stderr}`);
  return JSON.parse(stdout) as DiagnosisDocument;
}

/** A home with nothing in it, and everything that would look elsewhere turned off. */
export function emptyHome(dir: string, name: string): Surroundings {
  const home = join(dir, name);
  mkdirSync(home, { recursive: true });
  return { HOME: home, KUBECONFIG: join(home, 'none'), AWS_EC2_METADATA_DISABLED: 'true' };
}

export interface KubeconfigParts {
  readonly server: string;
  readonly user?: object;
  readonly cluster?: object;
  readonly context?: string;
}

/** @returns the path of the kubeconfig; JSON is YAML too */
export function writeKubeconfig(
  path: string,
  { server, user = { token: 'a-token' }, cluster = {}, context = 'lab' }: KubeconfigParts,
): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, ...cluster } }],
    users: [{ name: 'someone', user }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'someone' } }],
    'current-context': context,
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
