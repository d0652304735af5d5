import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import {
  dnsName,
  finding,
  instance,
  instanceId,
  machine,
  node,
  NOW_MS,
  rollCall,
  type Sources,
} from './fixtures.ts';

/** The note of each row, by the machine's place. */
async function notesOf(
  sources: Sources,
  subjects: readonly SubjectReport[] = [],
  expected: readonly { readonly name: string }[] = [],
): Promise<readonly (string | null)[]> {
  return (await rollCall(sources, subjects, { expected })).rows.map(({ note }) => note);
}

describe('what EC2 says of an instance', () => {
  test('is reported with its reason when it neither runs nor starts', async () => {
    const noteIn = async (Name: string, Message?: string): Promise<string | null> => {
      const StateReason = { Code: 'Server.SpotInstanceTermination', Message };
      const [note = null] = await notesOf({
        instances: [instance(1, { State: { Name }, StateReason })],
      });
      return note;
    };
    assert.equal(await noteIn('running', 'why'), null);
    assert.equal(await noteIn('pending', 'why'), null);
    assert.equal(
      await noteIn('stopped', 'it was spot'),
      'EC2 reports it as stopped (it was spot).',
    );
    assert.equal(await noteIn('stopped'), 'EC2 reports it as stopped.');
    assert.ok(((await noteIn('stopped', 'x'.repeat(999)))?.length ?? 999) < 240);
    assert.deepEqual(await notesOf({ instances: [instance(1, { State: undefined })] }), [null]);
  });

  test('is not that a Node’s instance is gone, of a Node that names none of EC2', async () => {
    const odd = node(2, { providerID: 'kind://docker/a/b', ip: null, name: 'b' });
    const listed = { instances: [instance(1)], nodes: [node(1), odd] };
    assert.deepEqual(await notesOf(listed), [null, null]);
  });
});

test('a machine says what ails the cluster that it depends on', async () => {
  const sources = { instances: [instance(1)], nodes: [node(1)] };
  const atRisk = machine(1, { risks: ['aws-auth-missing'] });
  assert.deepEqual(await notesOf(sources, [atRisk]), [
    'At risk from the cluster: aws-auth-missing.',
  ]);
  const { rows } = await rollCall(sources, [atRisk]);
  assert.deepEqual(
    rows.map(({ risks }) => risks),
    [['aws-auth-missing']],
  );
});

describe('a Lease that is renewed without a Node', () => {
  const lease = (secondsAgo: number, name = dnsName(1), namespace = 'kube-node-lease'): object => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: { renewTime: new Date(NOW_MS - secondsAgo * 1000).toISOString() },
  });
  const isTold = async (
    one: object,
    sources: Sources = { instances: [instance(1)], nodes: [] },
    expected: readonly { readonly name: string }[] = [],
  ): Promise<boolean> => {
    const notes = await notesOf({ ...sources, objects: [one] }, [], expected);
    return notes.some((note) => note?.includes('still renews its Lease') === true);
  };

  test('counts for 80 seconds', async () => {
    assert.equal(await isTold(lease(80)), true);
    assert.equal(await isTold(lease(81)), false);
  });

  test('is the kubelet’s own, under any name it may have', async () => {
    assert.equal(await isTold(lease(1, instanceId(1))), true);
    assert.equal(await isTold(lease(1, dnsName(1).toUpperCase())), true);
    assert.equal(await isTold(lease(1, dnsName(2))), false);
    assert.equal(await isTold(lease(1, dnsName(1), 'kube-system')), false);
    assert.equal(await isTold(lease(1, 'node-9'), { nodes: [] }, [{ name: 'Node-9' }]), true);
  });

  test('is not reported where the Node exists or Nodes are not listed', async () => {
    assert.equal(await isTold(lease(1), { instances: [instance(1)], nodes: [node(1)] }), false);
    assert.equal(await isTold(lease(1), { instances: [instance(1)] }), false);
  });
});

