/** One Node of a real cluster that has no network, until it is set Ready. */
import {
  layCluster,
  type Machine,
  nodeMapping,
  registerNode,
  runMachine,
  type Site,
} from '../live/world.ts';

/** What a kubelet reports whose network plugin has not come up. */
export const TROUBLE = {
  reason: 'KubeletNotReady',
  message:
    'container runtime network not ready: NetworkReady=false ' +
    'reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
};
const READY = { reason: 'KubeletReady', message: 'kubelet is posting ready status' };

export async function setReady(
  { plane }: Site,
  { name }: Machine,
  isReady: boolean,
): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const status = isReady ? 'True' : 'False';
  const condition = { type: 'Ready', status, ...times, ...(isReady ? READY : TROUBLE) };
  await plane.client.patch(`/api/v1/nodes/${name}/status`, { status: { conditions: [condition] } });
}

/** A pod that runs on the Node with an address of its own, which shows that there is a network. */
async function layPod({ plane: { client } }: Site, { name }: Machine): Promise<void> {
  const path = '/api/v1/namespaces/kube-system';
  await client.create(`${path}/serviceaccounts`, { metadata: { name: 'default' } });
  await client.create(`${path}/pods`, {
    metadata: { name: 'web' },
    spec: { nodeName: name, containers: [{ name: 'web', image: 'example.org/web' }] },
  });
  await client.patch(`${path}/pods/web/status`, {
    status: { phase: 'Running', podIP: '10.1.0.2', podIPs: [{ ip: '10.1.0.2' }] },
  });
}

/** The machine of the Node, registered and not Ready. */
export async function layOneNode(site: Site): Promise<Machine> {
  await layCluster(site, nodeMapping() + nodeMapping().replace('lab-node', 'lab-other'));
  const machine = await runMachine(site, { role: 'lab-other' });
  await registerNode(site, machine, { trouble: TROUBLE });
  await layPod(site, machine);
  return machine;
}
