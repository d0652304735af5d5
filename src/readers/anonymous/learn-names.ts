import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { plainName } from '../../evidence/names.ts';
import type { Observations } from '../../evidence/observations.ts';

/** What a name is of, in words that are put in its place: `role-1`. */
export type Named =
  | 'cluster'
  | 'role'
  | 'group'
  | 'namespace'
  | 'workload'
  | 'node'
  | 'domain'
  | 'user'
  | 'template'
  | 'name';

/** A name that belongs to somebody, and what it is of. */
export interface LearnedName {
  readonly name: string;
  readonly of: Named;
}

/** Fields of objects and answers whose texts are names that people gave. */
const FIELDS: Readonly<Record<string, Named>> = {
  clusterName: 'cluster',
  nodegroupName: 'group',
  AutoScalingGroupName: 'group',
  InstanceProfileName: 'role',
  RoleName: 'role',
  PolicyName: 'role',
  LaunchTemplateName: 'template',
  LaunchConfigurationName: 'template',
  LifecycleHookName: 'name',
  GroupName: 'name',
  KeyName: 'name',
  Username: 'user',
  username: 'user',
  serviceAccountName: 'workload',
  serviceAccount: 'workload',
  claimName: 'workload',
  volumeName: 'workload',
  storageClassName: 'name',
  priorityClassName: 'name',
  Name: 'name',
  'eks.amazonaws.com/nodegroup': 'group',
  'eks:nodegroup-name': 'group',
  'eks:cluster-name': 'cluster',
  'alpha.eksctl.io/nodegroup-name': 'group',
  'alpha.eksctl.io/cluster-name': 'cluster',
  'karpenter.sh/nodepool': 'group',
  'karpenter.sh/provisioner-name': 'group',
  'aws:autoscaling:groupName': 'group',
};

/** Maps whose keys and values users choose; what Kubernetes and AWS put there is known to all. */
const CHOSEN = new Set(['labels', 'nodeSelector', 'matchLabels', 'tags']);
const COMMON_KEY = /kubernetes\.io\/|k8s\.io\/|amazonaws\.com\/|^aws:|pod-template|controller-/;

/** What follows these in ARNs, tags and addresses is a name. */
const PLACES: readonly (readonly [RegExp, Named])[] = [
  [
    /\barn:aws[\w-]*:iam::\d{12}:(?:role|instance-profile|user|policy|group)\/(?:[\w+=,.@-]+\/)*([\w+=,.@-]+)/g,
    'role',
  ],
  [/\bassumed-role\/([\w+=,.@-]+)\/([\w+=,.@-]+)/g, 'role'],
  [/\barn:aws[\w-]*:eks:[\w-]*:\d{12}:cluster\/([\w-]+)/g, 'cluster'],
  [
    /\b(?:nodegroup|fargateprofile|access-entry|podidentityassociation)\/([\w-]+)\/([\w-]+)/g,
    'group',
  ],
  [/\bkubernetes\.io\/cluster\/([\w.-]+)/g, 'cluster'],
  [/\bautoScalingGroupName\/([\w.-]+)/g, 'group'],
  [/\beksctl-([\w-]{1,100}?)-(?:nodegroup|cluster)\b/g, 'cluster'],
];

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,20}\.?$/i;
/** Domains that AWS, Kubernetes and image registries have for everybody. */
const COMMON_DOMAIN =
  /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|ec2\.internal|compute\.internal|aws\.dev|k8s\.io|kubernetes\.io|cluster\.local|svc|local|localdomain|docker\.io|gcr\.io|ghcr\.io|quay\.io|public\.ecr\.aws|amazontrust\.com|example\.(?:com|net|org)|github\.com|karpenter\.sh|k8s\.aws|sigs\.k8s\.io|openshift\.io)\.?$/i;

export type Learn = (name: string | null | undefined, of: Named) => void;

function learnDomain(host: string, learn: Learn): void {
  const labels = host.split('.');
  if (labels.length < 3 || !DOMAIN.test(host)) return;
  const domain = labels.slice(1).join('.');
  if (!COMMON_DOMAIN.test(domain)) learn(domain.replace(/\.$/, ''), 'domain');
}

function learnText(text: string, field: string, learn: Learn): void {
  const of = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (of !== undefined && /^[\w+=,.@:-]{1,200}$/.test(text)) learn(text, of);
  if (text.length > 4096) return;
  for (const [place, kind] of PLACES)
    for (const match of text.matchAll(place)) for (const name of match.slice(1)) learn(name, kind);
}

