import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord, Hit, NameLink, Observations } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import { nodeOf } from '../evidence/testing.ts';
import type { Subject } from './subject.ts';
import { assembleSubjects } from './subjects.ts';
import { factOf, fileOf, logOf, named, observationsOf } from './testing.ts';

const ONE = 'i-0123456789abcdef0';
const TWO = 'i-0fedcba9876543210';

const link = (...names: readonly string[]): NameLink => ({
  names: named(...names),
  proof: '',
  locator: '',
});

/** What the cluster's sources say, about a machine or nobody. */
const event = (about: string | null): Hit => logOf(about, 0, { onMachine: false });

const node = (called: string, ...about: readonly string[]): FactRecord =>
  factOf('kube/Node', nodeOf(called), named(`node ${called}`, ...about));

const instance = (id: string, state: string, code?: string): FactRecord =>
  factOf(
    'aws/instance',
    {
      InstanceId: id,
      State: { Name: state },
      StateReason: code === undefined ? null : { Code: code },
    } as never,
    named(`instance-id ${id}`),
  );

function assembled(change: Partial<Observations>): readonly Subject[] {
  return assembleSubjects(observationsOf({ documents: [fileOf(), fileOf(), fileOf()], ...change }));
}

/** `Machine a: 1 hits, kube/Node`, for each subject that has anything. */
function subjects(change: Partial<Observations>): readonly string[] {
  return assembled(change)
    .map(({ kind, name: called, hits, facts }) => {
      const kinds = (['kube/Node', 'aws/instance', 'host/clock', 'kube/Lease'] as const).filter(
        (one) => facts.has(one),
      );
      return [`${kind} ${called}`, `${hits.length}`, ...kinds].join(' ');
    })
    .filter((text) => !text.startsWith('Cluster cluster 0') || text.endsWith('host/clock'));
}

const WHAT_MAKES_A_MACHINE = [
  ['is what has a log', { hits: [logOf('host web-1')] }, ['Machine web-1 1']],
  ['is what an event speaks of', { hits: [event('node web-1')] }, ['Machine web-1 1']],
  ['is what has a Node', { facts: [node('web-1')] }, ['Machine web-1 0 kube/Node']],
  ['is not what merely has a name', { links: [link('host a', 'host b')] }, []],
  [
    'is not what merely has a Lease',
    { facts: [factOf('kube/Lease', {} as never, named('node a'))] },
    [],
  ],
  [
    'is one under all names that belong together',
    {
      links: [link('host web-1', `instance-id ${ONE}`)],
      hits: [logOf('host web-1'), logOf(`instance-id ${ONE}`, 1)],
    },
    ['Machine web-1 2'],
  ],
  [
    'is one under the names of a fact',
    { facts: [node('web-1', `instance-id ${ONE}`)], hits: [logOf(`instance-id ${ONE}`)] },
    ['Machine web-1 1 kube/Node'],
  ],
  [
    'is two under names that nothing ties',
    { hits: [logOf('host web-1'), logOf('host web-2', 1)] },
    ['Machine web-1 1', 'Machine web-2 1'],
  ],
  [
    'is one through a chain of names',
    {
      links: [link('host a', 'host b'), link('host b', 'host c'), link('host c', 'host d')],
      hits: [logOf('host a'), logOf('host d', 1)],
    },
    ['Machine a 2'],
  ],
  [
    'is one through names tied later',
    {
      links: [link('host a', 'host b'), link('host c', 'host d'), link('host d', 'host b')],
      hits: [logOf('host a'), logOf('host c', 1)],
    },
    ['Machine a 2'],
  ],
  [
    'is one under the names of a document',
    {
      documents: [fileOf({ machines: named('host web-1', `instance-id ${ONE}`) })],
      hits: [logOf('host web-1'), logOf(`instance-id ${ONE}`)],
    },
    ['Machine web-1 2'],
  ],
  [
    'is not all that a document of several speaks of',
    {
      documents: [
        fileOf({ machines: named(`instance-id ${ONE}`, `instance-id ${TWO}`, 'host web-1') }),
      ],
      hits: [logOf(`instance-id ${ONE}`), logOf(`instance-id ${TWO}`)],
    },
    [`Machine ${ONE} 1`, `Machine ${TWO} 1`],
  ],
  [
    'is not all whose addresses a document has',
    {
      documents: [fileOf({ machines: named('ip 10.0.0.1', 'ip 10.0.0.2') })],
      hits: [logOf('ip 10.0.0.1'), logOf('ip 10.0.0.2')],
    },
    ['Machine 10.0.0.1 1', 'Machine 10.0.0.2 1'],
  ],
  [
    'is what has an instance or a status that does not say its state',
    {
      facts: [
        factOf('aws/instance', { InstanceId: ONE } as never, named(`instance-id ${ONE}`)),
        factOf('aws/instance-status', { InstanceId: TWO } as never, named(`instance-id ${TWO}`)),
      ],
    },
    [`Machine ${ONE} 0 aws/instance`, `Machine ${TWO} 0`],
  ],
  [
    'is not that of a file outside an archive whose lines name none',
    {
      documents: [
        fileOf({ machines: named('host web-1') }),
        fileOf(),
        fileOf({ machines: named('host web-2') }),
      ],
      hits: [logOf('host web-1'), logOf(null, 1), logOf('host web-2', 2)],
    },
    ['Machine web-1 1', 'Machine web-2 1', 'Cluster cluster 1'],
  ],
  [
    'has what an archive says where some of its logs are in it',
    {
      documents: [fileOf({ container: 'b' }), fileOf(), fileOf({ container: 'b' })],
      hits: [logOf('host web-1'), logOf('host web-1', 1), logOf('host web-2', 1)],
      facts: [
        {
          ...factOf('host/clock', {} as never),
          moment: { when: null, at: { document: 2, line: 1 }, isState: true },
        },
      ],
    },
    ['Machine web-1 2 host/clock', 'Machine web-2 1'],
  ],
] as const;

