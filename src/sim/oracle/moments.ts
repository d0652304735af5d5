import { at, listAt, textAt } from '../../evidence/json.ts';
import type { FaultScene, Truth } from '../faults/contract.ts';
import { isControlPlane } from '../faults/targets.ts';
import type { KubeObject } from '../kube/contract.ts';
import { isReady, nodeView } from '../platform/objects/node.ts';
import { type PodView, podView } from '../platform/objects/pod.ts';
import { SERVING_SIGNER } from '../platform/certificates/requests.ts';
import { CLOUD_CONTROLLER } from '../cluster/system-pods.ts';
import { nodeOfInstance } from './states.ts';
import type { KnownTruth } from './truths.ts';

type Scene = Pick<FaultScene, 'simulated' | 'people'>;

const TOO_SMALL = ['allocatable-too-small'];

function of(machines: readonly string[], causes: readonly string[]): Truth {
  return { causes, machines, shows: [] };
}

/** How many slots of each Node are taken, by whatever runs or ends there. */
function takenSlots(pods: readonly PodView[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { spec, isOver } of pods)
    if (!isOver) taken.set(spec.nodeName, (taken.get(spec.nodeName) ?? 0) + 1);
  return taken;
}

/** Names of Nodes of which every slot is taken. */
function fullNodes({ people }: Scene, pods: readonly PodView[]): ReadonlySet<string> {
  const taken = takenSlots(pods);
  const full = people.list('Node').flatMap((node) => {
    const name = textAt(node, 'metadata.name') ?? '';
    const slots = Number(textAt(node, 'status.allocatable.pods') ?? Infinity);
    return (taken.get(name) ?? 0) >= slots ? [name] : [];
  });
  return new Set(full);
}

/** The machine whose Node has no slot for this pod, which is made for it or was refused by it. */
function tooSmallFor(
  { simulated }: Scene,
  pod: KubeObject,
  full: ReadonlySet<string>,
): readonly string[] {
  const { spec } = podView(pod);
  const isUnplaced = spec.nodeName === '' && full.has(spec.pinnedTo ?? '');
  const isRefused = textAt(pod, 'status.reason') === 'OutOfpods';
  if (!isUnplaced && !isRefused) return [];
  const machine = simulated.hypervisor.machineOfNode(
    isRefused ? spec.nodeName : (spec.pinnedTo ?? ''),
  );
  return machine === null ? [] : [machine.instanceId];
}

function waitsForSlot(pod: KubeObject): boolean {
  const isWaiting = listAt(pod, 'status.conditions').some((one) =>
    /Too many pods/.test(textAt(one, 'message') ?? ''),
  );
  return isWaiting && podView(pod).spec.nodeName === '';
}

/** All machines for pods, where every slot of them is taken and none is without a Ready Node. */
function crowded(scene: Scene, full: ReadonlySet<string>): readonly string[] {
  const { simulated, people } = scene;
  const machines = simulated.hypervisor
    .machines()
    .map((machine) => machine.instanceId)
    .filter(
      (id) => simulated.cloud.instance(id)?.state === 'running' && !isControlPlane(scene, id),
    );
  const nodes = people.list('Node').filter((node) => {
    const machine = simulated.hypervisor.machineOfNode(textAt(node, 'metadata.name') ?? '');
    return machine !== null && machines.includes(machine.instanceId) && isReady(nodeView(node));
  });
  const areAllFull = nodes.every((node) => full.has(textAt(node, 'metadata.name') ?? ''));
  return nodes.length < machines.length || !areAllFull ? [] : machines;
}

/** What a node lacks that has no slot for the pod of such a DaemonSet. */
const LACKING: readonly (readonly [string, string])[] = [
  ['aws-node', 'cni-pod-not-scheduled'],
  ['calico-node', 'cni-pod-not-scheduled'],
  ['kube-proxy', 'kube-proxy-not-working'],
];

function lackingAgents(
  scene: Scene,
  pods: readonly KubeObject[],
  full: ReadonlySet<string>,
): readonly Truth[] {
  return LACKING.map(([name, cause]) => {
    const own = pods.filter((pod) => podView(pod).owner?.name === name);
    return of(
      own.flatMap((pod) => tooSmallFor(scene, pod, full)),
      [cause],
    );
  });
}

