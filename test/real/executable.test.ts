/** The single executable: built twice it is one, and every command runs where there is nothing else. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, globSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import manifest from '../../package.json' with { type: 'json' };
import { COMMAND_DECLARATIONS } from '../../src/apps/cli/declared/commands.ts';
import { listAt, textAt, type JsonObject } from '../../src/evidence/json.ts';
import { ElfProgram } from '../../tools/executables/elf.ts';
import { readSignature } from '../../tools/executables/testing.ts';
import { buildExecutables, ExecutableSite, PLATFORM, RELEASES, saidBy } from './executable-site.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAME = `rollcall-${manifest.version}-${PLATFORM?.name ?? ''}`;
const FILES = ['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'kubectl_complete-rollcall', 'rollcall'];
const EXAMPLE = join(ROOT, 'examples/3-said-it-was-ready');
const [PLAN = ''] = globSync('src/causes/*/*/plans/found-*.json', { cwd: ROOT }).toSorted();

const skip = PLATFORM === null ? 'no executable is built for this platform' : false;
/** Seconds on a quiet machine. */
const TIMEOUT_MS = 300_000;
const BUILT = { skip, timeout: TIMEOUT_MS };
const site = new ExecutableSite();
before(
  async () => {
    if (skip === false) await site.build(`${NAME}.tar.gz`);
  },
  { timeout: TIMEOUT_MS },
);
after(() => site.remove());

test('built again, every file has the same bytes', BUILT, async () => {
  const again = join(site.dir, 'again');
  await buildExecutables(again, ['--no-archives']);
  const files = readdirSync(again, { recursive: true, encoding: 'utf8' }).toSorted();
  assert.deepEqual(files, [NAME, `${NAME}.cdx.json`, ...FILES.map((name) => `${NAME}/${name}`)]);
  for (const file of files.slice(1))
    assert.ok(readFileSync(join(again, file)).equals(readFileSync(join(site.built, file))), file);
});

test('the one for macOS has a signature that holds, and is the same each time', BUILT, async () => {
  const name = `rollcall-${manifest.version}-darwin-arm64`;
  const [once, again] = await Promise.all(
    ['mac', 'mac-again'].map(async (place) => {
      await buildExecutables(join(site.dir, place), ['--no-archives'], 'darwin-arm64');
      return readFileSync(join(site.dir, place, name, 'rollcall'));
    }),
  );
  assert.ok(once !== undefined && again?.equals(once));
  const { identifier, changed } = readSignature(once);
  assert.deepEqual([identifier, changed], ['rollcall', []]);
});

test('the checksums are those of the archives', BUILT, () => {
  const hash = createHash('sha256').update(readFileSync(join(site.built, `${NAME}.tar.gz`)));
  assert.equal(site.text('SHA256SUMS'), `${hash.digest('hex')}  ${NAME}.tar.gz\n`);
});

