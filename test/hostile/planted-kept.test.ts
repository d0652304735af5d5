/** Secrets in a cluster that a controller watches: none is said, written, recorded or told later. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { after, before, describe, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { Controller } from '../../src/apps/controller/program.ts';
import { run as runCommand } from '../../src/apps/cli/run.ts';
import { lookOf } from '../../src/collection/recording/look.ts';
import { Recording } from '../../src/collection/recording/recording.ts';
import { LastWords } from '../../src/collection/recording/last-words.ts';
import { EvidencePile } from '../../src/collection/recording/pile.ts';
import { SeenCluster } from '../../src/collection/recording/seen.ts';
import { allListeners } from '../../src/collection/resident/all-listeners.ts';
import { EVENTS, KUBE_LISTS, LEASES, NODES } from '../../src/collection/resources.ts';
import { NODE_REPORTS } from '../../src/controllers/node-reports/report.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import { type LogFormat, Logger } from '../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../src/runtime/metrics/registry.ts';
import { WebhookPublisher } from '../../src/runtime/webhook/webhook-publisher.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeWebhook } from '../ports/fake/webhook.ts';
import { createSearch } from './planted/search.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';
import { plantedWorld } from './planted/world.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-kept-'));
after(() => rmSync(ROOM, { recursive: true }));

const RANDOM = { next: () => 0.5 };
const START_MS = Date.parse('2026-11-22T10:00:00Z');
const search = createSearch();
const world = plantedWorld(search.plant);
const lengths: Lengths = new Map();
const record = join(ROOM, 'flight.sqlite');

const assertSecretless = (output: string, text: string): void =>
  assertNoSecretIn(search, lengths, output, text);

interface Kept {
  readonly said: readonly string[];
  /** What the webhook was sent. */
  readonly messages: readonly string[];
  readonly metrics: string;
  readonly reports: readonly JsonObject[];
  readonly events: readonly JsonObject[];
}

async function itemsOf(api: FakeKubeApi, resource: KubeResource): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  for await (const page of api.list(resource, {})) items.push(...page.items);
  return items;
}

/** An API server in which everything is planted. */
function plantedApi(clock: VirtualClock): FakeKubeApi {
  const api = new FakeKubeApi({ clock });
  for (const { resource } of KUBE_LISTS) {
    api.serve(resource);
    for (const object of world.lists[resource.plural] ?? []) api.put(resource, object);
  }
  for (const resource of [NODE_REPORTS, EVENTS, LEASES]) api.serve(resource);
  return api;
}

/** Lays what is planted into an API server, and deletes a Node when all has been seen. */
async function keepRollCall(format: LogFormat): Promise<Kept> {
  const clock = virtualClock(START_MS);
  const api = plantedApi(clock);
  const said: string[] = [];
  const say = (line: string): number => said.push(line);
  const recorder = openRecorder(record);
  const limits = { keepMs: 86_400_000, bytesMax: 2 ** 30 };
  const recording = new Recording({ recorder, limits, pauseMs: 300_000, say });
  const seen = new SeenCluster();
  const pile = new EvidencePile();
  const webhook = createFakeWebhook(clock);
  const told = { webhook, clock, random: RANDOM };
  const lastWords = new LastWords({
    clients: { ...world.clients, kube: api, clock },
    readsNodeLogs: false,
    end: new AbortController().signal,
  });
  const controller = new Controller(
    {
      cluster: 'shop',
      namespace: 'kube-system',
      identity: 'one',
      writesReports: true,
      writesEvents: true,
      auth: 'off',
      live: () => ({ keepReportsMs: 600_000, isDryRun: false }),
    },
    {
      clients: { ...world.clients, kube: api, clock },
      writes: new FakeKubeWrites(api),
      recorder,
      random: RANDOM,
      log: new Logger({ clock, level: () => 'debug', format: () => format, write: say }),
      registry: new MetricsRegistry(),
      janitor: null,
      awsEvents: null,
      webhook: new WebhookPublisher({ ...told, onDelivery: () => undefined }),
      recording: {
        listener: allListeners([seen, pile]),
        take: async (standing) => {
          lastWords.ask(standing.observations, standing.nowMs);
          const look = lookOf(standing, seen.take(), 'shop', pile);
          await recording.take({ ...look, lastWords: lastWords.take() });
        },
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
    messages: webhook.received.map(({ body }) => body),
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

async function printed(words: readonly string[]): Promise<string> {
  let text = '';
  const print = (more: string): void => {
    text += more;
  };
  await runCommand([...words, '--record', record], {
    stdin: async function* none() {},
    progress: () => {},
    isInputPiped: false,
    colour: false,
    columns: 100,
    width: Infinity,
    out: print,
    err: print,
  });
  return text;
}

describe('a controller', () => {
  let kept: Kept;
  before(async () => {
    kept = await keepRollCall('json');
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

  test('sends nothing secret to its webhook', () => {
    assert.notEqual(kept.messages.length, 0);
    assertSecretless('webhook', kept.messages.join('\n'));
  });

  test('judges its record again without a secret, also as a bundle', async () => {
    const bundle = join(ROOM, 'then.tar.gz');
    const text = await printed(['diagnose', '-o', 'json', '--save', bundle]);
    assert.match(text, /"kind": ?"Diagnosis"/);
    assertSecretless('diagnose --record', text);
    assertSecretless('bundle of a record', gunzipSync(readFileSync(bundle)).toString('latin1'));
  });

  test('records nothing secret', () => {
    const files = ['', '-wal'].map((suffix) => readIfThere(`${record}${suffix}`));
    assertSecretless('record of the controller', files.join(''));
  });

  for (const words of [['--all'], ['--all', '-o', 'json'], ['--all', '-o', 'html'], ['--deleted']])
    test(`nothing secret is in timeline ${words.join(' ')}`, async () => {
      const text = await printed(['timeline', ...words]);
      assert.ok(text.length > 100, text);
      assertSecretless(`timeline ${words.join(' ')}`, text);
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