/** Machines that are too small for pods that wait or were refused. */
function tooSmall(scene: Scene): readonly Truth[] {
  const pods = scene.people.list('Pod');
  const full = fullNodes(scene, pods.map(podView));
  const own = pods.flatMap((pod) => tooSmallFor(scene, pod, full));
  const all = pods.some(waitsForSlot) ? crowded(scene, full) : [];
  return [of([...new Set([...own, ...all])], TOO_SMALL), ...lackingAgents(scene, pods, full)];
}

/** A cloud controller is a pod: while none of them is Ready there is none. */
function withoutCloudController({ simulated, people }: Scene): readonly Truth[] {
  const pods = people
    .list('Pod')
    .filter((pod) => (textAt(pod, 'metadata.name') ?? '').startsWith(`${CLOUD_CONTROLLER}-`));
  const { kind, cloudController } = simulated.setting.cluster;
  const hasOne = kind === 'kubeadm' && cloudController !== 'none';
  if (!hasOne || pods.some((pod) => podView(pod).isReady)) return [];
  return [{ causes: ['no-cloud-controller-manager'], machines: null, shows: ['uninitialized'] }];
}

/** Machines in subnets of which the last address is taken, whoever did it. */
function withoutAddresses({ simulated }: Scene): readonly Truth[] {
  const { cloud, admin, hypervisor } = simulated;
  const call = { service: 'ec2', operation: 'DescribeSubnets', input: {} } as const;
  const answer = cloud.answer(admin.identity, call);
  const subnets = answer.ok ? listAt(answer.output, 'Subnets') : [];
  const full = subnets.filter((one) => at(one, 'AvailableIpAddressCount') === 0);
  const ids = new Set(full.flatMap((one) => textAt(one, 'SubnetId') ?? []));
  const machines = hypervisor
    .machines()
    .map(({ instanceId }) => instanceId)
    .filter((id) => ids.has(cloud.instance(id)?.subnetId ?? ''));
  return [of(machines, ['subnet-out-of-pod-addresses'])];
}

/** Machines that are gone, and whose Node nobody has taken away. */
function leftNodes({ simulated, people }: Scene): readonly Truth[] {
  const nodes = people.list('Node');
  const machines = simulated.hypervisor
    .machines()
    .filter(({ instanceId }) => simulated.cloud.instance(instanceId)?.state !== 'running')
    .filter((machine) => nodeOfInstance(nodes, machine.instanceId, machine.nodeName()) !== null);
  return [
    of(
      machines.map(({ instanceId }) => instanceId),
      ['node-object-without-instance'],
    ),
  ];
}

/** An agent that has ended took its redirect with it, until it was back. */
function endedAgents({ simulated, people }: Scene): readonly Truth[] {
  const pods = people.list('Pod', { namespace: 'kube-system' });
  const machines = pods
    .filter((pod) => (textAt(pod, 'metadata.name') ?? '').startsWith('kiam-agent-'))
    .filter((pod) =>
      listAt(pod, 'status.containerStatuses').some((one) => Number(at(one, 'restartCount')) > 0),
    )
    .flatMap(
      (pod) => simulated.hypervisor.machineOfNode(podView(pod).spec.nodeName)?.instanceId ?? [],
    );
  return [of(machines, ['kiam-agent-undoes-redirect'])];
}

/** A kubelet that waits for its serving certificate has none to answer `kubectl logs` with. */
function withoutServing({ simulated, people }: Scene): readonly Truth[] {
  const machines = people
    .list('CertificateSigningRequest')
    .filter((one) => textAt(one, 'spec.signerName') === SERVING_SIGNER)
    .filter((one) => listAt(one, 'status.conditions').length === 0)
    .map((one) => (textAt(one, 'spec.username') ?? '').replace('system:node:', ''))
    .flatMap((name) => simulated.hypervisor.machineOfNode(name)?.instanceId ?? []);
  return [of(machines, ['kubelet-serving-certificate-missing'])];
}

/** What is true at this moment by what the world has come to, and by nothing that anybody does. */
export function presentTruths(scene: Scene): readonly KnownTruth[] {
  return [
    ...tooSmall(scene),
    ...withoutCloudController(scene),
    ...withoutAddresses(scene),
    ...leftNodes(scene),
    ...endedAgents(scene),
    ...withoutServing(scene),
  ]
    .filter(({ machines }) => machines === null || machines.length > 0)
    .map((truth) => ({ ...truth, of: 'course', fromMs: -Infinity, untilMs: null }));
}