const INSTANCE_STATES = [
  ['running', undefined, true],
  ['terminated', undefined, false],
  ['shutting-down', undefined, false],
  ['terminated', 'Client.UserInitiatedShutdown', false],
  ['terminated', 'Server.SpotInstanceTermination', true],
  ['terminated', 'Client.InternalError', true],
  ['terminated', 'x Client.User', true],
  ['stopped', 'Client.UserInitiatedShutdown', true],
] as const;

describe('a machine', () => {
  for (const [title, change, read] of WHAT_MAKES_A_MACHINE)
    test(title, () => assert.deepEqual(subjects(change as Partial<Observations>), read));

  for (const [state, code, isCalled] of INSTANCE_STATES)
    test(`that is ${state} because of ${code ?? 'nothing that is told'} ${isCalled ? 'is' : 'is not'} one`, () => {
      assert.equal(subjects({ facts: [instance(ONE, state, code)] }).length, isCalled ? 1 : 0);
    });

  for (const [state, isCalled] of [
    ['running', true],
    ['terminated', false],
    ['shutting-down', false],
  ] as const)
    test(`whose status is that of one ${state} ${isCalled ? 'is' : 'is not'} one`, () => {
      const value = { InstanceId: ONE, InstanceState: { Name: state } } as never;
      const facts = [factOf('aws/instance-status', value, named(`instance-id ${ONE}`))];
      assert.equal(subjects({ facts }).length, isCalled ? 1 : 0);
    });

  test('is one by a claim of Karpenter', () => {
    const claim = factOf('kube/NodeClaim', { name: 'c' } as never, named('node-claim c'));
    assert.deepEqual(subjects({ facts: [claim] }), ['Machine c 0']);
  });
});

