import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NotObservable } from '../../src/diagnosis/document.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { Stage } from '../../src/evidence/stage.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';

const ID = 'i-0123456789abcdef0';
const NAME = 'ip-10-0-1-20.eu-west-1.compute.internal';

const INSTANCE = {
  Reservations: [
    { Instances: [{ InstanceId: ID, PrivateDnsName: NAME, State: { Name: 'running' } }] },
  ],
};

interface Refused {
  readonly call: string;
  readonly failure: string;
  readonly permission: string | null;
  readonly message: string;
}

function nodeWith(taints: readonly string[], ready: 'True' | 'False' = 'True') {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NAME },
    spec: { taints: taints.map((key) => ({ key })) },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

async function lacking(
  values: readonly object[],
  refusals: readonly Refused[] = [],
): Promise<ReadonlyMap<Stage, NotObservable>> {
  const at = '2026-03-01T12:00:00Z';
  const collection = { apiVersion: EVIDENCE_VERSION, kind: 'Collection', at, cluster: 'shop' };
  const texts = [...values, { ...collection, refusals }].map((value, index) => ({
    name: `${index}.json`,
    text: JSON.stringify(value),
  }));
  const { subjects } = await diagnoseTexts(texts);
  const machine = subjects.find(({ kind }) => kind === 'Machine') ?? assert.fail('no machine');
  return new Map(machine.notObservable.map((entry) => [entry.stage, entry]));
}

function denied(call: string): Refused {
  return { call, failure: 'denied', permission: 'the-right', message: 'no' };
}

const CALLS: readonly (readonly [call: string, stages: readonly Stage[]])[] = [
  ['ec2:DescribeInstanceStatus', ['launched']],
  ['ec2:DescribeInstances', ['launched', 'identified']],
  ['ec2:GetConsoleOutput', ['bootstrapped']],
  ['list configmaps', ['authenticated']],
  ['eks:ListAccessEntries', ['authenticated']],
  ['eks:DescribeCluster', ['authenticated']],
  ['list events', ['retained']],
  ['list serviceaccounts', ['credentialed']],
  ['list pods', ['networked', 'credentialed', 'usable']],
];

describe('a refused call', () => {
  for (const [call, stages] of CALLS)
    test(`${call} is why ${stages.join(', ')} could not be seen`, async () => {
      const lacks = await lacking([INSTANCE], [denied(call)]);
      const blamed = [...lacks.values()].filter(({ why }) => why.includes('was refused'));
      assert.deepEqual(
        blamed.map(({ stage, why, collect }) => [stage, why, collect]),
        stages.map((stage) => [
          stage,
          `${call} was refused: the-right is missing`,
          'rollcall permissions --check',
        ]),
      );
    });

  test('list nodes hides every stage but the pods of service accounts', async () => {
    const lacks = await lacking([INSTANCE], [denied('list nodes')]);
    const others = [...lacks.values()].filter(({ why }) => !why.includes('was refused'));
    assert.deepEqual(
      others.map(({ stage }) => stage),
      ['authenticated', 'credentialed'],
    );
  });

  test('that failed for another reason says that reason, and keeps what to collect', async () => {
    const timeout = { call: 'list events', failure: 'timeout', permission: null, message: 'late' };
    const retained = (await lacking([INSTANCE], [timeout])).get('retained');
    assert.equal(retained?.why, 'late');
    assert.match(retained.collect, /^kubectl /);
  });
});

describe('the taints of a Node', () => {
  test('names up to three that may be a gate', async () => {
    const gated = (await lacking([INSTANCE, nodeWith(['a', 'b', 'c', 'd'])])).get('gated');
    assert.equal(gated?.why, 'a taint of the Node may be a gate: a, b, c');
  });

  test('do not tell of gates before it is Ready', async () => {
    const gated = (await lacking([INSTANCE, nodeWith(['a'], 'False')])).get('gated');
    assert.equal(gated?.why, 'taints show gates only once the Node is Ready');
  });
});
