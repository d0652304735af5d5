import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import { createShare } from '../sharing.ts';
import { projectPod } from './pod.ts';

const STAMP = '2026-11-22T08:00:00Z';

function podOn(nodeName: string, state: Json): JsonObject {
  const status = { name: 'web', image: 'web:1', state };
  return {
    metadata: { ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }] },
    spec: { nodeName, containers: [{ name: 'web', image: 'web:1' }] },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Initialized', status: 'True', lastTransitionTime: nodeName },
        { type: 'Ready', status: 'True', lastTransitionTime: nodeName },
        { type: 'ContainersReady', status: 'False', lastTransitionTime: nodeName },
      ],
      containerStatuses: [{ ...status, lastState: { terminated: { reason: 'Error' } } }],
      initContainerStatuses: [{ ...status, name: 'init' }],
    },
  };
}

type PodBody = Pick<Pod, 'metadata' | 'spec' | 'status'>;

function twoPods(state: Json): readonly [PodBody, PodBody] {
  const share = createShare();
  return [projectPod(podOn('a', state), share), projectPod(podOn('b', state), share)];
}

describe('equal parts of pods', () => {
  test('are kept once, and say what each of them said', () => {
    const [one, other] = twoPods({ waiting: { reason: 'CrashLoopBackOff' } });
    assert.equal(one.metadata?.ownerReferences?.[0]?.kind, 'ReplicaSet');
    assert.equal(one.metadata.ownerReferences, other.metadata?.ownerReferences);
    assert.equal(one.spec?.containers?.[0]?.image, 'web:1');
    assert.equal(one.spec.containers, other.spec?.containers);
    assert.deepEqual([one.spec.nodeName, other.spec?.nodeName], ['a', 'b']);
    assert.deepEqual([one.status?.phase, other.status?.phase], ['Running', 'Running']);
  });

  for (const list of ['containerStatuses', 'initContainerStatuses'] as const)
    test(`${list} share their states`, () => {
      const [one, other] = twoPods({ waiting: { reason: 'CrashLoopBackOff' } });
      const [status, same] = [one.status?.[list]?.[0], other.status?.[list]?.[0]];
      assert.equal(status?.state?.waiting?.reason, 'CrashLoopBackOff');
      assert.equal(status.image, 'web:1');
      assert.equal(status.state, same?.state);
      assert.equal(status.lastState, same?.lastState);
    });

  test('since when a passed condition holds is left out, of others it is kept', () => {
    const [one, other] = twoPods({ running: { startedAt: STAMP } });
    const conditions = one.status?.conditions ?? assert.fail();
    const times = conditions.map(({ lastTransitionTime }) => lastTransitionTime ?? null);
    assert.deepEqual(times, [null, 'a', 'a']);
    assert.equal(conditions[0], other.status?.conditions?.[0]);
    assert.equal(one.status?.containerStatuses?.[0]?.state?.running?.startedAt, STAMP);
  });

  test('are empty where a pod tells nothing', () => {
    const { metadata, spec, status } = projectPod({}, createShare());
    assert.deepEqual([metadata ?? null, spec ?? null, status ?? null], [null, null, null]);
    assert.deepEqual(projectPod({ status: {} }, createShare()).status?.conditions ?? null, null);
  });
});
