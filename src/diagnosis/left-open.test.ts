import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord } from '../evidence/observations.ts';
import { awsOf, nodeOf } from '../evidence/testing.ts';
import type { SubjectReport } from './document.ts';
import { leftOpen, type OpenMachine } from './left-open.ts';
import { factOf, findingOf, observationsOf, reportOf } from './testing.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';
const OTHER_ID = 'i-0aaaaaaaaaaaaaaa2';
const NODE = { node: 'node00', instanceId: ID };

function instance(id: string, state = 'running'): FactRecord {
  const parts = { InstanceId: id, PrivateIpAddress: '10.0.0.1', State: { Name: state } };
  return factOf('aws/instance', awsOf('aws/instance', parts));
}

const NODE00 = factOf('kube/Node', nodeOf('node00', { internalIp: '10.0.0.1' }));

function open(
  report: Partial<SubjectReport>,
  facts: readonly FactRecord[] = [],
  isAsked = false,
): readonly OpenMachine[] {
  const subjects = [reportOf('node00', { ...NODE, ...report })];
  return leftOpen({ subjects }, observationsOf({ facts }), isAsked);
}

describe('a machine is left open', () => {
  test('that is not usable, with candidates alone', () => {
    const findings = [findingOf('cni-port-conflict', 'networked', { confidence: 'possible' })];
    assert.deepEqual(open({ findings }), [NODE]);
  });

  test('where only the silence is known', () => {
    assert.deepEqual(open({ findings: [findingOf('node-heartbeat-lost', 'retained')] }), [NODE]);
  });

  test('whose Node somebody deleted, which does not show whether its kubelet runs', () => {
    const deleted = findingOf('node-deleted-by-other-actor', 'retained', { confidence: 'likely' });
    assert.deepEqual(open({ findings: [deleted] }), [NODE]);
  });

  test('that was asked about, whatever is named, unless it works', () => {
    const findings = [findingOf('aws-auth-missing', 'authenticated')];
    assert.deepEqual(open({ findings }, [], true), [NODE]);
    assert.deepEqual(open({ findings, verdict: 'cannot-tell' }, [], true), [NODE]);
    assert.deepEqual(open({ verdict: 'usable' }, [], true), []);
  });
});

describe('a machine is not left open', () => {
  test('that is usable, or may be', () => {
    assert.deepEqual(open({ verdict: 'usable' }), []);
    assert.deepEqual(open({ verdict: 'cannot-tell' }), []);
  });

  test('whose cause is named, or is that of its cluster', () => {
    assert.deepEqual(open({ findings: [findingOf('aws-auth-missing', 'authenticated')] }), []);
    const explained = findingOf('aws-auth-missing', 'authenticated', {
      role: 'consequence',
      explainedBy: 'aws-auth-missing',
    });
    assert.deepEqual(open({ findings: [explained] }), []);
  });

  test('that is a group or the cluster', () => {
    assert.deepEqual(open({ kind: 'NodeGroup' }), []);
  });
});

describe('a kubelet is asked through its Node', () => {
  test('where the address is that of its own instance, or of none that is known', () => {
    assert.deepEqual(open({}, [NODE00, instance(ID)]), [NODE]);
    assert.deepEqual(open({}, [NODE00]), [NODE]);
    assert.deepEqual(open({}, [NODE00, instance(OTHER_ID, 'terminated')]), [NODE]);
  });

  test('not where the list of all Nodes has none of its name', () => {
    const subjects = [reportOf('node00', NODE)];
    const by = 'kubectl get nodes';
    const listings = [{ kind: 'kube/Node', by, locator: by }] as const;
    const observations = { ...observationsOf({ facts: [] }), listings };
    assert.deepEqual(leftOpen({ subjects }, observations, false), [{ node: null, instanceId: ID }]);
  });

  test('not where another instance has the address by now', () => {
    const nobody = [{ node: null, instanceId: ID }];
    assert.deepEqual(open({}, [NODE00, instance(OTHER_ID)]), nobody);
    assert.deepEqual(open({}, [NODE00, instance(ID, 'terminated'), instance(OTHER_ID)]), nobody);
  });
});
