/** Secrets in what a join command prints and in Terraform plans: no report shows one. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { CliContext } from '../../src/apps/cli/context.ts';
import { run as runCommand } from '../../src/apps/cli/run.ts';
import { JoinReports } from '../../src/apps/join/reports.ts';
import type { JoinEvent, JoinEventKind } from '../../src/controllers/join/event.ts';
import { isObject, type Json, type JsonObject } from '../../src/evidence/json.ts';
import { REDACTED } from '../../src/evidence/secrets/mark.ts';
import { shareOf, tellShare } from '../share.ts';
import { shapedTexts } from './planted/gate.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-join-'));
after(() => rmSync(ROOM, { recursive: true }));

const PLAN = join(
  import.meta.dirname,
  '../../examples/preflight/self-managed-without-mapping.json',
);
const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted in joins and plans', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();

interface Printed {
  readonly context: CliContext;
  readonly text: () => string;
}

function printing(): Printed {
  let all = '';
  const take = (more: string): void => {
    all += more;
  };
  const context: CliContext = {
    stdin: async function* none() {},
    progress: () => {},
    isInputPiped: false,
    colour: false,
    columns: 100,
    width: Infinity,
    out: take,
    err: take,
  };
  return { context, text: () => all };
}

describe('rollcall join', () => {
  const shaped = shapedTexts(search.plant, ['COMMAND output', 'join message'], (at) =>
    chosen.has(at),
  );
  const eventOf = (event: JoinEventKind, message: string): JoinEvent => ({
    event,
    atMs: Date.parse('2026-11-22T10:00:00Z'),
    message,
    tries: 1,
    restarts: 0,
    deletions: 0,
    node: 'n1',
    nodeUid: null,
    instanceId: null,
    failure: event === 'failed' ? 'time-over' : null,
  });
  const printed = shaped.map(({ textAt }) => textAt('COMMAND output')).join('\n');
  const failure =
    'error execution phase preflight: couldn’t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"';

  for (const isJson of [false, true])
    test(`tells no secret ${isJson ? 'in JSON' : 'as text'}, nor on the console`, async () => {
      const console = join(ROOM, `console-${String(isJson)}`);
      writeFileSync(console, '');
      const { context, text } = printing();
      for (const { textAt } of shaped) {
        const reports = new JoinReports(
          { isJson, console, webhookFile: null, nodeReport: null },
          context,
        );
        const message = textAt('join message');
        reports.say(eventOf('trouble', message));
        reports.say(eventOf('failed', message));
      }
      const last = new JoinReports(
        { isJson, console, webhookFile: null, nodeReport: null },
        context,
      );
      last.say(eventOf('failed', 'The join failed.'));
      await last.end(`${printed}\n${failure}\n`);
      const [first] = shaped;
      const ended = new JoinReports(
        { isJson, console, webhookFile: null, nodeReport: null },
        context,
      );
      ended.say(eventOf('failed', first?.textAt('join message') ?? ''));
      await ended.end(printed);
      const all = text() + readFileSync(console, 'utf8');
      assert.ok(all.split(REDACTED).length > (isJson ? shaped.length : shaped.length / 2));
      assertNoSecretIn(search, lengths, `join${isJson ? ' -o json' : ''}, console`, all);
    });
});

/** The plan with a text in everything that has a name of its own for texts. */
function plantedIn(plan: Json, texts: readonly string[]): Json {
  let at = 0;
  const next = (): string => texts[at++ % texts.length] ?? '';
  const walked = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(walked);
    if (!isObject(value)) return value;
    const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walked(one)]));
    if (!isObject(inner['values'])) return inner;
    const more = { user_data: next(), description: next(), tags: { note: next() }, note: next() };
    return { ...inner, values: { ...inner['values'], ...more } };
  };
  const variables = Object.fromEntries(texts.map((text, index) => [`v${index}`, { value: text }]));
  return { ...(walked(plan) as JsonObject), variables };
}

describe('rollcall preflight', () => {
  const shaped = shapedTexts(search.plant, ['Terraform plan'], (at) => chosen.has(at));
  const texts = shaped.map(({ textAt }) => textAt('Terraform plan'));
  const plan = join(ROOM, 'plan.json');

  for (const format of ['text', 'json', 'yaml', 'sarif'])
    test(`shows no secret of a plan as ${format}`, async () => {
      writeFileSync(plan, JSON.stringify(plantedIn(JSON.parse(readFileSync(PLAN, 'utf8')), texts)));
      const { context, text } = printing();
      const how = format === 'text' ? [] : ['-o', format];
      assert.equal(await runCommand(['preflight', plan, ...how], context), 1);
      assert.match(text(), /aws-auth-missing/);
      assertNoSecretIn(search, lengths, `preflight -o ${format}`, text());
    });

  test('shows none of a plan that it refuses', async () => {
    const { context, text } = printing();
    for (const [number, one] of texts.entries()) {
      const path = join(ROOM, `refused-${number}.json`);
      writeFileSync(path, JSON.stringify({ format_version: one, [one]: one }));
      await runCommand(['preflight', path], context);
    }
    assertNoSecretIn(search, lengths, 'preflight, refusals', text());
  });
});

after(() => writePlantedTable(search, lengths));
