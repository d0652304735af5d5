/** Startup taints of other programs: who removes them, and what is said where nobody does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explanationPage } from '../../../src/apps/cli/pages/gate-explanation.ts';
import { explained } from '../../../src/apps/gate/explain.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { NODE_READINESS_RULES } from '../../../src/controllers/gate/policies/node-readiness-rule.ts';
import { virtualClock } from '../../ports/fake/clock.ts';
import { FakeKubeApi } from '../../ports/fake/kube-api.ts';
import { DAEMON_SETS, nodeObject } from './scene.ts';

const EBS = 'ebs.csi.aws.com/agent-not-ready';

function clusterOf(key: string, ...daemonSets: readonly string[]): FakeKubeApi {
  const api = new FakeKubeApi({ clock: virtualClock() });
  for (const resource of [NODES, NODE_GATES, NODE_READINESS_RULES, DAEMON_SETS])
    api.serve(resource);
  api.put(NODES, nodeObject('n1', { taints: [{ key, effect: 'NoExecute' }] }));
  for (const name of daemonSets)
    api.put(DAEMON_SETS, { metadata: { name, namespace: 'storage' }, spec: {} });
  return api;
}

async function pageOf(api: FakeKubeApi): Promise<string> {
  return explanationPage(await explained(api, 'n1')).join('\n');
}

describe('a startup taint of another program', () => {
  test('whose owner is not installed is reported with the command that removes it', async () => {
    const page = await pageOf(clusterOf(EBS, 'cilium'));
    assert.match(page, /the EBS CSI driver is not installed, so nothing removes it:/);
    assert.match(
      page,
      /^ {4}kubectl taint node n1 ebs\.csi\.aws\.com\/agent-not-ready:NoExecute-$/m,
    );
  });

  test('is its owner’s where that is installed, also under a longer name', async () => {
    for (const name of ['ebs-csi-node', 'storage-ebs-csi-node-v2']) {
      const page = await pageOf(clusterOf(EBS, name));
      assert.match(page, /agent-not-ready:NoExecute \(the EBS CSI driver\)/);
      assert.doesNotMatch(page, /nothing removes it/);
    }
  });

  test('is left open where DaemonSets cannot be read, or show no owner', async () => {
    const denied = clusterOf(EBS);
    denied.forbid('list daemonsets.apps');
    const { otherTaints } = await explained(denied, 'n1');
    assert.deepEqual(
      otherTaints.map(({ ownerState }) => ownerState),
      ['unknown'],
    );
    for (const key of ['node.nextdoor.com/initializing', 'dedicated'])
      assert.doesNotMatch(await pageOf(clusterOf(key)), /nothing removes it/);
  });

  test('that no DaemonSet shows costs no request', async () => {
    const asked = clusterOf(EBS);
    await explained(asked, 'n1');
    assert.equal(asked.requests().get('list daemonsets.apps'), 1);
    const api = clusterOf('dedicated');
    await explained(api, 'n1');
    assert.equal(api.requests().get('list daemonsets.apps'), undefined);
  });
});