function learnValue(value: Json, field: string, learn: Learn, depth = 0): void {
  if (typeof value === 'string') return learnText(value, field, learn);
  if (depth > 40) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) learnValue(item, field, learn, depth + 1);
  } else if (isObject(value)) {
    const tag = value['Key'];
    if (typeof tag === 'string') learnChosen({ [tag]: value['Value'] ?? null }, learn);
    if (CHOSEN.has(field)) learnChosen(value, learn);
    for (const [key, entry] of Object.entries(value)) {
      learnText(key, '', learn);
      learnValue(entry, key, learn, depth + 1);
    }
  }
}

function learnChosen(entries: JsonObject, learn: Learn): void {
  for (const [key, value] of Object.entries(entries)) {
    if (typeof value !== 'string' || value.length < CHOSEN_LEAST) continue;
    const of = FIELDS[key] ?? (COMMON_KEY.test(key) ? undefined : 'name');
    if (of !== undefined && /^[\w+=,.@-]{1,200}$/.test(value)) learn(value, of);
  }
}

/** Shorter values are numbers and switches. */
const CHOSEN_LEAST = 4;

/** Namespaces and what runs in them belong to a user; those of the system do not. */
const SYSTEM = /^(?:kube-|openshift-|default$|karpenter$|calico-|tigera-|cilium|amazon-|aws-)/;

function learnObject(value: Json, kind: string, learn: Learn): void {
  if (!isObject(value)) return;
  const name = value['name'];
  const namespace = value['namespace'];
  const isOwn = typeof namespace === 'string' && !SYSTEM.test(namespace);
  if (isOwn) learn(namespace, 'namespace');
  if (typeof name !== 'string') return;
  if (kind === 'aws/cluster') learn(name, 'cluster');
  else if (kind === 'kube/Namespace' && !SYSTEM.test(name)) learn(name, 'namespace');
  else if (isOwn) learn(workloadOf(name), 'workload');
  else if (/^kube\/(?:NodeClaim|NodePool|EC2NodeClass|ENIConfig|Machine)$/.test(kind))
    learn(workloadOf(name), 'group');
}

/** The name of the workload in that of a pod: `web` of `web-7d9f8b6c5d-x2x9z`. */
export function workloadOf(name: string): string {
  return name.replace(/-[a-z0-9]{8,10}-[a-z0-9]{5}$|-[a-z0-9]{5}$/, '');
}

/** Calls back for every name in evidence that belongs to somebody. */
export function learnNames(observations: Observations, learn: Learn): void {
  learn(observations.collection?.cluster, 'cluster');
  for (const { kind, value } of observations.facts) {
    learnObject(value as unknown as Json, kind, learn);
    learnValue(value as unknown as Json, '', learn);
    if (kind === 'host/dhcp-lease' || kind === 'aws/dhcp-options') learnLease(value as Json, learn);
  }
  const machines = [
    ...observations.facts.flatMap(({ about }) => about),
    ...observations.links.flatMap(({ names }) => names),
    ...observations.documents.flatMap((one) => one.machines),
    ...observations.hits.flatMap(({ about }) => (about === null ? [] : [about])),
  ];
  for (const machine of machines) learnMachine(plainName(machine), machine.kind, learn);
  for (const { first, last, quotes } of observations.hits)
    for (const quote of [first, last, ...quotes]) {
      learnText(quote.excerpt, '', learn);
      learnMachine(quote.captures['node'] ?? '', 'node', learn);
    }
}

function learnMachine(name: string, kind: string, learn: Learn): void {
  if (!/^(?:node|host|private-dns|certificate)$/.test(kind)) return;
  learnDomain(name, learn);
  const [host = ''] = name.split('.');
  if (!/^ip-\d|^i-[0-9a-f]+$/.test(host)) learn(host, 'node');
}

/** Domain names that a DHCP server gives: several may stand in one text. */
function learnLease(value: Json, learn: Learn): void {
  const texts = JSON.stringify(value).match(/(?<![a-z0-9-])[a-z0-9-]+(?:\.[a-z0-9-]+)+\.?/gi) ?? [];
  for (const text of texts)
    if (DOMAIN.test(text) && !COMMON_DOMAIN.test(text)) learn(text.replace(/\.$/, ''), 'domain');
}
