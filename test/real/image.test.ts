/** The container image: built twice it is one, and its program runs in namespaces of this machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { type JsonObject, listAt, textAt, textsAt } from '../../src/evidence/json.ts';
import { basePackages, pinnedPackages } from '../../tools/image/packages.ts';
import { cacheFolder } from '../../tools/real-parts/places.ts';
import { missingOnPath } from './parts.ts';

const run = promisify(execFile);
const OUTPUT_MAX = 16 * 1024 * 1024;
const ROOT = join(import.meta.dirname, '../..');
const TOOL = join(ROOT, 'tools/image.ts');
const MACHINES = { amd64: 0x3e, arm64: 0xb7 } as const;
const MACHINE_AT = 18;

/** Debian serves a version until a newer one comes, which is no fault of this checkout. */
async function unserved(): Promise<string | false> {
  try {
    for (const architecture of ['amd64', 'arm64'] as const)
      await basePackages(join(cacheFolder(), 'image'), architecture);
    return false;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return 'apt does not serve the pinned packages of the base';
  }
}

/** Building takes packages from npm and apt, and running takes namespaces. */
const skip =
  process.getuid?.() === 0
    ? missingOnPath('apt-get', 'unshare', 'chroot', 'tar') || (await unserved())
    : 'needs root for namespaces';
const WITH_PARTS = { skip, timeout: 600_000 };
const dir = mkdtempSync(join(tmpdir(), 'rollcall-image-test-'));
const layout = join(dir, 'layout');
let digest = '';

async function build(folder: string): Promise<string> {
  const { stdout } = await run(process.execPath, [TOOL, folder]);
  return stdout.trim();
}

function blob(name: string): Buffer {
  return readFileSync(join(layout, 'blobs/sha256', name.replace('sha256:', '')));
}

function document(name: string): JsonObject {
  return JSON.parse(blob(name).toString('utf8')) as JsonObject;
}

function manifestOf(architecture: string): JsonObject {
  const found = listAt(document(digest), 'manifests').find(
    (one) => textAt(one, 'platform.architecture') === architecture,
  );
  return document(textAt(found, 'digest') ?? assert.fail(architecture));
}

/** Unpacks the layers of an architecture one over the other, as a runtime does. */
async function unpack(architecture: string): Promise<string> {
  const root = join(dir, architecture);
  mkdirSync(root);
  for (const layer of listAt(manifestOf(architecture), 'layers')) {
    const name = textAt(layer, 'digest') ?? '';
    const path = join(layout, 'blobs/sha256', name.replace('sha256:', ''));
    await run('tar', ['-xzpf', path, '-C', root]);
  }
  return root;
}

before(async () => {
  if (skip === false) digest = await build(layout);
});
after(() => rmSync(dir, { recursive: true, force: true }));

test('built again, the image has the same digest', WITH_PARTS, async () => {
  assert.match(digest, /^sha256:[0-9a-f]{64}$/);
  assert.equal(await build(join(dir, 'again')), digest);
});

test(
  'every blob is what its name says, and every layer what the configuration says',
  WITH_PARTS,
  async () => {
    for (const name of readdirSync(join(layout, 'blobs/sha256')))
      assert.equal(createHash('sha256').update(blob(name)).digest('hex'), name);
    for (const architecture of Object.keys(MACHINES)) {
      const own = manifestOf(architecture);
      const config = document(textAt(own, 'config.digest') ?? '');
      assert.equal(textAt(config, 'architecture'), architecture);
      assert.equal(textAt(config, 'config.User'), '65532:65532');
      assert.equal(
        textsAt(config, 'config.Labels')['org.opencontainers.image.version'],
        manifest.version,
      );
      const { promise, diffIds } = unpackedDigests(own);
      assert.deepEqual(await promise, listAt(config, 'rootfs.diff_ids'));
      assert.equal(diffIds, 4);
    }
  },
);

function unpackedDigests(own: JsonObject): {
  promise: Promise<readonly string[]>;
  diffIds: number;
} {
  const layers = listAt(own, 'layers');
  const promise = Promise.all(
    layers.map(async (layer) => {
      const packed = new Blob([new Uint8Array(blob(textAt(layer, 'digest') ?? ''))]);
      const hash = createHash('sha256');
      for await (const chunk of packed.stream().pipeThrough(new DecompressionStream('gzip')))
        hash.update(chunk);
      return `sha256:${hash.digest('hex')}`;
    }),
  );
  return { promise, diffIds: layers.length };
}

