import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKernel } from '../../../src/sim/kernel/kernel.ts';
import { Shell } from '../../../src/sim/machines/commands/shell.ts';

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly seconds: number;
  readonly files: ReadonlyMap<string, string>;
}

/** Runs a script whose commands are `echo`, `cat`, `fail` and `count`, which ends well at the third call. */
function ran(script: string, files = new Map<string, string>()): Ran {
  const kernel = createKernel({ seed: 1, startMs: 0 });
  const results: { exitCode: number; stdout: string; atMs: number }[] = [];
  let count = 0;
  const shell = new Shell({
    after: (delayMs, task) => kernel.after(delayMs, task),
    call: ({ words, stdin }, done) => {
      const [name, ...rest] = words;
      const ok = (stdout: string): void => done({ exitCode: 0, stdout, stderr: '' });
      if (name === 'echo') return ok(`${rest.join(' ')}\n`);
      if (name === 'cat') return ok(rest[0] === undefined ? stdin : (files.get(rest[0]) ?? ''));
      if (name === 'count' && ++count >= 3) return ok(`${count}\n`);
      done({ exitCode: name === 'fail' ? Number(rest[0] ?? 1) : 127, stdout: '', stderr: '' });
    },
    write: (path, text, isAppending) =>
      files.set(path, isAppending ? (files.get(path) ?? '') + text : text),
    read: (path) => files.get(path) ?? null,
    print: () => {},
  });
  shell.run(script, ({ exitCode, stdout }) =>
    results.push({ exitCode, stdout, atMs: kernel.nowMs() }),
  );
  for (let steps = 0; steps < 10_000 && results.length === 0 && kernel.step(); steps++);
  const [{ exitCode, stdout, atMs } = { exitCode: -1, stdout: '', atMs: 0 }] = results;
  return { exitCode, stdout, seconds: atMs / 1000, files };
}

test('conditions, chains and negation decide as in a shell', () => {
  assert.equal(ran('fail || echo saved && echo both').stdout, 'saved\nboth\n');
  assert.equal(ran('fail && echo never').exitCode, 1);
  assert.equal(
    ran('if ! fail; then echo a; elif fail; then echo b; else echo c; fi').stdout,
    'a\n',
  );
  assert.equal(ran('if fail; then echo a\nelif echo x; then echo b\nfi').stdout, 'x\nb\n');
  assert.equal(ran('exit 3; echo never').exitCode, 3);
});

test('set -e ends a script at the first unchecked failure', () => {
  assert.deepEqual(
    [ran('set -euo pipefail\nfail 4\necho never').exitCode, ran('set -e\nfail || echo x').stdout],
    [4, 'x\n'],
  );
  assert.equal(ran('fail 4\necho on').stdout, 'on\n');
});

test('a loop runs until its command succeeds, and sleeps in virtual time', () => {
  const { exitCode, stdout, seconds } = ran(
    'until count; do echo again; sleep 10; done; echo done',
  );
  assert.equal(exitCode, 0);
  assert.equal(stdout, 'again\nagain\n3\ndone\n');
  assert.ok(seconds >= 20 && seconds < 21, `${seconds} s`);
});

test('words are put together from quotes, variables and output', () => {
  const script = [
    'NAME="a b"',
    "PLAIN='$NAME'",
    'echo "$NAME" $PLAIN ${MISSING:-default} "$(echo inner | cat)" \\$x',
    'for one in 1 2; do echo "n$one"; done',
    'greet() { echo "hello $1"; }',
    'greet world',
  ].join('\n');
  assert.equal(ran(script).stdout, 'a b $NAME default inner $x\nn1\nn2\nhello world\n');
});

test('heredocs and redirections make files', () => {
  const script =
    "X=1\ncat <<EOF > /a\nv=$X\nEOF\ncat <<'EOF' >> /b\nv=$X\nEOF\necho more >> /b\necho lost > /dev/null";
  const { files } = ran(script);
  assert.equal(files.get('/a'), 'v=1\n');
  assert.equal(files.get('/b'), 'v=$X\nmore\n');
  assert.equal(files.has('/dev/null'), false);
});

test('unfinished, deep and long scripts end all the same', () => {
  assert.equal(ran('while fail; do').exitCode, 0);
  assert.equal(ran('('.repeat(5000)).exitCode, 0);
  assert.equal(ran(`${'echo x\n'.repeat(6000)}fail 7`).exitCode, 7);
  assert.equal(ran('unknown-program').exitCode, 127);
});
