/** Secrets in a cluster with gates: none is said, written into it, explained or converted. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sayOn } from '../../src/apps/controller/serving.ts';
import { run as runCommand } from '../../src/apps/cli/run.ts';
import { explanationPage } from '../../src/apps/cli/pages/gate-explanation.ts';
import { slipInPage } from '../../src/apps/cli/pages/slip-ins.ts';
import { structured } from '../../src/apps/cli/structured.ts';
import { explained } from '../../src/apps/gate/explain.ts';
import { reportedSlipIns } from '../../src/apps/gate/slip-ins.ts';
import { NODE_GATE_KIND } from '../../src/apps/gate/policy-kinds.ts';
import { GateProgram } from '../../src/apps/gate/program.ts';
import { EVENTS, LEASES, NODES, PODS } from '../../src/collection/resources.ts';
import { GATE_CONDITION } from '../../src/controllers/gate/condition.ts';
import { NODE_GATES } from '../../src/controllers/gate/policies/node-gate.ts';
import { NODE_READINESS_RULES } from '../../src/controllers/gate/policies/node-readiness-rule.ts';
import { at, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { REDACTED } from '../../src/evidence/secrets/mark.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import { CSI_NODES, DAEMON_SETS } from '../controllers/gate/scene.ts';
import { type VirtualClock, virtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { shareOf, tellShare } from '../share.ts';
import {
  DAEMON_SET,
  GATE_PLACES,
  plantedGates,
  plantedNodeName,
  refusedRule,
  replacedEvent,
  shapedTexts,
  WORKERS,
} from './planted/gate.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-gate-'));
after(() => rmSync(ROOM, { recursive: true }));

const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted around gates', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();
const shaped = shapedTexts(search.plant, GATE_PLACES, (number) => chosen.has(number));

/** Fails at a secret, and where hardly any place of one is left: then nothing was looked at. */
function assertSecretless(output: string, text: string, marksMin: number): void {
  assertNoSecretIn(search, lengths, output, text);
  const marks = text.split(REDACTED).length - 1;
  assert.ok(marks >= marksMin, `${output} has ${marks} marks of what was redacted`);
}

const GATED = [NODE_GATES, NODE_READINESS_RULES, DAEMON_SETS, CSI_NODES];
const SERVED = [NODES, PODS, EVENTS, LEASES, ...GATED];

/** @param hasRefused false for the one gate alone that can be followed */
function plantedApi(clock: VirtualClock, hasRefused = true): FakeKubeApi {
  const api = new FakeKubeApi({ clock });
  for (const resource of SERVED) api.serve(resource);
  const set = api.put(DAEMON_SETS, DAEMON_SET);
  const planted = plantedGates(shaped, textAt(set, 'metadata.uid') ?? '');
  const put = (resource: KubeResource, objects: readonly JsonObject[]): void => {
    for (const object of objects) api.put(resource, object);
  };
  put(NODES, planted.nodes);
  put(PODS, planted.pods);
  put(NODE_GATES, hasRefused ? planted.gates : [WORKERS]);
  put(NODE_READINESS_RULES, hasRefused ? planted.rules : []);
  return api;
}

interface Kept {
  readonly api: FakeKubeApi;
  readonly said: string;
  readonly metrics: string;
}

/** Lets a gate controller work until it has told what is wrong. */
async function keepGates(): Promise<Kept> {
  const clock = virtualClock(Date.parse('2026-11-22T10:00:00Z'));
  const api = plantedApi(clock);
  const writes = new FakeKubeWrites(api);
  const said: string[] = [];
  const program = new GateProgram(
    {
      namespace: 'rollcall',
      identity: 'one',
      isDryRun: false,
      policyKinds: [NODE_GATE_KIND],
      fixed: [],
      rulesNamespace: 'rollcall',
      isReplacement: false,
    },
    {
      api,
      writes,
      leaseApi: api,
      leaseWrites: writes,
      recorder: createFakeRecorder(),
      clock,
      random: { next: () => 0.5 },
      say: sayOn((text) => said.push(text)),
    },
  );
  const ending = new AbortController();
  const running = program.run(ending.signal);
  for (let second = 0; second < 180; second += 5) await clock.advance(5_000);
  const kept = { api, said: said.join(''), metrics: program.registry.text() };
  ending.abort();
  await clock.advance(60_000);
  await running;
  return kept;
}

