import type { AutoScalingGroup } from '../../evidence/aws/groups.ts';
import type { Machine, NodeClaim } from '../../evidence/kube/machines.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { isoMs, isoTime } from '../../evidence/time.ts';
import type { Attribute, MachineGroup, RollCallRow } from './document.ts';
import type { CalledMachine } from './machines.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

type Texts = Readonly<Record<string, string>>;

/** Tags of an EC2 instance or an Auto Scaling group, which AWS answers as a list of pairs. */
export function tagsOf(resource: Instance | AutoScalingGroup | null): Texts {
  const pairs = (resource?.Tags ?? []).flatMap(({ Key: key, Value: value }): [string, string][] =>
    key ? [[key, value ?? '']] : [],
  );
  return Object.fromEntries(pairs);
}

/** The Node that stands for the machine now: a Ready one, else the youngest. */
export function currentNode({ nodes }: CalledMachine): KubeNode | null {
  const ordered = nodes.toSorted(
    (a, b) =>
      Number(b.ready === true) - Number(a.ready === true) ||
      (b.createdMs ?? 0) - (a.createdMs ?? 0),
  );
  return ordered[0] ?? null;
}

/** Labels of the Node and the claim, and tags of the instance, by which `-l` selects. */
export function labelsOf(machine: CalledMachine): Texts {
  const claims = machine.claims.map(({ labels }) => labels);
  return Object.assign(
    {},
    tagsOf(machine.instance),
    ...claims,
    currentNode(machine)?.labels ?? {},
  ) as Texts;
}

const GROUPS = [
  { kind: 'NodeGroup', keys: ['eks:nodegroup-name', 'eks.amazonaws.com/nodegroup'] },
  { kind: 'NodePool', keys: ['karpenter.sh/nodepool', 'karpenter.sh/provisioner-name'] },
  { kind: 'AutoScalingGroup', keys: ['aws:autoscaling:groupName'] },
] as const;

const NO_GROUP: MachineGroup = { kind: 'none', name: null };

/** The group that made the machine, by its tags and labels; the most particular one. */
export function groupOf(labels: Texts): MachineGroup {
  for (const { kind, keys } of GROUPS) {
    const key = keys.find((one) => Object.hasOwn(labels, one) && labels[one] !== '');
    if (key !== undefined) return { kind, name: labels[key] ?? null };
  }
  return NO_GROUP;
}

function launchedAt(instance: Instance | null): string | null {
  const ms = isoMs(instance?.LaunchTime);
  return ms === null ? null : isoTime({ ms, yearless: false, clock: 'utc' });
}

function firstOf(labels: Texts, keys: readonly string[]): string | null {
  for (const key of keys) if (Object.hasOwn(labels, key)) return labels[key] ?? null;
  return null;
}

const TYPE_LABELS = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const ZONE_LABELS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

/** Karpenter tells the image of its claims; the other kinds of machines do not. */
function imageOf(claim: NodeClaim | Machine | undefined): string | null {
  const status = claim?.status;
  return status && 'imageID' in status ? (status.imageID ?? null) : null;
}

type Traits = Pick<RollCallRow, 'group' | 'instanceType' | 'zone' | 'image' | 'launchedAt'>;

/** What a row says of the machine itself: from EC2 where it answered, else from labels. */
export function traitsOf(machine: CalledMachine, labels: Texts): Traits {
  const instance = machine.instance ?? undefined;
  const claim = machine.claims[0];
  return {
    group: groupOf(labels),
    instanceType: instance?.InstanceType ?? firstOf(labels, TYPE_LABELS),
    zone: instance?.Placement?.AvailabilityZone ?? firstOf(labels, ZONE_LABELS),
    image: instance?.ImageId ?? imageOf(claim),
    launchedAt: launchedAt(machine.instance),
  };
}

function subnetOf(instance: Instance | undefined): string | null {
  return instance?.SubnetId ?? (instance?.NetworkInterfaces ?? [])[0]?.SubnetId ?? null;
}

/** Both tags are put there by EC2 itself when a launch template was used. */
function launchTemplateOf(instance: Instance | null): string | null {
  const tags = tagsOf(instance);
  const id = tags['aws:ec2launchtemplate:id'];
  const version = tags['aws:ec2launchtemplate:version'];
  if (id === undefined) return null;
  return version === undefined ? id : `${id}:${version}`;
}

/** What machines are compared by; an attribute that no source shows is left out. */
export function attributesOf(
  machine: CalledMachine,
  traits: Traits,
): Readonly<Partial<Record<Attribute, string>>> {
  const instance = machine.instance ?? undefined;
  const values: Readonly<Record<Attribute, string | null>> = {
    subnet: subnetOf(instance),
    image: traits.image,
    launchTemplate: launchTemplateOf(machine.instance),
    zone: traits.zone,
    instanceType: traits.instanceType,
    role: instance?.IamInstanceProfile?.Arn?.split('/').at(-1) ?? null,
    kubeletVersion: currentNode(machine)?.kubeletVersion ?? null,
    group: traits.group.name,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** Reason and message of a condition that is not True, null when there is none such. */
export function unmetCondition({ status }: NodeClaim | Machine, type: string): string | null {
  const found = status?.conditions?.find((entry) => entry.type === type);
  if (found === undefined || found.status === 'True') return null;
  const text = [found.reason, found.message].filter(Boolean).join(': ');
  return text === '' ? null : text;
}
