import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openHostWrites } from '../../src/adapters/host/writes.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { capture } from './capture.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-join-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const OWN = ['--no-cloud', '--tries', '1', '--kubeconfig', join(folder, 'none')];

let folders = 0;
async function joined(command: readonly string[], options: readonly string[] = []) {
  const state = join(folder, `state-${++folders}`);
  const argv = ['join', ...OWN, '--state-folder', state, ...options, '--', ...command];
  return { ...(await capture(argv)), state };
}

describe('a command line that is wrong', () => {
  for (const [argv, message] of [
    [['join'], /join needs a command: rollcall join -- kubeadm join …/],
    [['join', '--'], /join needs a command/],
    [['join', 'kubeadm', 'join'], /behind two dashes: rollcall join -- kubeadm join/],
    [['join', '--name', 'mine', '--', 'x'], /unknown way to name the Node "mine"/],
    [['join', '--kept', '-3s', '--', 'x'], /--kept/],
    [['join', '--print-unit'], /--print-unit needs a command/],
    [['join', '--print-user-data', 'aks'], /unknown flavor of user data "aks"/],
  ] as const)
    test(argv.join(' '), async () => {
      const { code, err } = await capture(argv);
      assert.equal(code, 64);
      assert.match(err, message);
    });
});

describe('a COMMAND that does not join', () => {
  test('is missing', async () => {
    const { code, err, out } = await joined(['no-such-program']);
    assert.equal(code, 1);
    assert.match(err, /no-such-program is not installed\./);
    assert.match(out, /^not joined: COMMAND was run 1 time, the last time with 127/);
  });

  test('is not executable', async () => {
    const path = join(folder, 'plain');
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o644 });
    const { code, err } = await joined([path]);
    assert.equal(code, 1);
    assert.match(err, /plain may not be used by this user\./);
  });

  test('hangs', async () => {
    const { code, err } = await joined(['sleep', '60'], ['--command-timeout', '1s']);
    assert.equal(code, 1);
    assert.match(err, /COMMAND was ended after 1 s\./);
  });

  test('leaves and has a child that continues', async () => {
    const script = 'setsid sleep 8 & echo "child $!"';
    const { code, err } = await joined(['sh', '-c', script], ['--timeout', '2s']);
    assert.equal(code, 1);
    assert.match(err, /COMMAND, or a program that it started, still runs\./);
    process.kill(Number(/^child (\d+)$/m.exec(err)?.[1]));
  });

  test('prints what would change the terminal, and a token', async () => {
    const token = ['abcdef', '0123456789abcdef'].join('.');
    const script = `printf 'a\\033[31mred\\001\\377\\n--token ${token}\\n'; exit 3`;
    const { code, err } = await joined(['sh', '-c', script]);
    assert.equal(code, 1);
    assert.match(err, /^ared\uFFFD$/m);
    assert.equal(err.includes('0123456789abcdef'), false);
  });

  test('prints without end and without a line', async () => {
    const { code, err } = await joined([
      'sh',
      '-c',
      'head -c 3000000 /dev/zero | tr "\\0" x; exit 1',
    ]);
    assert.equal(code, 1);
    assert.ok(err.length < 100_000, `${err.length} characters`);
  });

  const WORDS: Readonly<Record<string, string>> = {
    'expired-bootstrap-token':
      'error: error execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "k3x9pd"',
    'ca-pin-mismatch':
      'error: error execution phase preflight: cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:6f0a1b8f6b0f4e0f5c9b9c9e5a8e2a9a0a9c8e7d6c5b4a39281706f5e4d3c2b1" are pinned',
  };
  for (const [cause, said] of Object.entries(WORDS))
    test(`fails in words that the diagnosis knows: ${cause} and what to do are printed`, async () => {
      const script = join(mkdtempSync(join(folder, 'bin-')), 'kubeadm');
      writeFileSync(script, `#!/bin/sh\ncat >&2 <<'END'\n${said}\nEND\nexit 1\n`, { mode: 0o755 });
      const paper = join(folder, `console-${cause}`);
      const { code, out } = await joined(
        [script, 'join', '--config', '/nope'],
        ['-o', 'json', '--console', paper],
      );
      assert.equal(code, 1);
      const last = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
      assert.deepEqual(
        [last.kind, last.event, last.failure, last.cause],
        ['JoinEvent', 'failed', 'command-failed', cause],
      );
      assert.match(
        readFileSync(paper, 'utf8'),
        new RegExp(`^rollcall join: not joined: [^]*cause: ${cause}: `),
      );
    });
});

describe('the machine', () => {
  test('takes one join at a time', async () => {
    const state = join(folder, 'held');
    const held = await openHostWrites(systemClock).hold(`join${state}`);
    const { code, err } = await capture(['join', '--state-folder', state, '--', 'true']);
    await held?.release();
    assert.equal(code, 2);
    assert.match(err, /Another rollcall join runs on this machine/);
  });

  test('whose state cannot be written joins all the same, and hears of it', async () => {
    const argv = ['join', ...OWN, '--state-folder', '/proc/sys/kernel', '--', 'false'];
    const { code, err } = await capture(argv);
    assert.equal(code, 1);
    assert.match(err, /The join continues, but the next start would not know of it/);
    assert.equal(err.split('The join continues').length, 2);
  });

  test('a signal ends the join, and its state stays', { timeout: 60_000 }, async () => {
    const state = join(folder, 'signal');
    const main = join(import.meta.dirname, '../../src/apps/cli/main.ts');
    const argv = [main, 'join', ...OWN, '--state-folder', state, '--', 'true'];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (/has no credentials yet/.test(text)) child.kill('SIGTERM');
    });
    const [code] = await once(child, 'exit');
    assert.equal(code, 2, err);
    assert.match(readFileSync(join(state, 'join.json'), 'utf8'), /"phase":"watching"/);
  });

  test('a join that ended leaves no state', async () => {
    const { state } = await joined(['false']);
    assert.equal(existsSync(join(state, 'join.json')), false);
  });
});

describe('files to install', () => {
  test('a unit has the options that it was printed with, and no others', async () => {
    const argv = [
      'join',
      '--wait-for-cloud',
      '--print-unit',
      '--kept',
      '30s',
      '--',
      'nodeadm',
      'init',
      '--help',
    ];
    const { code, out } = await capture(argv);
    assert.equal(code, 0);
    assert.match(
      out,
      /^ExecStart=\/usr\/local\/bin\/rollcall join --wait-for-cloud --kept 30s -- nodeadm init --help$/m,
    );
  });

  test('a token on the command line is warned of', async () => {
    const { err } = await capture([
      'join',
      '--print-unit',
      '--',
      'kubeadm',
      'join',
      '--token',
      'x',
    ]);
    assert.match(err, /every user of the machine could read; name a file/);
  });
});
