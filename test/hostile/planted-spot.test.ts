/** Secrets in saved answers of AWS and in rules files: `rollcall spot` shows none. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Json, JsonObject } from '../../src/evidence/json.ts';
import { spotLine } from '../../src/apps/spot/printer.ts';
import { capture } from '../cli/capture.ts';
import { shareOf, tellShare } from '../share.ts';
import { answerOf } from '../spot/world.ts';
import { shapedTexts } from './planted/gate.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-spot-'));
after(() => rmSync(ROOM, { recursive: true }));

const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted in prices and rules', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();
const texts = shapedTexts(search.plant, ['Spot answer'], (at) => chosen.has(at)).map(({ textAt }) =>
  textAt('Spot answer'),
);
const ruleTexts = shapedTexts(search.plant, ['Spot rules'], (at) => chosen.has(at)).map(
  ({ textAt }) => textAt('Spot rules'),
);

const WHOLE = answerOf({
  'm5.large eu-west-1a': 0.04,
  'm5.large eu-west-1b': 0.041,
  'm5a.large eu-west-1a': 0.042,
  'm6g.large eu-west-1b': 0.039,
});
const RUN: JsonObject = {
  CreateTime: '2026-11-20T10:00:00Z',
  LaunchSpecification: { InstanceType: 'm5.large' },
  LaunchedAvailabilityZone: 'eu-west-1a',
  State: 'active',
  Status: { Code: 'fulfilled', UpdateTime: '2026-11-20T10:00:00Z' },
};

/** An item with a text in one of its fields, and in a field that AWS does not have. */
function spoiled(item: JsonObject, text: string): readonly JsonObject[] {
  return Object.keys(item).map((field) => ({ ...item, [field]: text, [`x${field}`]: text }));
}

/** Whole answers with an item beside for each text and field. */
function plantedAnswer(): JsonObject {
  const [price] = WHOLE['SpotPriceHistory'] as readonly JsonObject[];
  const items = WHOLE['SpotPriceHistory'] as readonly Json[];
  return {
    SpotPriceHistory: [...items, ...texts.flatMap((text) => spoiled(price ?? {}, text))],
    SpotInstanceRequests: texts.flatMap((text) => [
      ...spoiled(RUN, text),
      { ...RUN, LaunchSpecification: { InstanceType: text, UserData: text } },
      { ...RUN, Status: { Code: text, Message: text }, Tags: [{ Key: 'note', Value: text }] },
    ]),
    SpotPlacementScores: texts.map((text) => ({
      AvailabilityZoneId: text,
      Region: text,
      Score: 3,
    })),
    InstanceTypes: texts.flatMap((text) => [
      { InstanceType: text, Hypervisor: text },
      { InstanceType: 'm5.large', Hypervisor: text, SupportedUsageClasses: [text, 'spot'] },
    ]),
    NextToken: texts[0] ?? '',
    note: texts.join('\n'),
  };
}

const prices = join(ROOM, 'prices.json');
writeFileSync(prices, JSON.stringify(plantedAnswer()));

describe('rollcall spot', () => {
  for (const format of ['text', 'json', 'yaml', 'asg', 'karpenter', 'eksctl', 'terraform'])
    test(`shows no secret of saved answers as ${format}`, async () => {
      const { out, err } = await capture([
        'spot',
        '--vcpus',
        '16',
        '--prices',
        prices,
        '-o',
        format,
      ]);
      assert.match(out, /m6g\.large/);
      assert.match(out + err, /cut off/);
      assertNoSecretIn(search, lengths, `spot -o ${format}`, out + err);
    });

  test('shows none of a rules file that it refuses', async () => {
    for (const [number, text] of ruleTexts.entries()) {
      const rules = join(ROOM, `rules-${number}.yaml`);
      for (const body of [
        text,
        `${JSON.stringify(text)}: 1\n`,
        `budget: ${JSON.stringify(text)}\n`,
        `never: [${JSON.stringify(text)}]\n`,
        `prefer: ["m5.${text.replaceAll(/[^a-z0-9.-]/g, '')}"]\nnever: ["*"]\n`,
      ]) {
        writeFileSync(rules, body);
        const argv = ['spot', '--vcpus', '16', '--prices', prices, '--rules', rules];
        const { out, err } = await capture(argv);
        assertNoSecretIn(search, lengths, 'spot --rules', out + err);
      }
    }
  });
});

describe('rollcall spot watch', () => {
  test('shows none of acting rules that it refuses', async () => {
    for (const [number, text] of ruleTexts.entries()) {
      const rules = join(ROOM, `acts-${number}.yaml`);
      const value = JSON.stringify(text);
      for (const body of [
        text,
        `${value}: 1\n`,
        `rules:\n- ${value}\n`,
        `rules:\n- {name: ${value}, on: ${value}, do: ${value}, ${value}: 1}\n`,
        `rules:\n- {name: a, when: {types: [${value}], ${value}: 1}, budget: ${value}}\n`,
      ]) {
        writeFileSync(rules, body);
        const { out, err, code } = await capture(['spot', 'watch', '--rules', rules]);
        assert.equal(code, 64);
        assertNoSecretIn(search, lengths, 'spot watch --rules', out + err);
      }
    }
  });

  test('shows none in a line of a watch', () => {
    for (const what of texts) {
      const more = { why: what, notice: what };
      const line = { atMs: 0, subject: what, subjectKind: 'Node', kind: 'spot-kept', what, more };
      for (const output of ['text', 'json'] as const)
        assertNoSecretIn(search, lengths, 'spot watch', spotLine(line, output));
    }
  });
});

describe('rollcall spot, of other files,', () => {
  test('shows none of a file of another kind', async () => {
    const path = join(ROOM, 'other.json');
    for (const text of texts) {
      writeFileSync(path, text);
      const { out, err } = await capture(['spot', '--vcpus', '16', '--prices', path]);
      assertNoSecretIn(search, lengths, 'spot, refusals', out + err);
      writeFileSync(
        path,
        JSON.stringify({ SpotPriceHistory: [{ InstanceType: text }], note: text }),
      );
      const again = await capture(['spot', '--vcpus', '16', '--prices', path]);
      assertNoSecretIn(search, lengths, 'spot, refusals', again.out + again.err);
    }
  });
});

after(() => writePlantedTable(search, lengths));
