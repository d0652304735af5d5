import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readLabArguments } from '../../src/apps/lab/arguments.ts';
import { twoColumns } from '../../src/apps/lab/columns.ts';
import { shippedStories } from '../../src/apps/lab/load.ts';
import { sharedTests, shareOf, tellShare } from '../share.ts';
import { capture } from './capture.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'src/apps/cli/main.ts');
const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-lab-test-'));
after(() => rmSync(FOLDER, { recursive: true }));

function fileOf(name: string, text: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

describe('what the lab refuses', () => {
  const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a story that there is not', ['joined-and-was-gon'], /did you mean joined-and-was-gone\?/],
    ['two stories', ['a', 'b'], /unexpected argument "b"; see: rollcall help lab/],
    ['a speed that is none', ['--speed', 'fast'], /--speed takes a number from 0\.1 to 1000/],
    ['a port out of range', ['--port', '70000'], /--port takes a whole number from 0 to 65535/],
    ['a folder as a story', [FOLDER], /is a YAML file/],
  ];
  for (const [name, args, expected] of refusals)
    test(name, async () => {
      const { code, err, out } = await capture(['lab', ...args]);
      assert.equal(code, 64, err);
      assert.match(err, expected);
      assert.equal(out, '');
    });

  test('a scenario with mistakes, each with its line', async () => {
    const path = fileOf(
      'wrong.yaml',
      'story: x\ntitle: y\nuntil: soon\nworld:\n  cluster: { kind: nomad }\n',
    );
    const { code, err } = await capture(['lab', path]);
    assert.equal(code, 64);
    assert.match(err, /wrong\.yaml:3: until must be a time/);
    assert.match(err, /wrong\.yaml:5: "nomad" is not one of kubeadm, eks/);
  });

  test('rejects a scenario that is not YAML', async () => {
    const { code, err } = await capture(['lab', fileOf('broken.yaml', 'a: [1\nb: }')]);
    assert.equal(code, 64);
    assert.match(err, /broken\.yaml:2: /);
  });

  for (const [name, folder] of [
    ['a folder that cannot be made', '/proc/nowhere'],
    ['a folder without a parent', join(FOLDER, 'no', 'such')],
    ['a file as a folder', fileOf('file', '')],
  ] as const)
    test(name, async () => {
      const { code, err } = await capture(['lab', '--folder', folder]);
      assert.equal(code, 64);
      assert.match(err, /cannot be written \(E\w+: .*choose another: --folder PATH/);
    });

  test('a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    const { code, err } = await capture(['lab', '--port', String(port), '--folder', FOLDER]);
    server.close();
    assert.equal(code, 69);
    assert.match(err, new RegExp(`Port ${port} is not available .*choose another: --port`));
  });
});

test('the list names every story with its title', async () => {
  const { code, out } = await capture(['lab', '--list']);
  assert.equal(code, 0);
  assert.deepEqual(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    shippedStories().map(({ name, title }) => [name, title]),
  );
});

test('numbers are read as they are written', () => {
  const asked = readLabArguments(['--speed', '2.5', '--nodes', '20', '--seed', '7']);
  assert.deepEqual([asked.speed, asked.nodes, asked.seed, asked.port], [2.5, 20, 7, 0]);
});

test('the two columns keep to their sides and to the width', () => {
  const { line } = twoColumns(80);
  const long = 'word '.repeat(40);
  const left = line({ atMs: 65_000, side: 'seen', text: long });
  const right = line({ atMs: 65_000, side: 'rollcall', text: long });
  assert.ok(left[0]?.startsWith('01:05  word'));
  assert.ok(right[0]?.startsWith(`01:05  ${' '.repeat(37)}word`), right[0] ?? '');
  assert.deepEqual(
    [...left, ...right].filter((one) => one.length > 80),
    [],
  );
});

const STORIES_OF = 8;

