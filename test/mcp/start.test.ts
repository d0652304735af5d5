/** The protocol's packages are loaded by `rollcall mcp` alone. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { emptyHome } from '../live/rollcall.ts';
import { PROGRAM, ROOT } from './client.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-mcp-start-'));
after(() => rmSync(FOLDER, { recursive: true }));

/** Loaded before the program: says at the end which packages were loaded. */
const WATCHER = join(FOLDER, 'watcher.mjs');
writeFileSync(
  WATCHER,
  `import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
const names = new Set();
registerHooks({ load: (url, context, next) => {
  const name = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
  if (name !== undefined) names.add(name);
  return next(url, context);
} });
process.on('exit', () => writeSync(2, '\\npackages: ' + [...names].join(' ')));
`,
);

function packagesOf(args: readonly string[]): readonly string[] {
  const env = { PATH: process.env['PATH'], ...emptyHome(FOLDER, 'home') };
  const { stderr } = spawnSync(PROGRAM, args, {
    cwd: ROOT,
    env: { ...env, NODE_OPTIONS: `--import ${WATCHER}` },
    input: '',
    encoding: 'utf8',
  });
  const found = /packages: (.*)$/.exec(stderr)?.[1];
  assert.ok(found !== undefined, stderr);
  return found.split(' ').filter((name) => name !== '');
}

const OF_PROTOCOL = /^(?:@modelcontextprotocol\/|zod|ajv|express|hono|@hono\/)/;

test('no other command loads them', () => {
  const example = 'examples/4a-never-let-in';
  for (const args of [
    ['status'],
    ['status', example],
    ['diagnose', example],
    ['explain', 'aws-auth-missing'],
    ['capacity', '--type', 'm5.large'],
    ['name', '--image', 'al2023'],
    ['permissions'],
    ['help', 'mcp'],
    ['__complete', ''],
  ]) {
    const loaded = packagesOf(args).filter((name) => OF_PROTOCOL.test(name));
    assert.deepEqual(loaded, [], args.join(' '));
  }
});

test('rollcall mcp loads them, but no server of HTTP', () => {
  const loaded = packagesOf(['mcp']);
  assert.ok(loaded.includes('@modelcontextprotocol/sdk'), loaded.join(' '));
  assert.deepEqual(
    loaded.filter((name) => /express|hono|jose|eventsource|cors|raw-body/.test(name)),
    [],
  );
});