describe('a gate controller', () => {
  let kept: Kept;
  before(async () => {
    kept = await keepGates();
  });

  const written = (resource: KubeResource, path: string): string =>
    JSON.stringify(kept.api.objects(resource).map((object) => at(object, path) ?? null));

  test('keeps secrets out of its log and its metrics', () => {
    assertSecretless('gate, log', kept.said, shaped.length);
    assert.match(kept.metrics, /rollcall_gate/);
    assertSecretless('gate, metrics', kept.metrics, 0);
  });

  test('writes none into the condition of a Node', () => {
    const conditions = kept.api
      .objects(NODES)
      .flatMap((node) => listAt(node, 'status.conditions'))
      .filter((condition) => textAt(condition, 'type') === GATE_CONDITION);
    assert.equal(conditions.length, shaped.length);
    assertSecretless('gate, conditions of Nodes', JSON.stringify(conditions), shaped.length);
  });

  test('writes none into the status of its objects', () => {
    assertSecretless('gate, NodeGates', written(NODE_GATES, 'status'), shaped.length);
    const rules = written(NODE_READINESS_RULES, 'status');
    assertSecretless('gate, NodeReadinessRules', rules, shaped.length / 2);
  });

  test('tells none in its Events', () => {
    assert.notEqual(kept.api.objects(EVENTS).length, 0);
    assertSecretless('gate, Events', JSON.stringify(kept.api.objects(EVENTS)), 1);
  });

  test('is explained without one, in every format', async () => {
    const own = plantedApi(virtualClock(), false);
    const asked = shaped.map((one) => [own, plantedNodeName(one)] as const);
    const [first = assert.fail()] = asked;
    const all = [];
    for (const [api, name] of [...asked, [kept.api, first[1]] as const])
      all.push(await explained(api, name));
    const pages = all.map((one) => explanationPage(one).join('\n')).join('\n');
    assertSecretless('gate explain', pages, shaped.length);
    for (const format of ['json', 'yaml'] as const) {
      const texts = await Promise.all(all.map((one) => structured(one, format)));
      assertSecretless(`gate explain -o ${format}`, texts.join('\n'), shaped.length);
    }
  });
});

describe('Pods that slipped in', () => {
  test('are listed without a secret of who made them or told of them, in every format', async () => {
    const api = plantedApi(virtualClock(), false);
    for (const one of shaped) api.put(EVENTS, replacedEvent(one));
    const report = await reportedSlipIns(api, null);
    assert.equal(report.slipIns.length, shaped.length);
    assert.equal(report.replaced.length, shaped.length);
    assertSecretless('gate slip-ins', slipInPage(report).join('\n'), shaped.length * 2);
    for (const format of ['json', 'yaml'] as const) {
      const text = await structured(report, format);
      assertSecretless(`gate slip-ins -o ${format}`, text, shaped.length * 2);
    }
  });
});

async function converted(file: string, text: string): Promise<{ out: string; err: string }> {
  const printed = { out: '', err: '' };
  const path = join(ROOM, file);
  writeFileSync(path, text);
  await runCommand(['gate', 'convert', path], {
    stdin: async function* none() {},
    progress: () => {},
    isInputPiped: false,
    colour: false,
    columns: 100,
    width: Infinity,
    out: (more) => {
      printed.out += more;
    },
    err: (more) => {
      printed.err += more;
    },
  });
  return printed;
}

describe('gate convert', () => {
  const places = ['nidhogg', 'NodeReadinessRule', 'vigil', 'ConfigMap'].map(
    (what) => `converted ${what} file`,
  );
  const texts = shapedTexts(search.plant, places, (number) => chosen.has(number));
  const of = (place: string): readonly string[] =>
    texts.map(({ textAt: text }) => text(`converted ${place} file`));
  const documents = (all: readonly unknown[]): string =>
    all.map((one) => `---\n${JSON.stringify(one)}\n`).join('');

  test('prints no secret of what it converts', async () => {
    const nidhogg = of('nidhogg').map((text) => ({
      nodeSelector: { 'example.com/of': 'x' },
      daemonsets: [{ name: 'cni', namespace: 'kube-system', effect: 'NoSchedule', note: text }],
    }));
    const rules = of('NodeReadinessRule').map((text, number) => ({
      ...refusedRule({ number, textAt: () => 'allOf' }),
      spec: {
        ...(refusedRule({ number, textAt: () => 'allOf' })['spec'] as JsonObject),
        nodeSelector: { matchLabels: { 'example.com/of': text } },
      },
    }));
    const { out, err } = await converted('whole.yaml', documents([...nidhogg, ...rules]));
    assert.match(out, /kind: NodeGate/);
    assertSecretless('gate convert', out + err, shaped.length);
  });

  test('prints no secret of what it refuses', async () => {
    const vigils = of('vigil').map((text) => ({ taintKey: text, timeoutSeconds: text, [text]: 1 }));
    const maps = of('ConfigMap').map((text) => ({
      kind: 'ConfigMap',
      metadata: { name: text },
      data: { [text]: `daemonsets: ${JSON.stringify(text)}` },
    }));
    const others = of('nidhogg').map((text) => ({ kind: text, metadata: { name: text } }));
    const rules = of('NodeReadinessRule').map((text, number) =>
      refusedRule({ number, textAt: () => text }),
    );
    const all = documents([...vigils, ...maps, ...others, ...rules, WORKERS]);
    const { out, err } = await converted('refused.yaml', all);
    assertSecretless('gate convert, refusals', out + err, shaped.length);
  });
});

after(() => writePlantedTable(search, lengths));
