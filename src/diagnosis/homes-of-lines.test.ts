import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DocumentSummary, FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { nodeOf, podOf } from '../evidence/testing.ts';
import { assembleSubjects } from './subjects.ts';
import { factOf, fileOf, logOf, named, observationsOf } from './testing.ts';

const ONE = 'i-0123456789abcdef0';
const TWO = 'i-0fedcba9876543210';

/** What the cluster's sources say, about a machine or nobody. */
const event = (about: string | null): Hit => logOf(about, 0, { onMachine: false });

const node = (called: string): FactRecord =>
  factOf('kube/Node', nodeOf(called), named(`node ${called}`));

const clock = (document: number, ...about: readonly string[]): FactRecord => {
  const fact = factOf('host/clock', { aheadMs: 5000, isSynchronised: true }, named(...about));
  return { ...fact, moment: { ...fact.moment, at: { document, line: 1 } } };
};

/** `Machine a 1 kube/Node`: each subject with how many lines it has, and what is known of it. */
function subjects(change: Partial<Observations>): readonly string[] {
  const documents = [fileOf(), fileOf(), fileOf()];
  return assembleSubjects(observationsOf({ documents, ...change }))
    .map(({ kind, name, hits, facts }) => {
      const kinds = (['kube/Node', 'host/clock'] as const).filter((one) => facts.has(one));
      return [`${kind} ${name}`, `${hits.length}`, ...kinds].join(' ');
    })
    .filter((text) => !text.startsWith('Cluster cluster 0') || text.endsWith('host/clock'));
}

const HOMES_OF_LINES = [
  [
    'are of the machine whose file it is',
    { documents: [fileOf({ machines: named('host web-1') })], hits: [logOf(null)] },
    ['Machine web-1 1'],
  ],
  [
    'are of the machine whose archive it is',
    {
      documents: [
        fileOf({ container: 'a' }),
        fileOf({ container: 'a', machines: named('host web-1') }),
      ],
      hits: [logOf(null)],
    },
    ['Machine web-1 1'],
  ],
  [
    'are not of another archive',
    {
      documents: [
        fileOf({ container: 'a' }),
        fileOf({ container: 'b', machines: named('host web-1') }),
      ],
      hits: [logOf(null)],
    },
    ['Cluster cluster 1'],
  ],
  [
    'are not of a file of several',
    {
      documents: [fileOf({ machines: named(`instance-id ${ONE}`, `instance-id ${TWO}`) })],
      hits: [logOf(null)],
    },
    ['Cluster cluster 1'],
  ],
  [
    'are of the one with lines in the same file',
    { hits: [logOf('host web-1'), logOf('host web-2', 1), logOf(null)] },
    ['Machine web-1 2', 'Machine web-2 1'],
  ],
  [
    'are of the only one with logs',
    { hits: [logOf('host web-1'), logOf(null, 1)] },
    ['Machine web-1 2'],
  ],
  [
    'are of nobody among two',
    { hits: [logOf('host web-1'), logOf('host web-2', 1), logOf(null, 2)] },
    ['Machine web-1 1', 'Machine web-2 1', 'Cluster cluster 1'],
  ],
  [
    'are of the only one that is known',
    { facts: [node('web-1')], hits: [logOf(null)] },
    ['Machine web-1 1 kube/Node'],
  ],
  [
    'are of the only one in trouble',
    {
      hits: [
        logOf('host web-1'),
        logOf('host web-1', 0, { owner: 'milestone:node-ready' }),
        logOf('host web-2', 1),
        logOf(null, 2),
      ],
    },
    ['Machine web-1 2', 'Machine web-2 2'],
  ],
  [
    'are of the cluster where they are no log',
    { hits: [logOf('host web-1'), event(null)] },
    ['Machine web-1 1', 'Cluster cluster 1'],
  ],
  [
    'of the cluster are not of a file’s machine',
    { documents: [fileOf({ machines: named('host web-1') })], hits: [event(null)] },
    ['Cluster cluster 1'],
  ],
] as const;

describe('lines that name no machine', () => {
  for (const [title, change, read] of HOMES_OF_LINES)
    test(title, () => assert.deepEqual(subjects(change as Partial<Observations>), read));
});

