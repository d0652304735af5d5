import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeNode } from '../evidence/kinds.ts';
import type { FactRecord, Observations } from '../evidence/observations.ts';
import { nodeOf } from '../evidence/testing.ts';
import type { Subject } from './subject.ts';
import { assembleSubjects, createAssembler } from './subjects.ts';
import { factOf, fileOf, logOf, named, observationsOf } from './testing.ts';

const node = (name: string, is: Partial<KubeNode> = {}, about = `node ${name}`) =>
  factOf('kube/Node', nodeOf(name, is), named(about));
const instance = (id: string, state: string, reason = '') =>
  factOf(
    'aws/instance',
    { InstanceId: id, State: { Name: state }, StateReason: { Code: reason } } as never,
    named(`instance-id ${id}`),
  );

const ONE = 'i-0123456789abcdef0';
const OTHER = 'i-0123456789abcdef1';
const CLUSTER = factOf('aws/cluster', { name: 'shop' } as never);
const FACTS: readonly FactRecord[] = [
  node('web-1', { internalIp: '10.0.0.1' }),
  node('web-2', { internalIp: '10.0.0.2' }),
  node('db.one', { internalIp: '10.0.0.3', machineId: 'a' }),
  node('db.two', { internalIp: '10.0.0.4', machineId: 'b' }),
  instance(ONE, 'running'),
  instance(OTHER, 'terminated', 'Client.UserInitiatedShutdown'),
  CLUSTER,
];
const LINK = { names: named('node web-1', `instance-id ${ONE}`), proof: '', locator: '' };
const BASE: Partial<Observations> = {
  documents: [fileOf({ container: null })],
  facts: FACTS,
  links: [LINK],
};

function withFact(index: number, fact: FactRecord): Partial<Observations> {
  return { facts: FACTS.with(index, fact) };
}

function shown(subjects: readonly Subject[]): unknown {
  return subjects.map(({ kind, name, node: itsNode, instanceId, names, hits, facts }) => {
    const own = [...facts.ownKinds].flatMap((fact) => facts.own(fact));
    return { kind, name, node: itsNode, instanceId, names, hits, own };
  });
}

describe('facts have the places that they would have for one who knows nothing of before', () => {
  for (const [title, change] of [
    ['when nothing changed', {}],
    [
      'when a Node says another thing',
      withFact(1, node('web-2', { internalIp: '10.0.0.2', ready: false })),
    ],
    ['when a fact of nobody says another', withFact(6, { ...CLUSTER })],
    ['when a fact is of another machine', withFact(1, node('web-2', {}, 'node web-1'))],
    ['when a fact is of nobody', withFact(1, { ...node('web-2'), about: [] })],
    ['when a fact is of another kind', withFact(6, node('web-9'))],
    [
      'when two Nodes are one machine',
      withFact(3, node('db.two', { internalIp: '10.0.0.3', machineId: 'a' })),
    ],
    ['when an instance ended on purpose', withFact(4, instance(ONE, 'terminated', 'Client.User'))],
    ['when an instance lives again', withFact(5, instance(OTHER, 'running'))],
    ['when a fact is gone', { facts: FACTS.slice(1) }],
    ['when one has come', { facts: [...FACTS, node('web-3')] }],
    [
      'when two changed places',
      { facts: [...FACTS.slice(1, 2), ...FACTS.slice(0, 1), ...FACTS.slice(2)] },
    ],
    ['when a link is gone', { links: [] }],
    [
      'when a link names others',
      { links: [{ ...LINK, names: named('node web-2', `instance-id ${ONE}`) }] },
    ],
    ['when a line names a machine', { hits: [logOf('node web-1')] }],
    ['when a line names one that nothing else names', { hits: [logOf('node web-7')] }],
    [
      'when a document names a machine',
      { documents: [fileOf({ machines: named('node web-1', 'host h') })] },
    ],
    ['when a document is in an archive', { documents: [fileOf({ container: 'a.tar' })] }],
    [
      'when a machine speaks of itself',
      { facts: [...FACTS, factOf('host/clock', { aheadMs: 0 } as never, named('node web-1'))] },
    ],
  ] as const)
    test(title, () => {
      const assemble = createAssembler();
      const [before, now] = [observationsOf(BASE), observationsOf({ ...BASE, ...change })];
      for (const one of [before, now, before, now])
        assert.deepEqual(shown(assemble(one)), shown(assembleSubjects(one)));
    });
});
