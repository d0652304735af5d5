import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import {
  emptyHome,
  endOf,
  rollcall,
  type Run,
  startRollcall,
  type Surroundings,
  writeKubeconfig,
} from '../live/rollcall.ts';
import { capture } from './capture.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-controller-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A cluster that answers nobody, as what is asked here is the program alone. */
function surroundings(): Surroundings {
  const kubeconfig = writeKubeconfig(join(folder, 'kubeconfig'), { server: 'http://127.0.0.1:1' });
  return { ...emptyHome(folder, 'home'), KUBECONFIG: kubeconfig };
}

interface Running {
  /** Waits until a line has come that the expression finds, beyond those already found. */
  readonly line: (what: RegExp) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Run>;
}

function start(
  t: TestContext,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Running {
  const child = startRollcall(['controller', '--listen', '127.0.0.1:0', ...args], {
    ...surroundings(),
    ...more,
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = endOf(child);
  let text = '';
  let wake = Promise.withResolvers<void>();
  child.stdout?.on('data', (part: Buffer | string) => {
    text += String(part);
    wake.resolve();
    wake = Promise.withResolvers<void>();
  });
  let isOver = false;
  child.once('close', () => {
    isOver = true;
    wake.resolve();
  });
  return {
    async line(what) {
      for (;;) {
        const lines = text.split('\n');
        const at = lines.slice(0, -1).findIndex((line) => what.test(line));
        if (at >= 0) {
          text = lines.slice(at + 1).join('\n');
          return lines[at] ?? '';
        }
        if (isOver) assert.fail(`it ended before ${what}`);
        await wake.promise;
      }
    },
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  return JSON.parse(line) as Readonly<Record<string, unknown>>;
}

async function refusedGauge(port: unknown): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
  return /^rollcall_configuration_refused (\d)$/m.exec(await answer.text())?.[1] ?? '';
}

test('a file is read again on SIGHUP, and a wrong one refused', { timeout: 60_000 }, async (t) => {
  const path = join(folder, 'rollcall.yaml');
  writeFileSync(path, 'logFormat: json\nkeepReports: 48h\n');
  const running = start(t, ['--config', path]);
  const { port } = fieldsOf(await running.line(/serves \/metrics/));
  assert.equal(await refusedGauge(port), '0');

  writeFileSync(path, 'keepReports: never\nlogFormat: text\n');
  running.kill('SIGHUP');
  const { level, message } = fieldsOf(await running.line(/refused/));
  const why = 'keepReports: "never" is not a time such as 30s, 15m, 2h or 1d';
  assert.deepEqual(
    [level, message],
    ['warn', `configuration ${path} refused, the old one is kept: ${why}`],
  );
  assert.equal(await refusedGauge(port), '1');

  writeFileSync(path, 'logFormat: json\nkeepReports: 3h\nnamespace: other\n');
  running.kill('SIGHUP');
  assert.match(await running.line(/restart/), /namespace changed, which takes effect after/);
  assert.deepEqual(fieldsOf(await running.line(/changed/))['changed'], ['keepReports']);
  assert.equal(await refusedGauge(port), '0');

  writeFileSync(path, 'logFormat: text\n');
  assert.match(await running.line(/logFormat changed/), /Z {2}configuration .*: keepReports, log/);
  running.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
});

test('a flag comes before a variable, that before the file', { timeout: 60_000 }, async (t) => {
  const path = join(folder, 'forms.yaml');
  writeFileSync(path, '{"logFormat": "text", "logLevel": "error"}');
  const variables = { ROLLCALL_LOG_FORMAT: 'json', ROLLCALL_LOG_LEVEL: 'warn' };
  const running = start(t, ['--config', path, '--log-level', 'info'], variables);
  assert.equal(fieldsOf(await running.line(/serves/))['level'], 'info');
  running.kill('SIGINT');
  assert.equal((await running.ended).code, 0);
});

test('without a file a closed terminal ends it', { timeout: 60_000 }, async (t) => {
  const running = start(t, []);
  await running.line(/serves/);
  running.kill('SIGHUP');
  const { code, signal } = await running.ended;
  assert.deepEqual([code, signal], [null, 'SIGHUP']);
});

for (const [text, what] of [
  ['keepReport: 3h\n', /^unknown setting "keepReport"; did you mean keepReports\?\n$/],
  ['keep: 3\nlisten: here\n', /^keep: 3 is not a time.*\nlisten: "here" is not an address.*\n$/],
  ['a: [', /^not readable: .*\n$/],
  ['a: 1\n---\nb: 2\n', /^not readable: a second document begins at line 3\n$/],
] as const)
  test(`a file with ${JSON.stringify(text)} ends the program at the start`, async () => {
    const path = join(folder, 'wrong.yaml');
    writeFileSync(path, text);
    const { code, err } = await capture(['controller', '--config', path]);
    assert.equal(code, 64);
    assert.match(err, what);
  });

test('a file that is not there or too large ends the program at the start', async () => {
  const missing = await capture(['controller', '--config', join(folder, 'missing.yaml')]);
  assert.equal(missing.code, 64);
  assert.match(missing.err, /missing\.yaml cannot be read: ENOENT\n$/);
  const path = join(folder, 'large.yaml');
  writeFileSync(path, '#'.repeat(300_000));
  assert.match((await capture(['controller', '--config', path])).err, /is over 256 KiB\n$/);
});

test('a secret is not a flag, and an error about it does not show it', async () => {
  const flag = await capture(['controller', '--webhook', 'https://hooks.example.com/hunter2']);
  assert.equal(flag.code, 64);
  assert.match(flag.err, /unknown option --webhook/);
  const path = join(folder, 'webhook.yaml');
  writeFileSync(path, 'webhook: https://user:hunter2@hooks.example.com\n');
  const { err } = await capture(['controller', '--config', path]);
  assert.equal(err, 'webhook: the value is not an http or https URL without a user\n');
});

test('a cluster that is not set up ends the program without a bug report', async () => {
  const env = emptyHome(folder, 'bare');
  const { code, stderr } = await rollcall(['controller', '--listen', '127.0.0.1:0'], env);
  assert.equal(code, 69);
  assert.match(stderr, /^KUBECONFIG names .*no such file exists/);
});

test('an address without a port is refused', async () => {
  const { code, err } = await capture(['controller', '--listen', 'nowhere']);
  assert.equal(code, 64);
  assert.match(err, /--listen: "nowhere" is not an address and a port, such as 127\.0\.0\.1:8470/);
});