describe('the name of a machine', () => {
  for (const [title, names, read] of [
    ['is that of its Node', ['host h', 'node n', 'private-dns p'], ['n', 'n', null]],
    ['is that of its certificate', ['host h', 'certificate system:node:c'], ['c', 'c', null]],
    [
      'is what EC2 calls it',
      ['host h', 'private-dns p.ec2.internal', `instance-id ${ONE}`],
      ['p.ec2.internal', null, ONE],
    ],
    ['is its host', [`instance-id ${ONE}`, 'host h'], ['h', null, ONE]],
    ['is its instance', ['node-claim c', `instance-id ${ONE}`], [ONE, null, ONE]],
    ['is its claim', ['ip 10.0.0.1', 'node-claim c'], ['c', null, null]],
    ['is its address', ['bundle b', 'ip 10.0.0.1'], ['10.0.0.1', null, null]],
    ['is its archive', [`provider-id aws:///z/${ONE}`, 'bundle b'], ['b', null, ONE]],
    [
      'is its provider',
      ['network-interface eni-1', `provider-id aws:///z/${ONE}`],
      [`aws:///z/${ONE}`, null, ONE],
    ],
    ['is its interface', ['network-interface eni-1'], ['eni-1', null, null]],
  ] as const)
    test(title, () => {
      const hits = names.map((one) => logOf(one));
      const [subject] = assembled({ links: [link(...names)], hits });
      assert.deepEqual([subject?.name, subject?.node, subject?.instanceId], read);
      assert.deepEqual(
        new Set(subject?.names.map(({ kind, value }) => `${kind} ${value}`)),
        new Set(names),
      );
    });

  for (const provider of ['aws:///z/none', `aws:///z/${ONE}/more`])
    test(`tells no instance in ${provider}`, () => {
      const [subject] = assembled({ hits: [logOf(`provider-id ${provider}`)] });
      assert.deepEqual([subject?.name, subject?.instanceId], [provider, null]);
    });

  test('is known by all names of a fact', () => {
    const [subject] = assembled({ facts: [node('web-1', `instance-id ${ONE}`)] });
    assert.deepEqual([subject?.name, subject?.instanceId], ['web-1', ONE]);
  });

  test('is that of a Node which is called by an address', () => {
    const facts = [factOf('kube/Node', nodeOf('10.0.0.1'), named('ip 10.0.0.1'))];
    const [subject] = assembled({ facts });
    assert.deepEqual([subject?.name, subject?.node], ['10.0.0.1', '10.0.0.1']);
  });
});

describe('the cluster', () => {
  const cluster = (change: Partial<Observations>): Subject =>
    assembled(change).at(-1) ?? assert.fail();

  test('has all facts, and the hits of nobody', () => {
    const {
      kind,
      facts,
      hits,
      names,
      node: called,
      instanceId,
    } = cluster({ facts: [node('web-1')], hits: [event(null), event('node web-1')] });
    assert.deepEqual(
      [kind, facts.has('kube/Node'), hits.length, names, called, instanceId],
      ['Cluster', true, 1, [], null, null],
    );
  });

  test('gives its facts to every machine', () => {
    const [machine] = assembled({
      facts: [factOf('aws/cluster', { name: 'shop' } as never)],
      hits: [logOf('host web-1')],
    });
    assert.equal(machine?.facts.has('aws/cluster'), true);
    assert.equal(machine.cluster, 'shop');
  });

  for (const [title, names, collected, read] of [
    ['the collection’s', ['shop'], 'other', 'other'],
    ['that of its one description', ['shop', 'shop'], null, 'shop'],
    ['unknown among two', ['shop', 'other'], null, null],
    ['unknown without one', [], null, null],
  ] as const)
    test(`has a name that is ${title}`, () => {
      const facts = names.map((one) => factOf('aws/cluster', { name: one } as never));
      const collection =
        collected === null
          ? null
          : { atMs: 0, cluster: collected, asked: [], refusals: [], shortened: [] };
      const subject = cluster({ facts, collection });
      assert.deepEqual([subject.cluster, subject.name], [read, read ?? 'cluster']);
    });
});

describe('the sources of a subject', () => {
  test('are its own, those of the cluster, and those of files that name nobody', () => {
    const documents = [
      fileOf({ machines: named('host web-1'), sources: ['kubelet'] }),
      fileOf({ machines: named('host web-2'), sources: ['containerd', 'event'] }),
      fileOf({ sources: ['kernel'] }),
    ];
    const all = assembled({ documents, hits: [logOf('host web-1'), logOf('host web-2', 1)] });
    assert.deepEqual(
      all.map(({ name: called, sources }) => [called, ...[...sources].toSorted()]),
      [
        ['web-1', 'event', 'kernel', 'kubelet'],
        ['web-2', 'containerd', 'event', 'kernel'],
        ['cluster', 'event', 'kernel'],
      ],
    );
  });

  test('of files with lines of nobody are everybody’s', () => {
    const several = [`instance-id ${ONE}`, `instance-id ${TWO}`];
    const documents = [
      fileOf({ machines: named(...several), sources: ['kubelet'] }),
      fileOf(),
      fileOf(),
    ];
    const two = [logOf('host web-1', 1), logOf('host web-2', 2)];
    const sourcesOf = (hits: readonly Hit[]): readonly LineSource[] => [
      ...(assembled({ documents, hits })[0]?.sources ?? []),
    ];
    assert.deepEqual(sourcesOf([...two, logOf(null)]), ['kubelet']);
    assert.deepEqual(sourcesOf(two), []);
  });
});
