import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import {
  ago,
  COLLECTION,
  DAEMON,
  diagnosed,
  instance,
  instances,
  listOf,
  machine,
  NODE,
  pod,
  READY,
  stateOf,
} from './live-scene.ts';

function waiting(minutes: number): JsonObject {
  const state = { waiting: { reason: 'ContainerCreating' } };
  return pod('web-1', minutes, { phase: 'Pending', containerStatuses: [{ name: 'app', state }] });
}

function sandboxEvent(name: string, minutes = 48): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'EventList',
    items: [
      {
        metadata: { name: `${name}.1`, namespace: 'kube-system' },
        involvedObject: { kind: 'Pod', name, namespace: 'kube-system' },
        type: 'Warning',
        reason: 'FailedCreatePodSandBox',
        message: 'Failed to create pod sandbox: rpc error: code = Unknown desc = no route',
        lastTimestamp: ago(minutes),
      },
    ],
  };
}

describe('a running instance without a Node', () => {
  test('is not usable once registering has taken too long', async () => {
    const report = await machine(COLLECTION, listOf('Node', []), instances(instance(40)));
    assert.deepEqual([report.verdict, stateOf(report, 'registered')], ['not-usable', 'failed']);
  });

  test('is pending before', async () => {
    const report = await machine(COLLECTION, listOf('Node', []), instances(instance(1)));
    assert.deepEqual([report.verdict, stateOf(report, 'registered')], ['cannot-tell', 'pending']);
    assert.deepEqual(report.findings, []);
  });

  test('is unknown without a list of Nodes', async () => {
    const report = await machine(COLLECTION, instances(instance(40)));
    assert.deepEqual([report.verdict, stateOf(report, 'registered')], ['cannot-tell', 'unknown']);
  });

  test('is unknown once a person ended it, and known when AWS did', async () => {
    const gone = (code: string): JsonObject => ({
      ...instance(12, { Name: 'terminated' }),
      StateReason: { Code: code },
    });
    const nodes = listOf('Node', []);
    const ended = await diagnosed(
      COLLECTION,
      nodes,
      instances(gone('Client.UserInitiatedShutdown')),
    );
    const lost = await diagnosed(
      COLLECTION,
      nodes,
      instances(gone('Server.SpotInstanceTermination')),
    );
    const machines = ({ subjects }: DiagnosisDocument): number =>
      subjects.filter(({ kind }) => kind === 'Machine').length;
    assert.deepEqual([machines(ended), machines(lost)], [0, 1]);
  });
});

describe('a Node with only events left', () => {
  const nodeEvent = (reason: string, message: string, minutes: number): JsonObject => ({
    metadata: { name: `gone.${reason}`, namespace: 'default' },
    involvedObject: { kind: 'Node', name: 'ip-10-0-9-9' },
    type: 'Normal',
    reason,
    message,
    lastTimestamp: ago(minutes),
  });
  const deleted = nodeEvent(
    'DeletingNode',
    'Deleting node ip-10-0-9-9 because it does not exist in the cloud provider',
    5,
  );
  const registered = (minutes: number): JsonObject =>
    nodeEvent(
      'RegisteredNode',
      'Node ip-10-0-9-9 event: Registered Node ip-10-0-9-9 in Controller',
      minutes,
    );
  const names = async (...events: readonly JsonObject[]): Promise<readonly string[]> => {
    const nodes = listOf('Node', []);
    const { subjects } = await diagnosed(COLLECTION, nodes, instances(), listOf('Event', events));
    return subjects.flatMap(({ name, findings }) =>
      findings.map(({ cause }) => `${name} ${cause}`),
    );
  };

  test('is reported when it was deleted soon after it appeared', async () => {
    const told = await names(registered(6), deleted);
    assert.deepEqual(told, ['ip-10-0-9-9 node-deleted-as-not-in-cloud']);
  });

  test('is unknown when it had existed for long, as in every scale-in', async () => {
    assert.deepEqual(await names(registered(30), deleted), []);
  });
});

describe('pods tell of their Node', () => {
  const nodes = listOf('Node', [NODE]);
  const all = [COLLECTION, nodes, instances(instance(70))];

  test('a pod that waits for its sandbox too long keeps its Node from being usable', async () => {
    const late = await machine(...all, listOf('Pod', [DAEMON, waiting(10)]));
    const early = await machine(...all, listOf('Pod', [DAEMON, waiting(1)]));
    assert.deepEqual([late.verdict, stateOf(late, 'networked')], ['not-usable', 'failed']);
    assert.deepEqual([early.verdict, stateOf(early, 'networked')], ['cannot-tell', 'unknown']);
  });

  test('a Node without workload pods is usable while its pod network is Ready', async () => {
    const report = await machine(...all, listOf('Pod', [DAEMON]));
    assert.equal(report.verdict, 'usable');
  });

  test('an event of a pod that is Ready or gone is over', async () => {
    const well = pod('web-1', 50, { phase: 'Running', podIP: '10.0.1.9', conditions: READY });
    const healed = await machine(...all, listOf('Pod', [DAEMON, well]), sandboxEvent('web-1'));
    const gone = await diagnosed(...all, listOf('Pod', [DAEMON]), sandboxEvent('web-1'));
    assert.equal(healed.verdict, 'usable');
    assert.deepEqual(
      gone.subjects.map(({ kind, verdict }) => `${kind} ${verdict}`),
      ['Machine usable'],
    );
  });

  test('an event of an unlisted pod is over once it has not repeated for long', async () => {
    const isTrouble = async (minutes: number): Promise<boolean> => {
      const { subjects } = await diagnosed(...all, sandboxEvent('web-1', minutes));
      return subjects.some(({ kind, verdict }) => kind === 'Cluster' && verdict === 'not-usable');
    };
    assert.deepEqual([await isTrouble(10), await isTrouble(48)], [true, false]);
  });
});