describe('every story ends as it says', () => {
  const stories = shippedStories();
  const played = shareOf(stories, STORIES_OF);
  tellShare('stories of the lab', played.length, stories.length);
  for (const { name } of played)
    test(name, async () => {
      const { code, out } = await capture(['lab', name, '--fast']);
      assert.match(out, /All \d+ expectations? of the story hold\./);
      assert.equal(code, 0);
    });

  test('and says so when it does not', async () => {
    const path = fileOf(
      'nothing.yaml',
      'story: x\ntitle: y\nuntil: 20s\nworld: {}\nexpect:\n  - { by: 10s, headline: aws-auth-missing }\n',
    );
    const { code, out } = await capture(['lab', path, '--fast']);
    assert.equal(code, 1);
    assert.match(out, /Not as expected: aws-auth-missing within 10 s, but no cause was named/);
  });
});

interface OpenLab {
  readonly child: ReturnType<typeof spawn>;
  readonly folder: string;
  readonly text: () => string;
}

async function openLab(story: string, asked: readonly string[] = []): Promise<OpenLab> {
  const args = [PROGRAM, 'lab', story, '--speed', '10', ...asked];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  while (!text.includes('what Rollcall reports') && child.exitCode === null)
    await once(child.stdout, 'data');
  const folder = dirname(/source (\S+)/.exec(text)?.[1] ?? '');
  return { child, folder, text: () => text };
}

/** What `rollcall status` says in the environment of a lab, without any flag that names a cluster. */
async function instancesSeen(folder: string): Promise<number> {
  const env = { ...environmentOf(folder), PATH: process.env['PATH'] ?? '' };
  const look = spawn(process.execPath, [PROGRAM, 'status', '-o', 'json'], { env });
  let out = '';
  look.stdout.setEncoding('utf8').on('data', (part: string) => {
    out += part;
  });
  const [code] = await once(look, 'close');
  assert.ok([0, 1, 2].includes(code as number), String(code));
  const { rows } = JSON.parse(out) as { rows: { instanceId: string | null }[] };
  return rows.filter(({ instanceId }) => instanceId !== null).length;
}

function environmentOf(folder: string): Readonly<Record<string, string>> {
  const lines = readFileSync(join(folder, 'env'), 'utf8').matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

describe('an open lab', () => {
  const open = sharedTests(3);

  open.test('is visible to Rollcall, and to nobody without its token', async (t) => {
    const { child, folder } = await openLab('joined-and-was-gone', [
      '--folder',
      join(FOLDER, 'open'),
    ]);
    t.after(() => child.kill('SIGKILL'));
    assert.equal(statSync(join(folder, 'kubeconfig')).mode & 0o077, 0, 'for nobody else to read');
    assert.ok((await instancesSeen(folder)) >= 3);
    const { clusters } = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8')) as {
      clusters: { cluster: { server: string } }[];
    };
    const url = new URL(clusters[0]?.cluster.server ?? '');
    assert.equal(url.hostname, '127.0.0.1');
    const { request } = await import('node:https');
    const asked = request(new URL('/api/v1/nodes', url), { rejectUnauthorized: false }).end();
    const [answer] = (await once(asked, 'response')) as [{ statusCode: number }];
    assert.ok([401, 403].includes(answer.statusCode), String(answer.statusCode));
  });

  open.test('says by its context which cluster of EKS it is, before a Node is there', async (t) => {
    const { child, folder } = await openLab('never-let-in');
    t.after(() => child.kill('SIGKILL'));
    assert.equal(await instancesSeen(folder), 3);
  });

  open.test('ends cleanly on an interrupt and removes its folder', async (t) => {
    const { child, folder } = await openLab('joined-and-was-gone');
    t.after(() => child.kill('SIGKILL'));
    assert.ok(existsSync(join(folder, 'env')));
    child.kill('SIGINT');
    const [code, signal] = await once(child, 'close');
    assert.deepEqual([code, signal], [0, null]);
    assert.equal(existsSync(folder), false);
  });

  open.tell('tests of an open lab');
});
