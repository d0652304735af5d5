/** Secrets in a cluster that a controller watches: none is said, written, recorded or told later. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { Controller } from '../../src/apps/controller/program.ts';
import { run as runCommand } from '../../src/apps/cli/run.ts';
import { lookOf } from '../../src/collection/recording/look.ts';
import { Recording } from '../../src/collection/recording/recording.ts';
import { SeenCluster } from '../../src/collection/recording/seen.ts';
import { EVENTS, KUBE_LISTS, LEASES, NODES } from '../../src/collection/resources.ts';
import { NODE_REPORTS } from '../../src/controllers/node-reports/report.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createSearch } from './planted/search.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';
import { plantedWorld } from './planted/world.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-kept-'));
after(() => rmSync(ROOM, { recursive: true }));

const START_MS = Date.parse('2026-11-22T10:00:00Z');
const search = createSearch();
const world = plantedWorld(search.plant);
const lengths: Lengths = new Map();
const record = join(ROOM, 'flight.sqlite');

const assertSecretless = (output: string, text: string): void =>
  assertNoSecretIn(search, lengths, output, text);

interface Kept {
  readonly said: readonly string[];
  readonly metrics: string;
  readonly reports: readonly JsonObject[];
  readonly events: readonly JsonObject[];
}

async function itemsOf(api: FakeKubeApi, resource: KubeResource): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  for await (const page of api.list(resource, {})) items.push(...page.items);
  return items;
}

/** Lays what is planted into an API server, and deletes a Node when all has been seen. */
async function keepRollCall(): Promise<Kept> {
  const clock = virtualClock(START_MS);
  const api = new FakeKubeApi({ clock });
  for (const { resource } of KUBE_LISTS) {
    api.serve(resource);
    for (const object of world.lists[resource.plural] ?? []) api.put(resource, object);
  }
  for (const resource of [NODE_REPORTS, EVENTS, LEASES]) api.serve(resource);
  const said: string[] = [];
  const say = (line: string): number => said.push(line);
  const recorder = openRecorder(record);
  const limits = { keepMs: 86_400_000, bytesMax: 2 ** 30 };
  const recording = new Recording({ recorder, limits, pauseMs: 300_000, say });
  const seen = new SeenCluster();
  const controller = new Controller(
    {
      cluster: 'shop',
      namespace: 'kube-system',
      identity: 'one',
      writesReports: true,
      writesEvents: true,
      keepReportsMs: 600_000,
      isDryRun: false,
    },
    {
      clients: { ...world.clients, kube: api, clock },
      writes: new FakeKubeWrites(api),
      recorder,
      random: { next: () => 0.5 },
      say,
      recording: {
        listener: seen,
        take: async (standing) => recording.take(lookOf(standing, seen.take(), 'shop')),
      },
    },
  );
  const ending = new AbortController();
  const running = controller.run(ending.signal);
  await clock.advance(60_000);
  const name = textAt(world.lists['nodes']?.[0] ?? {}, 'metadata.name');
  assert.ok(name !== null);
  api.remove(NODES, { name });
  await clock.advance(180_000);
  const kept = {
    said,
    metrics: controller.registry.text(),
    reports: await itemsOf(api, NODE_REPORTS),
    events: (await itemsOf(api, EVENTS)).filter(({ source }) => isOurs(source)),
  };
  ending.abort();
  await clock.advance(60_000);
  await running;
  await recorder.close();
  return kept;
}

function isOurs(source: unknown): boolean {
  return JSON.stringify(source ?? {}).includes('rollcall');
}

async function timeline(words: readonly string[]): Promise<string> {
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  await runCommand(['timeline', '--record', record, ...words], {
    stdin: async function* none() {},
    progress: () => {},
    isInputPiped: false,
    colour: false,
    columns: 100,
    width: Infinity,
    out: print,
    err: print,
  });
  return printed;
}

describe('a controller', () => {
  let kept: Kept;
  before(async () => {
    kept = await keepRollCall();
  });

  test('keeps secrets out of its log and its metrics', () => {
    assert.ok(kept.said.some((line) => line.includes('ip-10-0-1-5')));
    assertSecretless('controller, log', kept.said.join('\n'));
    assert.match(kept.metrics, /rollcall_machines/);
    assertSecretless('controller, metrics', kept.metrics);
  });

  test('writes nothing secret into the cluster', () => {
    assert.notEqual(kept.reports.length, 0);
    assertSecretless('NodeReports', JSON.stringify(kept.reports));
    assert.notEqual(kept.events.length, 0);
    assertSecretless('Events', JSON.stringify(kept.events));
  });

  test('records nothing secret', () => {
    const files = ['', '-wal'].map((suffix) => readIfThere(`${record}${suffix}`));
    assertSecretless('record of the controller', files.join(''));
  });

  for (const words of [['--all'], ['--all', '-o', 'json'], ['--all', '-o', 'html'], ['--deleted']])
    test(`nothing secret is in timeline ${words.join(' ')}`, async () => {
      const printed = await timeline(words);
      assert.ok(printed.length > 100, printed);
      assertSecretless(`timeline ${words.join(' ')}`, printed);
    });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

after(() => writePlantedTable(search, lengths));