/** Runs as a container would: own namespaces, a root that cannot be written, a user without rights. */
async function runIn(root: string, script: string, args: readonly string[]): Promise<string> {
  const all = [
    'set -e',
    'mount --bind "$1" "$1"',
    'mount -t proc proc "$1/proc"',
    'mount -t tmpfs tmpfs "$1/tmp"',
    'mount -o remount,bind,ro "$1"',
    'root=$1; shift',
    script,
  ].join('\n');
  const namespaces = ['--mount', '--pid', '--fork', '--net', '--uts', '--ipc'];
  const words = [...namespaces, 'sh', '-c', all, 'sh', root, ...args];
  const { stdout } = await run('unshare', words, {
    maxBuffer: OUTPUT_MAX,
    env: {},
  });
  return stdout;
}

/** chroot is the machine's, and gives up root on its way. */
const ENTRY =
  'exec chroot --userspec=65532:65532 --groups= "$root" /usr/local/bin/node /app/rollcall.mjs "$@"';

test(
  'its program runs without root, without a writable root and without a network',
  WITH_PARTS,
  async () => {
    const config = document(textAt(manifestOf('amd64'), 'config.digest') ?? '');
    assert.deepEqual(listAt(config, 'config.Entrypoint'), [
      '/usr/local/bin/node',
      '/app/rollcall.mjs',
    ]);
    const root = await unpack('amd64');
    assert.match(
      await runIn(root, ENTRY, ['--version']),
      new RegExp(manifest.version.replaceAll('.', '\\.')),
    );
    const printed = await runIn(root, ENTRY, ['install', '--set', 'gate.replicas=3']);
    assert.match(printed, /^ {2}replicas: 3$/m);
    const commands = [...printed.matchAll(/^ +command:\n((?: +- .*\n)+)/gm)].map(([, list = '']) =>
      list.split(/\n? +- /).flatMap((word) => word.trim() || []),
    );
    assert.equal(commands.length, 2, 'the controller and the gate');
    for (const command of commands) {
      const asGiven = 'exec chroot --userspec=65532:65532 --groups= "$root" "$@"';
      assert.match(await runIn(root, asGiven, [...command, '--version']), /\d\.\d/);
    }
    const explained = await runIn(root, ENTRY, ['explain', 'aws-auth-missing']);
    assert.match(explained, /aws-auth/);
    // The name by which deployments of nidhogg and the Node Readiness Controller start it.
    const started = 'exec chroot --userspec=65532:65532 --groups= "$root" /manager "$@"';
    await assert.rejects(runIn(root, started, ['--no-such']), /neither nidhogg nor/);
    const asked =
      'exec chroot --userspec=65532:65532 --groups= "$root" /usr/local/bin/node -e "$1"';
    const look =
      'try { require("fs").writeFileSync("/app/x", ""); } catch (e) { console.log(e.code, process.getuid()); }';
    assert.equal((await runIn(root, asked, [look])).trim(), 'EROFS 65532');
  },
);

test(
  'it has the chroot that the half of the agent in the network of the machine needs',
  WITH_PARTS,
  async () => {
    const root = join(dir, 'amd64');
    const script = 'exec chroot "$root" /usr/sbin/chroot / /usr/local/bin/node -p "process.arch"';
    assert.equal((await runIn(root, script, [])).trim(), 'x64');
  },
);

test('both architectures have programs and libraries of their own', WITH_PARTS, async () => {
  await unpack('arm64');
  for (const [architecture, machine] of Object.entries(MACHINES)) {
    const root = join(dir, architecture);
    const triple = architecture === 'amd64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu';
    const files = [
      'usr/local/bin/node',
      'usr/sbin/chroot',
      `lib/${triple}/libc.so.6`,
      `usr/lib/${triple}/libstdc++.so.6`,
    ];
    for (const path of files)
      assert.equal(readFileSync(join(root, path)).readUInt16LE(MACHINE_AT), machine, path);
  }
});

test('the base is pinned for both architectures, with one version each', () => {
  const pinned = pinnedPackages();
  const versions = Map.groupBy(pinned, ({ name }) => name);
  for (const [name, both] of versions) {
    assert.deepEqual(
      both.map(({ architecture }) => architecture),
      Object.keys(MACHINES),
      name,
    );
    assert.equal(new Set(both.map(({ version }) => version)).size, 1, name);
  }
});

test('a package that is not the pinned one is refused', WITH_PARTS, async () => {
  const cache = join(dir, 'cache');
  mkdirSync(cache);
  for (const { sha256, architecture } of pinnedPackages())
    if (architecture === 'amd64') writeFileSync(join(cache, `${sha256}.deb`), 'another');
  await assert.rejects(basePackages(cache, 'amd64'), /is not what base-packages.json pins/);
});
