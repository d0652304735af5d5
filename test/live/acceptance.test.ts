import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../real/bench.ts';
import { missing, partPath } from '../real/parts.ts';
import type { Looks } from './twice.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMINATION = join(ROOT, '../shared/tools/live/run.mjs');
const ABSENT = 'the live examination is not beside this checkout';
/** Twenty-five states laid one after another into a real API server and an emulated AWS. */
const LIMIT_MS = 900_000;
const SCENARIOS = 25;
/** Looks live, and then at what the live look saved. */
const TWICE = join(import.meta.dirname, 'twice.ts');

function looksIn(folder: string): readonly Looks[] {
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

function examine(
  port: number,
  folder: string,
  looks: string,
): Promise<{ code: number | null; out: string }> {
  const python = dirname(partPath('moto'));
  const env = {
    ...process.env,
    PATH: [python, process.env['PATH'] ?? ''].join(delimiter),
    KUBEBUILDER_ASSETS: dirname(partPath('kube-apiserver')),
    ARENA_DIR: folder,
    ARENA_PORT: String(port),
  };
  const argv = [EXAMINATION, '--min', '23', '--max-wrong', '0', '--'];
  const examinee = [process.execPath, TWICE, looks];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...argv, ...examinee], {
      env,
      cwd: ROOT,
      stdio: 'pipe',
    });
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (out += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out }));
  });
}

const skip = existsSync(EXAMINATION) ? missing('kube-apiserver', 'etcd', 'moto') : ABSENT;

test('known states of real APIs are named, live and from what was saved', {
  skip,
  timeout: LIMIT_MS,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-live-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const looks = join(folder, 'looks');
  mkdirSync(looks);
  const { code, out } = await examine(await freePort(), folder, looks);
  assert.equal(code, 0, out);
  const compared = looksIn(looks);
  assert.equal(compared.length, SCENARIOS);
  for (const { asked, compared: count, differences } of compared) {
    assert.ok(count > 0, asked.join(' '));
    assert.deepEqual(differences, [], asked.join(' '));
  }
});
