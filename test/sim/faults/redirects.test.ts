import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import type { Injected, FaultScene } from '../../../src/sim/faults/contract.ts';
import { faultOf } from '../../../src/sim/faults/faults.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import type { SeenIdentity } from '../../../src/sim/machines/contract.ts';
import type { ClusterSetting, WorldSetting } from '../../../src/sim/stories/scenario.ts';
import { inject, pass, stageWith } from './stage.ts';

const isKube2iam = ({ kind, podNetwork, podIdentity }: ClusterSetting): boolean =>
  kind === 'kubeadm' && podNetwork === 'ready-made' && podIdentity === 'kube2iam';

const isKiam = ({ podIdentity, podNetwork, gate }: ClusterSetting): boolean =>
  podIdentity === 'kiam' && podNetwork === 'ready-made' && gate === 'none';

/** A world in which pods with a role run on one machine, and have it. */
function stageOfRoles(isSo: (cluster: ClusterSetting) => boolean): FaultScene {
  const role = 'reports-reader';
  const workload = { name: 'reports', replicas: 2, role, toleratesGate: false };
  const stage = stageWith(isSo, (world: WorldSetting) => ({ ...world, workloads: [workload] }));
  pass(stage, 5);
  return stage;
}

/** What pods of a node act with now, without those that have nothing. */
function identitiesOn({ simulated }: FaultScene, node: string): ReadonlySet<SeenIdentity> {
  return new Set(
    simulated.hypervisor
      .identities()
      .filter(({ nodeName, now }) => nodeName === node && now !== 'none')
      .map(({ now }) => now),
  );
}

/** The fault on a node where pods with a role run. */
function strike(stage: FaultScene, id: string, words: RegExp): readonly [string, Injected] {
  const busy = new Set(
    stage.simulated.hypervisor
      .identities()
      .flatMap(({ now, nodeName }) => (now === 'none' ? [] : [nodeName])),
  );
  const injected = inject(
    stage,
    id,
    (what) => words.test(what) && busy.has(what.slice(0, what.indexOf(':'))),
  );
  return [injected.what.slice(0, injected.what.indexOf(':')), injected];
}

/** SDKs ask again within this time. */
const SESSION_MINUTES = 16;

function restartPods({ people }: FaultScene, node: string): void {
  for (const pod of people.list('Pod', { namespace: 'production' }))
    if (textAt(pod, 'spec.nodeName') === node)
      people.delete('Pod', `production/${textAt(pod, 'metadata.name') ?? ''}`);
}

describe('F43', () => {
  for (const words of [/deletes the rule/, /stands before the one of the metadata/])
    test(`pods act as the node while ${words.source}`, () => {
      const stage = stageOfRoles(isKube2iam);
      const [node, { undo }] = strike(stage, 'F43', words);
      assert.deepEqual(identitiesOn(stage, node), new Set(['own-role']));
      pass(stage, SESSION_MINUTES);
      assert.deepEqual(identitiesOn(stage, node), new Set(['node-role']));
      undo();
      restartPods(stage, node);
      pass(stage, 3);
      assert.deepEqual(identitiesOn(stage, node), new Set(['own-role']));
    });

  test('a rule that is there twice leads nowhere when its agent has ended', () => {
    const stage = stageOfRoles(isKiam);
    const [node] = strike(stage, 'F43', /twice/);
    stage.people.delete('DaemonSet', 'kube-system/kiam-agent');
    pass(stage, 1);
    restartPods(stage, node);
    pass(stage, 3);
    assert.deepEqual(identitiesOn(stage, node), new Set());
  });

  test('service addresses lead nowhere while another rule precedes theirs', () => {
    const stage = stageOfRoles(isKube2iam);
    const { breaks = [], truths, undo } = inject(stage, 'F43', (what) => what.includes('service'));
    assert.equal(breaks.length, 1);
    assert.ok(truths[0]?.causes.includes('kube-proxy-not-working'));
    undo();
  });
});

describe('F44', () => {
  test('an open connection goes past the rule, and a new one does not', () => {
    const stage = stageOfRoles(isKube2iam);
    const [node, { undo }] = strike(stage, 'F44', /connections/);
    pass(stage, SESSION_MINUTES);
    assert.deepEqual(identitiesOn(stage, node), new Set(['node-role']));
    restartPods(stage, node);
    pass(stage, 3);
    assert.deepEqual(identitiesOn(stage, node), new Set(['own-role']));
    undo();
  });

  test('strikes nothing where no agent takes over the metadata address', () => {
    const stage = stageWith(({ podIdentity }) => podIdentity === 'none');
    assert.equal(faultOf('F44')?.inject(stage, randomStream(1, 'F44')), null);
  });
});

describe('F40', () => {
  test('an agent is Ready and hands nothing out', () => {
    const stage = stageOfRoles(isKube2iam);
    const [node, { undo }] = strike(stage, 'F40', /answers nobody/);
    restartPods(stage, node);
    pass(stage, 2);
    assert.deepEqual(identitiesOn(stage, node), new Set());
    const agents = stage.people
      .list('Pod', { namespace: 'kube-system' })
      .filter((pod) => (textAt(pod, 'metadata.name') ?? '').startsWith('kube2iam'));
    for (const agent of agents) {
      const ready = listAt(agent, 'status.conditions').find(
        (one) => textAt(one, 'type') === 'Ready',
      );
      assert.equal(textAt(ready, 'status'), 'True');
    }
    undo();
    pass(stage, 2);
    assert.deepEqual(identitiesOn(stage, node), new Set(['own-role']));
  });
});
