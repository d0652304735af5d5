import type { NetworkInterface } from '../evidence/aws/instance.ts';
import { isoMs } from '../evidence/time.ts';
import type { FactKind, KubeNode, KubeTaint } from '../evidence/kinds.ts';
import type { FactRecord } from '../evidence/observations.ts';
import { isPodReady, readyChangedMs, runningSinceMs } from '../domain/pods/pods.ts';
import { excerptOf } from '../evidence/redact.ts';
import type { Quote } from '../evidence/sighting.ts';
import type { Stage } from '../evidence/stage.ts';
import { beganUnredirected, ROLE_ANNOTATION } from './late-redirect.ts';
import type { Subject } from './subject.ts';
import type { Pod } from '../evidence/kube/pod.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];
const POSTED = ['KubeletReady', 'KubeletNotReady', 'NodeStatusUnknown'];
const IDENTITY_ENVIRONMENT = ['AWS_ROLE_ARN', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'];

type Passed = readonly [stage: Stage, proof: Quote];

function recordsOf<K extends FactKind>(subject: Subject, kind: K): readonly FactRecord<K>[] {
  return subject.facts.of(kind);
}

/** @param sinceMs from when on it is known to hold, ms since the epoch; null when nobody says */
function proofOf(fact: FactRecord, excerpt: string, sinceMs: number | null): Quote {
  return {
    source: 'object',
    locator: fact.locator,
    excerpt: excerptOf(excerpt),
    moment: sinceMs === null ? fact.moment : { ...fact.moment, sinceMs },
    captures: {},
  };
}

/** When the last of several began, null when one of them does not say. */
function lastOf(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 || known.length < times.length ? null : Math.max(...known);
}

/** When the first of several began, null when none of them says. */
function earliestOf(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function launchedMs(subject: Subject): number | null {
  const own = recordsOf(subject, 'aws/instance').find(
    ({ value }) => (value.InstanceId ?? null) === subject.instanceId,
  );
  return own === undefined ? null : isoMs(own.value.LaunchTime);
}

/** Stages that objects and answers show to be passed, with the object that shows each. */
export function passedByFacts(subject: Subject): readonly Passed[] {
  const nodes = recordsOf(subject, 'kube/Node');
  const node = nodes.find((fact) => fact.value.conditions.length > 0) ?? null;
  return [
    ...passedByInstance(subject),
    ...(node === null
      ? []
      : [
          ...passedByNode(node, subject),
          ...passedByNames(node, subject),
          ...passedByPods(node, subject),
        ]),
  ];
}

function passedByInstance(subject: Subject): readonly Passed[] {
  const running = recordsOf(subject, 'aws/instance').find(
    (fact) => fact.value.State?.Name === 'running',
  );
  const checked = recordsOf(subject, 'aws/instance-status').find(
    (fact) =>
      fact.value.InstanceStatus?.Status === 'ok' && fact.value.SystemStatus?.Status === 'ok',
  );
  const proof = checked ?? null;
  if (proof === null || (running === undefined && proof.value.InstanceState?.Name !== 'running'))
    return [];
  const words = 'the instance runs and passes its status checks';
  return [['launched', proofOf(proof, words, launchedMs(subject))]];
}

/** Its kubelet registers a Node: whatever is needed for that was passed when the Node came to be. */
function passedByNode(fact: FactRecord<'kube/Node'>, subject: Subject): readonly Passed[] {
  const node = fact.value;
  const isInitialized = node.taints?.every((taint) => taint.key !== UNINITIALIZED) ?? false;
  if (node.ready !== true) return isInitialized ? passedByKubelet(fact) : [];
  const words = `Node ${node.name} is Ready`;
  const proof = proofOf(fact, words, node.createdMs);
  const launched = proofOf(fact, words, launchedMs(subject) ?? node.createdMs);
  const admitted: readonly Stage[] = ['bootstrapped', 'reachable', 'authenticated', 'retained'];
  return [
    ['launched', launched],
    ...admitted.map((stage): Passed => [stage, proof]),
    ...(isInitialized ? [['registered', proof] as const] : []),
  ];
}

/** A Node that its kubelet itself wrote, Ready or not: its version or its condition stand in it. */
function passedByKubelet(fact: FactRecord<'kube/Node'>): readonly Passed[] {
  const { name, kubeletVersion, conditions, createdMs } = fact.value;
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (kubeletVersion !== null) {
    const words = `Node ${name} exists, kubelet ${kubeletVersion}`;
    return [['registered', proofOf(fact, words, createdMs)]];
  }
  // The control plane tells a kubelet that posted once from one that never did.
  if (!POSTED.includes(ready?.reason ?? '')) return [];
  const words = `Node ${name} is there: ${ready?.message ?? ''}`;
  return [['registered', proofOf(fact, words, createdMs)]];
}

/**
 * `identified` needs the Node's name and EC2's, and that they agree, or that the Node says by both
 * its providerID and its addresses of which instance it is, and works under another name.
 */
function passedByNames(fact: FactRecord<'kube/Node'>, subject: Subject): readonly Passed[] {
  const node = fact.value;
  const own = recordsOf(subject, 'aws/instance').find(
    ({ value }) => node.providerId?.endsWith(`/${value.InstanceId ?? ' '}`) === true,
  );
  if (own === undefined) return [];
  const id = own.value.InstanceId ?? '';
  const name = own.value.PrivateDnsName ?? '';
  if (node.name === name || node.name === id || node.name.startsWith(`${id}.`))
    return [
      ['identified', proofOf(own, `EC2 and Kubernetes both say ${node.name}`, node.createdMs)],
    ];
  if (!isInitialisedAs(node, own)) return [];
  const words = `Node ${node.name} is initialized as ${id}, and gives EC2's ${name} among its addresses`;
  return [['identified', proofOf(own, words, node.createdMs)]];
}

/** True for a Ready Node on which the cloud controller has put the addresses of the instance. */
function isInitialisedAs(node: KubeNode, { value }: FactRecord<'aws/instance'>): boolean {
  const name = value.PrivateDnsName ?? '';
  const isInitialised = node.taints?.every(({ key }) => key !== UNINITIALIZED) === true;
  return node.ready === true && isInitialised && name !== '' && node.internalDns === name;
}

function passedByPods(fact: FactRecord<'kube/Node'>, subject: Subject): readonly Passed[] {
  const pods = recordsOf(subject, 'kube/Pod').filter(
    (pod) => pod.value.spec?.nodeName === fact.value.name,
  );
  const addressed = pods.find(
    (pod) => isRunning(pod.value) && pod.value.spec?.hostNetwork !== true,
  );
  const asking = pods.filter((pod) => asksForIdentity(pod.value));
  const passed: Passed[] = [];
  const hasNone = addressed === undefined && hasNoPodAddress(subject, pods);
  const networked =
    fact.value.ready === true && !hasNone ? networkProof(fact, addressed, pods) : null;
  if (networked !== null) passed.push(['networked', networked]);
  const onNode = pods.map(({ value }) => value);
  if (pods.length > 0 && beganUnredirected(fact.value, onNode) === null)
    passed.push(...passedByIdentity(fact, asking));
  const workloads = pods.filter(({ value }) => isWorkload(value) && isPodReady(value));
  const hasWorkload = workloads.length > 0;
  const openMs = earliestOf(workloads.map(({ value }) => readyChangedMs(value)));
  if (isOpen(fact.value, hasWorkload)) {
    const words = `Node ${fact.value.name} is Ready and has no gate taint`;
    passed.push(['gated', proofOf(fact, words, openMs)]);
  }
  if (networked !== null && acceptsPods(fact.value, hasWorkload)) {
    const words = `no taint, cordon or condition keeps pods off ${fact.value.name}`;
    passed.push(['usable', proofOf(fact, words, openMs)]);
  }
  return passed;
}

/** The pod network's own program on a Node, by the names that manifests give it. */
const NETWORK_POD = /^(?:aws-node|calico-node|cilium|kube-flannel-ds|kube-router|weave-net)-/;

/** The VPC CNI, which gives out addresses that EC2 has put on the machine. */
const VPC_CNI_POD = /^aws-node-/;

/** EC2 shows that no interface has an address for a pod, though the VPC CNI's program is Ready. */
function hasNoPodAddress(subject: Subject, pods: readonly FactRecord<'kube/Pod'>[]): boolean {
  if (!pods.some(({ value }) => VPC_CNI_POD.test(value.name))) return false;
  const interfaces = recordsOf(subject, 'aws/instance')
    .filter(({ value }) => (value.InstanceId ?? null) === subject.instanceId)
    .flatMap(({ value }) => value.NetworkInterfaces ?? []);
  return interfaces.length > 0 && interfaces.every(isBare);
}

function isBare(one: NetworkInterface): boolean {
  const prefixes = [...(one.Ipv4Prefixes ?? []), ...(one.Ipv6Prefixes ?? [])];
  return one.PrivateIpAddresses?.length === 1 && prefixes.length === 0;
}

/** A pod with an address; on a Node without one, the programs that would give it are Ready. */
function networkProof(
  node: FactRecord<'kube/Node'>,
  addressed: FactRecord<'kube/Pod'> | undefined,
  pods: readonly FactRecord<'kube/Pod'>[],
): Quote | null {
  if (addressed !== undefined) {
    const words = `pod ${addressed.value.name} runs with its own pod IP`;
    return proofOf(addressed, words, runningSinceMs(addressed.value));
  }
  const program = pods.find(({ value }) => NETWORK_POD.test(value.name) && isPodReady(value));
  const isWaited = pods.some(({ value }) => (value.status?.podIP ?? null) === null);
  if (program === undefined || isWaited) return null;
  const ready = node.value.conditions.find(({ type }) => type === 'Ready');
  return proofOf(
    program,
    `${node.value.name} is Ready, ${program.value.name} is Ready there, and no pod waits for an address`,
    lastOf([ready?.changedMs ?? null, readyChangedMs(program.value)]),
  );
}

/** Nothing here depends on an identity, or all that asks for one works. */
function passedByIdentity(
  node: FactRecord<'kube/Node'>,
  asking: readonly FactRecord<'kube/Pod'>[],
): readonly Passed[] {
  const [first] = asking;
  if (first === undefined)
    return [['credentialed', proofOf(node, 'no pod on it asks for an AWS identity', null)]];
  if (!asking.every(({ value }) => isPodReady(value))) return [];
  const words = `pod ${first.value.name} asks for an AWS identity and is Ready`;
  const sinceMs = lastOf(asking.map(({ value }) => readyChangedMs(value)));
  return [['credentialed', proofOf(first, words, sinceMs)]];
}

function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && (pod.status.podIP ?? null) !== null;
}

function asksForIdentity(pod: Pod): boolean {
  if (pod.annotations[ROLE_ANNOTATION] !== undefined) return true;
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return containers.some((container) =>
    (container.env ?? []).some((entry) => IDENTITY_ENVIRONMENT.includes(entry.name ?? '')),
  );
}

/** Taints that gates, controllers and the node lifecycle put on and take off. */
const GATE =
  /nidhogg|readiness\.(?:node\.x-)?k8s\.io|agent-not-ready|cilium\.io|karpenter\.sh|node(?:\.cloudprovider)?\.kubernetes\.io\//;

/** A pod that is there for its users: neither of a DaemonSet nor of the node itself. */
function isWorkload(object: Pod): boolean {
  return !(object.metadata?.ownerReferences ?? []).some((owner) =>
    ['DaemonSet', 'Node'].includes(owner.kind ?? ''),
  );
}

/** Nothing holds the Node back: no taint, or only such as its own workload tolerates. */
function isOpen({ ready, taints }: KubeNode, hasWorkload: boolean): boolean {
  if (ready !== true || taints === null) return false;
  return taints.every((taint) => isRole(taint) || (hasWorkload && !GATE.test(taint.key)));
}

/** Taints of a role, such as the control plane's, are meant to stay. */
function isRole({ key }: KubeTaint): boolean {
  return key.startsWith('node-role.kubernetes.io/');
}

function acceptsPods(node: KubeNode, hasWorkload: boolean): boolean {
  const pressed = node.conditions.some(
    (entry) => PRESSURES.includes(entry.type) && entry.status === 'True',
  );
  return (
    node.ready === true && node.unschedulable === false && isOpen(node, hasWorkload) && !pressed
  );
}