test('the archive has the licenses of everything that is inside', BUILT, () => {
  assert.deepEqual(readdirSync(site.place).toSorted(), FILES);
  const notices = readFileSync(join(site.place, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const bom = JSON.parse(site.text(`${NAME}.cdx.json`)) as JsonObject;
  for (const one of listAt(bom, 'components')) {
    const [name, version] = [textAt(one, 'name') ?? '', textAt(one, 'version') ?? ''];
    assert.ok(
      notices.includes(name === PLATFORM?.nodePackage ? 'Node.js' : `${name} ${version}\n`),
      name,
    );
  }
});

test('the SBOM names what the lock file has, Node.js too, and no tool', BUILT, () => {
  const bom = JSON.parse(site.text(`${NAME}.cdx.json`)) as JsonObject;
  assert.equal(textAt(bom, 'bomFormat'), 'CycloneDX');
  assert.equal(textAt(bom, 'metadata.component.version'), manifest.version);
  const versions = new Map(
    listAt(bom, 'components').map((one) => [textAt(one, 'name'), textAt(one, 'version')]),
  );
  assert.equal(versions.get(PLATFORM?.nodePackage ?? ''), process.versions.node);
  assert.equal(versions.get('undici'), manifest.dependencies.undici);
  assert.equal(versions.has('esbuild'), false);
});

test('the manifest for krew names the archive and files that are in it', BUILT, () => {
  const [found] = listAt(load(site.text('rollcall.yaml')) as JsonObject, 'spec.platforms');
  assert.equal(textAt(found, 'uri'), `${RELEASES}/v${manifest.version}/${NAME}.tar.gz`);
  assert.equal(textAt(found, 'sha256'), site.text('SHA256SUMS').split(' ')[0]);
  const inside = readdirSync(site.place);
  for (const one of listAt(found, 'files')) assert.ok(inside.includes(textAt(one, 'from') ?? ''));
});

/** A way to run each command of which the end is known, without a cluster. */
const ALONE: Readonly<
  Record<string, readonly [args: readonly string[], code: number, said: RegExp]>
> = {
  diagnose: [[EXAMPLE], 1, /kiam-agent-undoes-redirect/],
  preflight: [[join(ROOT, PLAN)], 1, /will\s+not become usable nodes/],
  explain: [['aws-auth-missing'], 0, /^# aws-auth-missing/],
  causes: [[], 0, /aws-auth-missing/],
  join: [
    [
      '--no-cloud',
      '--tries',
      '1',
      '--kubeconfig',
      '/none',
      '--state-folder',
      join(site.dir, 'join'),
      '--',
      '/bin/false',
    ],
    1,
    /^not joined: COMMAND was run 1 time/,
  ],
  install: [['--set', 'gate.replicas=3'], 0, /^ {2}replicas: 3$/m],
  sim: [['--hours', '0.05', '--nodes', '1', '--faults', 'none'], 0, /all held/],
  completion: [['bash'], 0, /_rollcall\(\)/],
  help: [['join'], 0, /rollcall join/],
};

/** What tells something of each beside a lab; how good the cluster is depends on when they look. */
const BESIDE_LAB: Readonly<Record<string, readonly [args: readonly string[], said: RegExp]>> = {
  status: [['-o', 'json'], /"instanceId": "i-/],
  capacity: [[], /^NODE/m],
  name: [[], /^INSTANCE/m],
  permissions: [['--check'], /list nodes/],
  uninstall: [[], /Nothing was changed/],
  gate: [['explain', 'no-such-node'], /no-such-node/],
  fix: [['auth'], /not sure of a cause/],
  spot: [['--vcpus', '8'], /^Types:/m],
};

/** What does not end by itself, with what it says when it runs. */
const STAYING: Readonly<Record<string, readonly [args: readonly string[], said: RegExp]>> = {
  controller: [['--listen', '127.0.0.1:0'], /: new, /],
  agent: [['--node', 'x', '--probes', 'disk', '--disk', '/', '--listen', '127.0.0.1:0'], /Serves/],
};

describe('every command, far from the checkout and without Node.js', BUILT, () => {
  const folder = join(site.dir, 'lab');
  const lab = ['lab', 'joined-and-was-gone', '--speed', '10', '--folder', folder];

  for (const [name, [args, code, said]] of Object.entries(ALONE))
    test(name, () => {
      const ended = site.run([name, ...args]);
      assert.equal(ended.code, code, ended.err);
      assert.match(ended.out, said);
    });

  test('mcp', () => {
    const asked = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const { code, out } = site.run(['mcp'], site.bare(), `${JSON.stringify(asked)}\n`);
    assert.equal(code, 0);
    assert.match(out, /"serverInfo":\{"name":"rollcall"/);
  });

  test('those that ask a cluster, in a lab that it opened', { timeout: TIMEOUT_MS }, async (t) => {
    const { child } = site.start(lab);
    t.after(() => child.kill('SIGKILL'));
    await saidBy(child, /node-deleted-as-not-in-cloud/);
    const env = site.lab(folder);
    for (const [name, [args, said]] of Object.entries(BESIDE_LAB)) {
      const { out, err, code } = site.run([name, ...args], env);
      assert.match(out + err, said);
      assert.ok([0, 1, 2, 69].includes(code ?? -1), `${name} ended with ${code}: ${err}`);
    }
    for (const [name, [args, said]] of Object.entries(STAYING))
      assert.equal((await site.runUntil([name, ...args], said, env)).code, 0, name);
    const watching = await site.runUntil(['spot', 'watch', 'm5.large'], /costs \$/, env);
    assert.equal(watching.code, 0, 'spot watch');
    const flight = join(site.dir, 'flight.db');
    const recording = site.start(['record', '--record', flight], env);
    while (!site.run(['timeline', '--all', '--record', flight], env).out.includes('launched'))
      await sleep(100);
    recording.child.kill('SIGINT');
    assert.equal((await recording.ended).code, 130);
  });

  test('none is left out', () => {
    const run = [ALONE, BESIDE_LAB, STAYING].flatMap((ways) => Object.keys(ways));
    assert.deepEqual(
      [...run, 'mcp', 'lab', 'record', 'timeline'].toSorted(),
      COMMAND_DECLARATIONS.map(({ name }) => name).toSorted(),
    );
  });
});

test('prints what the checkout prints, signs beyond ASCII too', BUILT, () => {
  const found = 'src/causes/authenticated/broken-exec-credential-plugin/examples';
  const args = ['diagnose', join(ROOT, found, 'found-answer-not-known.txt')];
  const { out } = site.run(args);
  assert.match(out, /’/);
  const source = spawnSync(join(ROOT, 'bin/rollcall'), args, { cwd: '/', encoding: 'utf8' });
  assert.equal(out, source.stdout);
});

test('needs no library that machines lack', BUILT, () => {
  const libraries = new ElfProgram(readFileSync(site.program)).libraries();
  const loader = libraries.find((name) => name.startsWith('ld-linux-')) ?? '';
  assert.deepEqual(libraries.toSorted(), [
    loader,
    'libc.so.6',
    'libdl.so.2',
    'libgcc_s.so.1',
    'libm.so.6',
    'libpthread.so.0',
    'libstdc++.so.6',
  ]);
});

test('prints the version that package.json has', BUILT, () => {
  assert.equal(site.run(['--version']).out, `rollcall ${manifest.version}\n`);
});

test('kubectl finds its completion beside it', BUILT, () => {
  const path = join(site.place, 'kubectl_complete-rollcall');
  const env = { ...site.bare(), PATH: '/usr/bin:/bin' };
  assert.match(execFileSync(path, ['expl'], { env, encoding: 'utf8' }), /^explain/m);
});

/** The names of the threads of a process. */
function threadsOf(pid: number | undefined): readonly string[] {
  return globSync(`/proc/${pid}/task/*/comm`).map((path) => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch {
      return '';
    }
  });
}

test('reads a large log in a thread of its own', BUILT, async () => {
  const line = 'Nov 28 10:00:00 ip-10-0-0-1 kubelet[1]: I1128 nothing of interest happens here\n';
  const log = join(site.dir, 'large.log');
  writeFileSync(log, line.repeat(200_000));
  const { child, ended } = site.start(['diagnose', '-']);
  createReadStream(log).pipe(child.stdin, { end: false });
  while (!threadsOf(child.pid).includes('WorkerThread')) {
    assert.equal(child.exitCode, null, 'it ended without a thread');
    await sleep(10);
  }
  child.stdin.end();
  assert.equal((await ended).code, 2);
});

test('takes no options that are for another Node.js', BUILT, () => {
  const env = { ...site.bare(), NODE_OPTIONS: '--no-such-option' };
  assert.equal(site.run(['--version'], env).code, 0);
});
