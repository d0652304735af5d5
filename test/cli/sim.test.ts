import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { capture } from './capture.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-sim-test-'));
after(() => rmSync(FOLDER, { recursive: true }));

describe('what rollcall sim refuses', () => {
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--seed', '-1'], /^--seed takes a whole number from 0 to 4294967295, not "-1"\n$/],
    [['--faults', 'F99'], /^unknown fault "F99"; did you mean F\d\d\?\n$/],
    [
      ['--faults', 'F01'],
      /^fault F01 \(a request is lost .*\) is not simulated yet; use F04, .*\n$/,
    ],
    [['--nodes', '0'], /^--nodes takes a whole number from 1 to 5000, not "0"\n$/],
    [['--hours', 'x'], /^--hours takes a number from 0\.01 to 720, not "x"\n$/],
    [['--planted', 'P1'], /^unknown planted bug "P1"; did you mean P18\?\n$/],
    [['--save', join(FOLDER, 'none/x.tar.gz')], /^Cannot save the evidence .*mkdir -p .*\n$/],
    [['--save', FOLDER], /^--save needs a file; .* is a folder\.\n$/],
    [['--bogus'], /^unknown option --bogus; see: rollcall help sim\n$/],
    [['extra'], /^unexpected argument "extra"; see: rollcall help sim\n$/],
  ];
  for (const [args, expected] of refusals)
    test(args.join(' ').replace(FOLDER, 'FOLDER'), async () => {
      const { code, err, out } = await capture(['sim', ...args]);
      assert.equal(code, 64, err);
      assert.match(err, expected);
      assert.equal(out, '');
    });
});

test('rollcall help sim names every option and shows examples', async () => {
  const { code, out } = await capture(['help', 'sim']);
  assert.equal(code, 0);
  const options = 'seed count nodes hours faults until-failure twin save planted'.split(' ');
  for (const option of options) assert.ok(out.includes(`--${option}`), option);
  assert.match(out, /\n {2}rollcall sim --until-failure --save found\.tar\.gz\n/);
});

describe('a seed that fails', () => {
  const file = join(FOLDER, 'found.tar.gz');
  const line = 'sim --planted P38 --faults F52 --seed 49 --nodes 2 --hours 0.3'.split(' ');

  test('ends with 1, one line that repeats it, and a file that diagnose reads', async () => {
    const { code, out } = await capture([...line, '--until-failure', '--save', file]);
    assert.equal(code, 1);
    assert.match(out, /I-30 does not hold; shrunk from 1 to 1 fault in \d+ runs:\n/);
    assert.match(out, /\n {2}1:41 {2}F52\.1 {2}ec2:\* is throttled/);
    assert.match(out, /\n {2}repeat: rollcall sim --seed 49 --nodes 1 .*--planted P38\n/);
    assert.match(out, /\n\d joins \(\d+ per hour of computing\), \d+ looks, 1 fault, \d+ evalu/);
    assert.ok(existsSync(file));
    const diagnosed = await capture(['diagnose', file]);
    assert.equal(diagnosed.code, 2, diagnosed.err);
    assert.match(diagnosed.out, /\ntimeline {4}2026-03-02T09:/);
    assert.match(diagnosed.out, /AWS answered ec2:DescribeInstances with RequestLimitExceeded/);
  });
});

test('a seed in which everything holds ends with 0, also as JSON', async () => {
  const line = 'sim --seed 1 --nodes 1 --hours 0.05 --faults none -o json'.split(' ');
  const { code, out } = await capture(line);
  assert.equal(code, 0);
  const { totals, failures } = JSON.parse(out) as {
    totals: { joinsPerHour: number; evaluations: Record<string, number> };
    failures: readonly unknown[];
  };
  assert.deepEqual(failures, []);
  assert.ok(totals.joinsPerHour > 0 && (totals.evaluations['L-08'] ?? 0) > 0);
});
