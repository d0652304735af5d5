import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attribution, Deleter, Happening } from './happening.ts';
import { deletionWords, isoOf, sentenceOf } from './words.ts';

const NOBODY: Deleter = { kind: 'unknown', reason: null, behavior: null, user: null };

function by(deleter: Partial<Deleter>, more: Partial<Attribution> = {}): Attribution {
  const plain = { hand: null, confidence: 'definite', proof: [], wouldTell: [] } as const;
  return { ...plain, deleter: { ...NOBODY, ...deleter }, ...more };
}

function cloud(deleter: Partial<Deleter>): Attribution {
  return by({ kind: 'cloud-node-lifecycle', ...deleter });
}

const NAMELESS =
  'The cloud controller deleted it because EC2 knows no instance by its name and it has no providerID';

const DELETIONS: readonly (readonly [Attribution, string])[] = [
  [
    cloud({ reason: 'instance-terminated' }),
    'The cloud controller deleted it because its instance is terminated.',
  ],
  [
    cloud({ reason: 'instance-missing', behavior: 'deletes-up-to-1.29' }),
    'The cloud controller deleted it because EC2 did not show it the instance of its providerID.',
  ],
  [
    cloud({ reason: 'unknown' }),
    'The cloud controller deleted it because it found no instance for it.',
  ],
  [cloud({ reason: 'name-lookup-failed' }), `${NAMELESS}.`],
  [
    cloud({ reason: 'name-lookup-failed', behavior: 'deletes-up-to-1.29' }),
    `${NAMELESS}; releases up to 1.29 delete a Node whose name EC2 does not know.`,
  ],
  [
    cloud({ reason: 'name-lookup-failed', behavior: 'keeps-from-1.30-to-1.34' }),
    `${NAMELESS}; releases from 1.30 to 1.34 keep a Node whose name EC2 does not know.`,
  ],
  [
    cloud({ reason: 'name-lookup-failed', behavior: 'deletes-since-1.37' }),
    `${NAMELESS}; releases since 1.37 delete a Node whose name EC2 does not know.`,
  ],
  [by({ kind: 'karpenter', reason: 'Drifted' }), 'Karpenter removed it (Drifted).'],
  [by({ kind: 'karpenter' }), 'Karpenter removed it.'],
  [by({ kind: 'karpenter', reason: '' }), 'Karpenter removed it.'],
  [by({ kind: 'cluster-autoscaler' }), 'Cluster Autoscaler scaled it down.'],
  [
    by({ kind: 'node-group-update', reason: 'version update' }),
    'An update of its node group replaced it (version update).',
  ],
  [by({ kind: 'spot-interruption' }), 'EC2 took its Spot Instance back.'],
  [by({ kind: 'rebalance' }), 'It was replaced on a rebalance recommendation.'],
  [
    by({ kind: 'scheduled-maintenance', reason: 'instance-retirement' }),
    'Its instance ended in scheduled maintenance (instance-retirement).',
  ],
  [by({ kind: 'person', user: 'jane' }), 'jane removed it by hand.'],
  [
    by({ kind: 'person', reason: 'kubectl-cordon' }),
    'Somebody removed it by hand (kubectl-cordon).',
  ],
  [by({ kind: 'controller', user: 'ops-bot' }), 'The program of ops-bot removed it.'],
  [by({ kind: 'controller' }), 'The program of an unknown user removed it.'],
  [by({}), 'No source shows who deleted it.'],
];

describe('who deleted a Node, in a sentence', () => {
  for (const [attribution, sentence] of DELETIONS)
    test(sentence, () => assert.equal(deletionWords(attribution), sentence));

  test('says how sure it is', () => {
    const words = (confidence: Attribution['confidence']) =>
      deletionWords(by({ kind: 'spot-interruption' }, { confidence }));
    assert.equal(words('likely'), 'EC2 took its Spot Instance back (likely).');
    assert.equal(words('possible'), 'EC2 took its Spot Instance back (possibly).');
    assert.equal(words('none'), 'EC2 took its Spot Instance back.');
  });

  test('names the program that carried it out, unless that is the deleter itself', () => {
    const words = (hand: Attribution['hand'], kind: Deleter['kind'] = 'spot-interruption') =>
      deletionWords(by({ kind }, { hand }));
    const spot = 'EC2 took its Spot Instance back';
    assert.equal(words('cloud-node-lifecycle'), `${spot}; the cloud controller deleted the Node.`);
    assert.equal(words('karpenter'), `${spot}; Karpenter deleted the Node.`);
    assert.equal(words('controller'), `${spot}.`);
    assert.equal(words('karpenter', 'karpenter'), 'Karpenter removed it.');
  });

  test('ends with what to read first', () => {
    const wouldTell = ['Read the audit log.', 'Read CloudTrail.'].map((text) => ({
      text,
      command: null,
    }));
    assert.equal(
      deletionWords(by({}, { confidence: 'none', wouldTell })),
      'No source shows who deleted it. Read the audit log.',
    );
  });

  test('shows no control characters of users and reasons', () => {
    assert.equal(deletionWords(by({ kind: 'person', user: 'ja\nne' })), 'jane removed it by hand.');
    assert.equal(
      deletionWords(by({ kind: 'karpenter', reason: 'a\u001B[2Jb' })),
      'Karpenter removed it (a[2Jb).',
    );
  });
});