describe('what a subject says in the note of its row', () => {
  const unseen = { stage: 'registered', why: 'no list of Nodes', collect: '' } as const;
  const noteOf = async (change: Partial<SubjectReport>): Promise<string | null> => {
    const one = machine(1, { verdict: 'cannot-tell', stage: 'registered', ...change });
    const [note = null] = await notesOf({ instances: [instance(1)] }, [one]);
    return note;
  };
  const possible = (...causes: readonly string[]): SubjectReport['findings'] =>
    causes.map((cause) => finding(cause, { confidence: 'possible' }));

  test('are three candidates at most, each once', async () => {
    assert.equal(await noteOf({ findings: possible('a', 'b', 'a', 'c') }), 'Could be a, b, c.');
    assert.equal(
      await noteOf({ findings: possible('a', 'b', 'c', 'd', 'e') }),
      'Could be a, b, c, 2 more.',
    );
  });

  test('is nothing where a headline says it, or nothing is wrong', async () => {
    const found = { findings: [finding('x'), ...possible('a')], notObservable: [unseen] };
    assert.equal(await noteOf({ verdict: 'not-usable', ...found }), null);
    const findings = possible('a');
    assert.equal(await noteOf({ verdict: 'usable', stage: null, findings }), null);
  });

  test('is that it is still within its time, before what was not seen of its stage', async () => {
    const [launched, registered] = [
      { stage: 'launched', state: 'pending', since: null, evidence: [] },
      { stage: 'registered', state: 'pending', since: null, evidence: [] },
    ] as const;
    const notObservable = [unseen];
    assert.equal(
      await noteOf({ ladder: [launched, registered], notObservable }),
      'Still within the normal time of its stage.',
    );
    assert.equal(
      await noteOf({ ladder: [launched], notObservable }),
      'Not seen: no list of Nodes.',
    );
    assert.equal(await noteOf({ notObservable: [{ ...unseen, stage: 'usable' }] }), null);
  });
});

describe('a machine that is only expected', () => {
  const expected = [{ name: dnsName(1) }];

  test('is reported as missing where nothing shows it', async () => {
    const words = 'Expected, but not found in any source.';
    assert.deepEqual(await notesOf({}, [], expected), [words]);
    for (const sources of [{ instances: [instance(1)] }, { nodes: [node(1)] }])
      assert.deepEqual(await notesOf(sources, [], expected), [null]);
    const told = machine(1, { instanceId: null, verdict: 'cannot-tell' });
    assert.deepEqual(await notesOf({}, [told], expected), [null]);
  });
});

describe('a claim', () => {
  const claim = (status: object = {}, metadata: object = {}): object => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'spot-x1', ...metadata },
    status,
  });

  test('without an instance says so, with no reason where there is none', async () => {
    assert.deepEqual(await notesOf({ objects: [claim()] }), ['NodeClaim spot-x1 has no instance.']);
    const providerID = `aws:///eu-west-1a/${instanceId(1)}`;
    assert.deepEqual(await notesOf({ objects: [claim({ providerID })] }), [null]);
    const nodeName = dnsName(1);
    assert.deepEqual(await notesOf({ nodes: [node(1)], objects: [claim({ nodeName })] }), [null]);
  });
});

describe('an instance that has ended', () => {
  const rowsOf = async (StateReason: object | undefined, objects: readonly object[] = []) => {
    const gone = instance(1, { State: { Name: 'terminated' }, StateReason });
    return (await rollCall({ instances: [gone], objects }, [])).rows.length;
  };

  test('gets no row when it was requested or has no reason', async () => {
    assert.equal(await rowsOf({ Code: 'Client.UserInitiatedShutdown' }), 0);
    assert.equal(await rowsOf(undefined), 0);
    assert.equal(await rowsOf({ Code: 'Server.InternalError' }), 1);
    assert.equal(await rowsOf({ Code: 'Client.InstanceInitiatedShutdown' }), 1);
  });

  test('gets no row when its claim is deleted', async () => {
    const providerID = `aws:///eu-west-1a/${instanceId(1)}`;
    const deleted = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'x', deletionTimestamp: '2026-03-01T11:00:00Z' },
      status: { providerID },
    };
    assert.equal(await rowsOf({ Code: 'Server.InternalError' }, [deleted]), 0);
  });
});
