import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { load } from 'js-yaml';
import { answerOf, type Prices } from '../spot/world.ts';
import { capture, type Captured } from './capture.ts';
import { tooWide } from './evidence.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-spot-'));
after(() => rmSync(ROOM, { recursive: true }));

const PRICES: Prices = {
  'm5.large eu-west-1a': 0.04,
  'm5.large eu-west-1b': 0.041,
  'm5a.large eu-west-1a': 0.042,
  'm5a.large eu-west-1c': 0.043,
  'm6g.large eu-west-1b': 0.039,
};

function file(name: string, text: string): string {
  const path = join(ROOM, name);
  writeFileSync(path, text);
  return path;
}

const prices = file('prices.json', JSON.stringify(answerOf(PRICES)));

async function spot(...argv: readonly string[]): Promise<Captured> {
  return await capture(['spot', '--vcpus', '16', '--prices', prices, ...argv]);
}

describe('rollcall spot', () => {
  test('prints the mix, its cost, its loss, why each type is in, and what is unknown', async () => {
    const { code, out } = await spot();
    assert.equal(code, 0);
    assert.match(out, /^TYPE +ZONE +NODES +SHARE +\$\/H +WEEK +VARIES +INTERRUPTED +SCORE +PODS$/m);
    assert.match(
      out,
      /^m6g\.large +eu-west-1b +2 +25 % +0\.0390 +unknown +0 % +unknown +unknown +25$/m,
    );
    assert.match(out, /8 nodes, 16 vCPUs, .* GiB for pods, 200 pods: \$0\.3250 an hour\./);
    assert.match(out, /When EC2 takes one pool away: \d+ % of the capacity is lost on average/);
    assert.match(out, /no mix within\s+the rules is more than 0\.1 % better\./);
    assert.match(
      out,
      /^ {2}in {2}m6g\.large: 2 nodes in eu-west-1b; \$0\.0195 per vCPU and hour$/m,
    );
    assert.match(out, /^\? Interruptions are unknown for \d of the \d pools/m);
    assert.match(out, /Prices as of 2026-11-17T10:00:00\.000Z, history of 14 days\.$/m);
    assert.deepEqual(tooWide(out), []);
  });

  test('prints its document', async () => {
    const { out } = await spot('-o', 'json');
    const { kind, mix, costPerHour } = JSON.parse(out) as {
      readonly kind: string;
      readonly mix: readonly { readonly nodes: number }[];
      readonly costPerHour: number;
    };
    assert.equal(kind, 'SpotMix');
    assert.equal(
      mix.reduce((sum, { nodes }) => sum + nodes, 0),
      8,
    );
    assert.equal(costPerHour.toFixed(3), '0.325');
    assert.deepEqual(load((await spot('-o', 'yaml')).out), JSON.parse(out));
  });

  for (const format of ['asg', 'karpenter', 'eksctl', 'terraform'])
    test(`prints ${format} alone on its output, and what is unknown beside it`, async () => {
      const { code, out, err } = await spot('-o', format, '--name', 'jobs');
      assert.equal(code, 0);
      assert.match(JSON.stringify(load(out)), /"jobs.*m6g\.large/);
      assert.match(err, /Interruptions are unknown/);
    });

  test('joins several files, with the answer of another call among them', async () => {
    const scores = file(
      'scores.json',
      '{"SpotPlacementScores":[{"AvailabilityZoneId":"euw1-az2","Score":7}]}',
    );
    const more = file('more.json', JSON.stringify(answerOf({ 'm5d.large eu-west-1c': 0.038 })));
    const { code, out } = await spot('--prices', scores, '--prices', more);
    assert.equal(code, 0);
    assert.match(out, /^m6g\.large +eu-west-1b .* 7 /m);
    assert.match(out, /^m5d\.large +eu-west-1c/m);
  });
});

describe('rollcall spot with rules and bad input', () => {
  test('follows a rules file', async () => {
    const rules = file('rules.yaml', 'never: [m6g]\nmaxSharePerPool: 50%\n');
    const { out } = await spot('--rules', rules);
    assert.match(out, /^ {2}out m6g\.large: excluded by never: m6g$/m);
  });

  test('ends with 1 when no mix is possible, and says why', async () => {
    const rules = file('budget.yaml', 'budget: 0.1\n');
    const { code, out } = await spot('--rules', rules);
    assert.equal(code, 1);
    assert.match(out, /^No mix\. The budget of \$0\.1 an hour is less than the \$0\.\d{4} that/);
    assert.equal((await spot('--rules', rules, '-o', 'json')).code, 1);
    const asPool = await spot('--rules', rules, '-o', 'karpenter');
    assert.deepEqual([asPool.code, asPool.out], [69, '']);
  });

  test('ends with 2 when one of the files cannot be read', async () => {
    const { code, out } = await spot('--prices', file('cut.json', '{"SpotPriceHistory": ['));
    assert.equal(code, 2);
    assert.match(out, /cut\.json is not one answer of aws ec2 describe-spot-price-history\./);
  });

  test('ends with 69 when no price is in the files', async () => {
    const path = file('none.json', '{"SpotPriceHistory": []}');
    const { code, err } = await capture(['spot', '--vcpus', '4', '--prices', path]);
    assert.equal(code, 69);
    assert.match(
      err,
      /no Spot price in these files; save some: aws ec2 describe-spot-price-history/,
    );
  });
});

describe('rollcall spot on a wrong command line', () => {
  for (const [argv, why] of [
    [['spot'], /spot needs to know how much is wanted: rollcall spot --vcpus 64/],
    [['spot', '--vcpus', '0'], /--vcpus takes a whole number from 1/],
    [
      ['spot', '--vcpus', '4', '--zone', 'here'],
      /--zone takes a zone such as eu-west-1a, not "here"/,
    ],
    [
      ['spot', '--vcpus', '4', '--min-node-vcpus', '8', '--max-node-vcpus', '4'],
      /--min-node-vcpus 8 is more than --max-node-vcpus 4/,
    ],
    [['spot', '--vcpus', '4', '--name', 'My Group'], /--name takes up to 40 lowercase letters/],
    [['spot', '--vcpus', '4', '--rules', '/nonexistent'], /cannot be read/],
  ] as const)
    test(`refuses ${argv.join(' ')}`, async () => {
      const { code, err } = await capture(argv);
      assert.equal(code, 64);
      assert.match(err, why);
    });

  test('names the line and key of a mistake in the rules', async () => {
    const rules = file('wrong.yaml', 'never: [t3]\nmaxSharePerPol: 30%\n');
    const { code, err } = await spot('--rules', rules);
    assert.equal(code, 64);
    assert.match(
      err,
      /wrong\.yaml", line 2: unknown rule "maxSharePerPol"; did you mean maxSharePerPool\?/,
    );
  });
});