const AT_MS = Date.UTC(2026, 4, 1, 12);

const PLAIN: Happening = {
  kind: 'ready',
  time: { atMs: AT_MS, from: 'look', notBeforeMs: null },
  noticed: { how: 'live', gapFromMs: null },
  node: 'n1',
  uid: 'uid-1',
  instanceId: 'i-1',
  detail: null,
  machine: null,
  attribution: null,
  proof: [],
};

describe('what happened, in a sentence', () => {
  const sentences: readonly (readonly [Partial<Happening>, string])[] = [
    [{ kind: 'registered' }, 'Node n1 registered (i-1).'],
    [{ kind: 'registered', instanceId: null }, 'Node n1 registered (its machine).'],
    [{ kind: 'initialized' }, 'The cloud controller initialized Node n1.'],
    [{ kind: 'ready', detail: 'KubeletReady' }, 'Node n1 became Ready.'],
    [{ kind: 'not-ready' }, 'Node n1 became NotReady.'],
    [{ kind: 'not-ready', detail: '' }, 'Node n1 became NotReady.'],
    [
      { kind: 'not-ready', detail: 'KubeletNotReady' },
      'Node n1 became NotReady (KubeletNotReady).',
    ],
    [{ kind: 'cordoned', detail: 'kubectl' }, 'Node n1 was cordoned (kubectl).'],
    [{ kind: 'uncordoned' }, 'Node n1 was uncordoned.'],
    [{ kind: 'deletion-asked' }, 'The deletion of Node n1 was requested; a finalizer delays it.'],
    [{ kind: 'deleted' }, 'Node n1 was deleted.'],
    [
      { kind: 'deleted', attribution: by({ kind: 'person', user: 'jane' }) },
      'Node n1 was deleted. jane removed it by hand.',
    ],
    [{ kind: 're-created' }, 'Node n1 registered again.'],
    [{ kind: 're-created', machine: 'unknown' }, 'Node n1 registered again.'],
    [{ kind: 're-created', machine: 'same' }, 'Node n1 registered again, by the same machine.'],
    [{ kind: 're-created', machine: 'other' }, 'Node n1 registered again, by another machine.'],
    [
      { kind: 'name-reused', detail: 'instance before: i-0' },
      'Another machine took the name of Node n1: i-1 (instance before: i-0).',
    ],
    [{ kind: 'machine-without-node' }, 'i-1 runs and has no Node.'],
    [
      { kind: 'node-without-machine', detail: 'terminated' },
      'Node n1 outlives its instance i-1 (terminated).',
    ],
    [
      { kind: 'lease-without-node' },
      'The kubelet renews the Lease of n1, but there is no such Node. Restart the kubelet to register it again.',
    ],
    [{ kind: 'two-nodes-for-one-machine', detail: 'n2' }, 'i-1 has more than one Node (n2).'],
    [{ kind: 'instance-ended', detail: 'stopped' }, 'i-1 of Node n1 ended (stopped).'],
    [{ kind: 'instance-ended', node: null }, 'i-1 ended.'],
  ];
  for (const [change, sentence] of sentences)
    test(sentence, () => assert.equal(sentenceOf({ ...PLAIN, ...change }), sentence));

  test('says of what was found late since when nobody watched', () => {
    const late = (gapFromMs: number | null) =>
      sentenceOf({ ...PLAIN, noticed: { how: 'after-gap', gapFromMs } });
    assert.equal(
      late(AT_MS),
      'Node n1 became Ready. Found after a gap in watching since 2026-05-01T12:00:00Z.',
    );
    assert.equal(late(null), 'Node n1 became Ready. Found after a gap in watching.');
  });

  test('shows no control characters of names', () => {
    assert.equal(
      sentenceOf({ ...PLAIN, node: 'n\n1', kind: 'registered', instanceId: 'i\t1' }),
      'Node n1 registered (i1).',
    );
    assert.equal(
      sentenceOf({ ...PLAIN, node: 'n\n1', kind: 're-created' }),
      'Node n1 registered again.',
    );
  });
});

test('times are ISO 8601 in UTC', () => {
  assert.equal(isoOf(AT_MS + 61_000), '2026-05-01T12:01:01Z');
});
