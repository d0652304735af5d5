import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { RungState } from '../../src/diagnosis/document.ts';
import type { Json, JsonObject } from '../../src/evidence/json.ts';
import type { Stage } from '../../src/evidence/stage.ts';

const NAME = 'ip-10-0-16-197';

/** How a stage of the one machine of these texts stands; null without a machine. */
async function rungOf(stage: Stage, ...texts: readonly string[]): Promise<RungState | null> {
  const piled = texts.map((text, index) => ({ name: `${index}.txt`, text }));
  const { subjects } = await diagnoseTexts(piled);
  const machines = subjects.filter(({ kind }) => kind === 'Machine');
  assert.ok(machines.length <= 1, machines.map(({ name }) => name).join());
  return machines[0]?.ladder.find((rung) => rung.stage === stage)?.state ?? null;
}

describe('a Node that was deleted', () => {
  const initialised = (at: string): string =>
    `I0302 ${at}       1 node_controller.go:483] Successfully initialized node ${NAME} with cloud provider`;
  const DELETED = `I0302 08:55:23.967000       1 node_lifecycle_controller.go:164] deleting node since it is no longer present in cloud provider: ${NAME}`;

  test('is back when the cloud controller has initialized one of its name again', async () => {
    const lines = [initialised('08:55:22.102000'), DELETED, initialised('09:11:08.179000'), ''];
    assert.notEqual(await rungOf('retained', lines.join('\n')), 'failed');
    assert.equal(await rungOf('registered', lines.join('\n')), 'passed');
  });

  test('is gone when it was initialized only before', async () => {
    const lines = [initialised('08:55:22.102000'), DELETED, ''];
    assert.equal(await rungOf('retained', lines.join('\n')), 'failed');
  });

  test('is gone when another one was initialized', async () => {
    const other = initialised('09:11:08.179000').replace(NAME, 'ip-10-0-2-130');
    const piled = [{ name: 'ccm.log', text: [DELETED, other, ''].join('\n') }];
    const { subjects } = await diagnoseTexts(piled);
    const gone = subjects.find(({ name }) => name === NAME);
    assert.equal(gone?.ladder.find(({ stage }) => stage === 'retained')?.state, 'failed');
  });
});

const STARTED = '2026-03-02T09:00:47Z';

function pod(name: string, status: JsonObject): JsonObject {
  const metadata = { name, namespace: 'shop' };
  const containers = [{ name: 'web' }];
  return { metadata, spec: { nodeName: NAME, containers }, status };
}

const waiting = pod('web-1', {
  phase: 'Pending',
  startTime: STARTED,
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: STARTED }],
  containerStatuses: [{ name: 'web', state: { waiting: { reason: 'ContainerCreating' } } }],
});

function running(at: string): JsonObject {
  const startedAt = { running: { startedAt: at } };
  return pod('web-2', {
    phase: 'Running',
    startTime: STARTED,
    podIP: '10.0.16.53',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }],
    containerStatuses: [{ name: 'web', state: startedAt }],
  });
}

const EVENT: JsonObject = {
  kind: 'Event',
  apiVersion: 'v1',
  metadata: { name: 'web-1.a', namespace: 'shop' },
  involvedObject: { kind: 'Pod', name: 'web-1', namespace: 'shop' },
  reason: 'FailedCreatePodSandBox',
  type: 'Warning',
  source: { component: 'kubelet', host: NAME },
  message:
    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "7165": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
  firstTimestamp: STARTED,
  lastTimestamp: '2026-03-02T09:01:16Z',
  count: 3,
};

/** As `kubectl get … -A -o json` prints it. */
function list(kind: string, ...items: readonly JsonObject[]): string {
  const typed: readonly Json[] = items.map((item) => ({ apiVersion: 'v1', kind, ...item }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: typed });
}

describe('a pod that does not get its sandbox', () => {
  test('is young when nothing that was collected is two minutes younger', async () => {
    const pods = list('Pod', waiting, running('2026-03-02T09:01:10Z'));
    assert.notEqual(await rungOf('networked', pods, list('Event', EVENT)), 'failed');
  });

  test('is stuck when the pile continues for minutes', async () => {
    const late = { ...EVENT, count: 30, lastTimestamp: '2026-03-02T09:06:40Z' };
    const pods = list('Pod', waiting, running('2026-03-02T09:01:10Z'));
    assert.equal(await rungOf('networked', pods, list('Event', late)), 'failed');
    const others = list('Pod', waiting, {
      ...running('2026-03-02T09:06:40Z'),
      spec: { nodeName: 'ip-10-0-2-2', containers: [{ name: 'web' }] },
    });
    const { subjects } = await diagnoseTexts([
      { name: 'pods.json', text: others },
      { name: 'events.json', text: list('Event', EVENT) },
    ]);
    const machine = subjects.find(({ name }) => name === NAME);
    const rung = machine?.ladder.find(({ stage }) => stage === 'networked');
    assert.equal(rung?.state, 'failed', 'by what a pod elsewhere says');
  });

  test('is stuck when its age is unknown', async () => {
    assert.equal(await rungOf('networked', list('Event', EVENT)), 'failed');
  });
});