describe('what a machine says of itself', () => {
  const clocks = (change: Partial<Observations>): readonly string[] =>
    subjects(change).filter((text) => text.includes('host/clock'));

  for (const [title, change, read] of [
    [
      'is of the one with logs in the same archive',
      {
        documents: [fileOf({ container: 'a' }), fileOf({ container: 'a' }), fileOf()],
        hits: [logOf('host web-1'), logOf('host web-2', 2)],
        facts: [clock(1)],
      },
      ['Machine web-1 1 host/clock'],
    ],
    [
      'is of the one with logs in the same file',
      { hits: [logOf('host web-1'), logOf('host web-2', 1)], facts: [clock(1)] },
      ['Machine web-2 1 host/clock'],
    ],
    [
      'is of the owner of the file',
      {
        documents: [fileOf(), fileOf({ machines: named('host web-2') }), fileOf()],
        hits: [logOf('host web-1'), logOf('host web-2', 2)],
        facts: [clock(1)],
      },
      ['Machine web-2 1 host/clock'],
    ],
    [
      'is of the machine that it names',
      { hits: [logOf('host web-1'), logOf('host web-2', 1)], facts: [clock(2, 'host web-2')] },
      ['Machine web-2 1 host/clock'],
    ],
    [
      'is of the only machine',
      { hits: [logOf('host web-1')], facts: [clock(2)] },
      ['Machine web-1 1 host/clock'],
    ],
    [
      'is not of the only machine where it names another',
      { hits: [logOf('host web-1')], facts: [clock(2, 'host web-2')] },
      [],
    ],
    [
      'is of nobody among two',
      { hits: [logOf('host web-1'), logOf('host web-2', 1)], facts: [clock(2)] },
      [],
    ],
    [
      'is of the cluster where no machine is',
      { facts: [clock(0)] },
      ['Cluster cluster 0 host/clock'],
    ],
    [
      'is not of the cluster where a machine is in trouble',
      { hits: [logOf('host web-1'), logOf('host web-2', 1)], facts: [clock(2)] },
      [],
    ],
  ] as const)
    test(title, () => assert.deepEqual(clocks(change as Partial<Observations>), read));
});

const archived = (): readonly DocumentSummary[] => [0, 1, 2].map(() => fileOf({ container: 'a' }));
const ready = { owner: 'milestone:node-ready' };

describe('lines among several machines', () => {
  for (const [title, change, read] of [
    [
      'of an archive are of the instance that it names',
      {
        documents: [
          fileOf({ container: 'a' }),
          fileOf({ container: 'a', machines: named(`instance-id ${ONE}`) }),
        ],
        hits: [logOf('host web-1'), logOf(`instance-id ${ONE}`, 1)],
      },
      ['Machine web-1 2'],
    ],
    [
      'are of the one with logs beside one that is only known',
      { facts: [node('web-2')], hits: [logOf('host web-1'), logOf(null, 1)] },
      ['Machine web-2 0 kube/Node', 'Machine web-1 2'],
    ],
    [
      'are of the one that is known beside a mere name',
      {
        links: [{ names: named('host x', 'host y'), proof: '', locator: '' }],
        facts: [node('web-1')],
        hits: [logOf(null)],
      },
      ['Machine web-1 1 kube/Node'],
    ],
    [
      'are not of one that an event in the same file names',
      { hits: [event('node web-1'), logOf('host a', 1), logOf('host b', 2), logOf(null)] },
      ['Machine web-1 1', 'Machine a 1', 'Machine b 1', 'Cluster cluster 1'],
    ],
    [
      'are of nobody where two have lines in the same file',
      { hits: [logOf('host a'), logOf('host b'), logOf(null)] },
      ['Machine a 1', 'Machine b 1', 'Cluster cluster 1'],
    ],
    [
      'of a pod that is well by now are left out',
      { facts: [factOf('kube/Pod', podOf())], hits: [event(`pod shop/${podOf().name}`)] },
      [],
    ],
    [
      'say of a clock in an archive of two whose it is, if at all',
      { documents: archived(), hits: [logOf('host a'), logOf('host b', 1)], facts: [clock(2)] },
      ['Machine a 1', 'Machine b 1'],
    ],
    [
      'of a clock that has its machine are not the cluster’s as well',
      { hits: [logOf('host a', 0, ready)], facts: [clock(0)] },
      ['Machine a 1 host/clock'],
    ],
  ] as const)
    test(title, () => assert.deepEqual(subjects(change as Partial<Observations>), read));
});
