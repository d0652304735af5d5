import { at, type Json, type JsonObject, listAt, textAt, textsAt } from '../../evidence/json.ts';
import type { FactTypes, KubeNode } from '../../evidence/kinds.ts';
import type { KubeObject } from '../../evidence/kube/object.ts';
import { isKubeKind, KUBE_SHAPES, type KubeKind } from '../../evidence/kube/shapes.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import type { LineSource } from '../../evidence/source.ts';
import { isoMs } from '../../evidence/time.ts';
import { parseWhen } from '../line/timestamps.ts';
import type { PassageReading } from '../passage.ts';
import type { Share } from '../sharing.ts';
import { parseAwsAuth } from './aws-auth.ts';
import { isDiscovery, parseDiscovery } from './discovery.ts';
import { project, projectFact } from '../../evidence/project.ts';
import { countedEndpoints } from './endpoint-slice.ts';
import { linesOfNode, namesOfNode, projectNode, type StateLine } from './node.ts';
import { annotationsAt } from './annotations.ts';
import { podAnnotations, projectPod } from './pod.ts';
import { withRequestedUser } from './signing-request.ts';
import { withDriver } from './volume.ts';

const BY = 'kubectl get -o json|yaml';

/** Reads one Kubernetes object into facts and into lines for the expressions. */
export function readKubeObject(passage: PassageReading, value: JsonObject, line: number): boolean {
  const kind = textAt(value, 'kind') ?? '';
  if (textAt(value, 'apiVersion')?.startsWith('audit.k8s.io/') === true)
    readAudit(passage, value, line);
  else if (kind === 'Node') readNode(passage, value, line);
  else if (kind === 'Event') readEvent(passage, value, line);
  else readOther(passage, kind, value, { by: BY, line });
  return true;
}

/** Kinds of which a description says in its fields what their objects say. */
const DESCRIBED = /^(?:NodeClaim|NodePool|EC2NodeClass|Machine|AWSNodeTemplate)$/;

/** Reads what `kubectl describe` shows of a custom resource; false for any other kind. */
export function readDescribed(passage: PassageReading, value: JsonObject, line: number): boolean {
  const kind = textAt(value, 'kind') ?? '';
  if (!DESCRIBED.test(kind)) return false;
  readOther(passage, kind, value, { by: 'kubectl describe', extent: 'part', line });
  return true;
}

function objectLocator(passage: PassageReading, value: JsonObject): string {
  const { collector, document } = passage;
  const path = [textAt(value, 'metadata.namespace'), textAt(value, 'metadata.name')].filter(
    (part) => part !== null,
  );
  return `${collector.locatorOf(document)}#${[textAt(value, 'kind') ?? '', ...path].join('/')}`;
}

function readNode(passage: PassageReading, value: JsonObject, line: number): void {
  const { collector, document } = passage;
  const node = projectNode(value);
  const about = namesOfNode(node);
  const locator = objectLocator(passage, value);
  collector.fact(document, 'kube/Node', node, { by: BY, locator, line, about });
  collector.link(about, `Node ${node.name} shows them together`, locator);
  for (const state of linesOfNode(node)) say(passage, state, 'node-status', line, about[0] ?? null);
}

function say(
  passage: PassageReading,
  state: StateLine,
  source: LineSource,
  line: number,
  about: MachineName | null,
): void {
  passage.say({ ...state, source, line, when: null, host: null, about, isState: true });
}

/** An audit record is read as the one line that the API server printed. */
function readAudit(passage: PassageReading, value: JsonObject, line: number): void {
  const stamp = textAt(value, 'stageTimestamp') ?? textAt(value, 'requestReceivedTimestamp') ?? '';
  const text = JSON.stringify(value);
  passage.say({
    text,
    source: 'audit',
    line,
    when: parseWhen(stamp),
    host: null,
    about: null,
    isState: false,
  });
}

/** An event in the form of `kubectl get events`, so that one expression reads both. */
function readEvent(passage: PassageReading, value: JsonObject, line: number): void {
  const stamp =
    textAt(value, 'lastTimestamp') ??
    textAt(value, 'eventTime') ??
    textAt(value, 'metadata.creationTimestamp') ??
    '';
  const kind = (
    textAt(value, 'involvedObject.kind') ??
    textAt(value, 'regarding.kind') ??
    ''
  ).toLowerCase();
  const name = textAt(value, 'involvedObject.name') ?? textAt(value, 'regarding.name') ?? '';
  const host = textAt(value, 'source.host') ?? textAt(value, 'deprecatedSource.host');
  const message = textAt(value, 'message') ?? textAt(value, 'note') ?? '';
  const text = `${stamp} ${textAt(value, 'type') ?? ''} ${textAt(value, 'reason') ?? ''} ${kind}/${name} ${message}`;
  const about = machineOfEvent(kind, name, host, value);
  passage.say({
    text,
    source: 'event',
    line,
    when: parseWhen(stamp),
    host: null,
    about,
    isState: false,
  });
}

/** An event of a pod is about the Node that it is on, told by the kubelet or by the pod itself. */
function machineOfEvent(
  kind: string,
  name: string,
  host: string | null,
  value: JsonObject,
): MachineName | null {
  if (kind === 'node') return classifyName(name, 'node');
  if (host !== null && host !== '') return classifyName(host, 'node');
  const namespace =
    textAt(value, 'involvedObject.namespace') ?? textAt(value, 'regarding.namespace');
  return kind === 'pod' && namespace !== null
    ? { kind: 'pod', value: `${namespace}/${name}` }
    : null;
}

const LINE_SOURCES: Readonly<Record<string, LineSource>> = {
  Pod: 'pod-status',
  NodeClaim: 'node-claim',
  NodePool: 'node-claim',
  EC2NodeClass: 'node-claim',
  Machine: 'node-claim',
  AWSNodeTemplate: 'node-claim',
};

/** Kinds that were renamed and kept their fields, by the name that they had. */
const FORMER_KINDS: Readonly<Record<string, string>> = {
  NodeReadinessGateRule: 'NodeReadinessRule',
};

interface ReadAs {
  readonly by: string;
  readonly extent?: 'part';
  readonly line: number;
}

function readOther(
  passage: PassageReading,
  given: string,
  value: JsonObject,
  readAs: ReadAs,
): void {
  const kind = FORMER_KINDS[given] ?? given;
  const { collector, document } = passage;
  const about = machineOfObject(kind, value);
  const locator = objectLocator(passage, value);
  const origin = { ...readAs, locator, about };
  if (kind === 'ConfigMap' && textAt(value, 'metadata.name') === 'aws-auth') {
    collector.fact(document, 'kube/aws-auth', parseAwsAuth(value), origin);
  }
  if (isDiscovery(kind, value))
    collector.fact(document, 'kube/cluster-info', parseDiscovery(value), origin);
  if (isKubeKind(kind))
    collector.fact(document, factKind(kind), projectObject(kind, value, collector.share), origin);
  if (kind === 'NodeReadinessRule') sayEvaluations(passage, value, readAs.line);
  const source = LINE_SOURCES[kind] ?? 'object';
  for (const state of linesOfObject(kind, value))
    say(passage, state, source, readAs.line, about[0] ?? null);
}

/** Says of each node what a NodeReadinessRule found there, as it keeps that in its status. */
function sayEvaluations(passage: PassageReading, value: JsonObject, line: number): void {
  const rule = textAt(value, 'metadata.name') ?? '';
  for (const node of listAt(value, 'status.nodeEvaluations')) {
    const name = textAt(node, 'nodeName') ?? '';
    if (textAt(node, 'taintStatus') !== 'Present' || name === '') continue;
    for (const result of listAt(node, 'conditionResults')) {
      const [is, wanted] = [textAt(result, 'currentStatus'), textAt(result, 'requiredStatus')];
      if (is === null || wanted === null || is === wanted) continue;
      const text = `NodeReadinessRule ${rule} holds its taint on Node ${name}: condition ${textAt(result, 'type') ?? ''}=${is}, required ${wanted}`;
      say(passage, { text, sinceMs: null }, 'object', line, classifyName(name, 'node'));
    }
  }
}

function factKind(kind: KubeKind): `kube/${KubeKind}` {
  return `kube/${kind}`;
}

function identityOf(kind: KubeKind, value: JsonObject, share: Share): KubeObject {
  const annotations = annotationsAt(value);
  return {
    kind,
    namespace: share(textAt(value, 'metadata.namespace')),
    name: textAt(value, 'metadata.name') ?? '',
    uid: textAt(value, 'metadata.uid'),
    labels: share(textsAt(value, 'metadata.labels')),
    annotations: kind === 'Pod' ? share(podAnnotations(annotations)) : annotations,
  };
}

/** What has to be read out of an object before its fields are. */
const PREPARED: Readonly<Partial<Record<KubeKind, (value: JsonObject) => JsonObject>>> = {
  CertificateSigningRequest: withRequestedUser,
  EndpointSlice: countedEndpoints,
  PersistentVolume: withDriver,
};

function projectObject<K extends KubeKind>(
  kind: K,
  value: JsonObject,
  share: Share,
): FactTypes[`kube/${K}`] {
  const identity = identityOf(kind, value, share);
  const body =
    kind === 'Pod'
      ? projectPod(value, share)
      : project(KUBE_SHAPES[kind], PREPARED[kind]?.(value) ?? value);
  return { ...identity, ...body } as unknown as FactTypes[`kube/${K}`];
}

/** A Node of which a part is told says nothing of the rest, which a whole one would lack. */
function partOfNode(value: JsonObject): KubeNode {
  const node = projectNode(value);
  return {
    ...node,
    taints: at(value, 'spec.taints') === undefined ? null : node.taints,
    unschedulable: at(value, 'spec.unschedulable') === undefined ? null : node.unschedulable,
    absentLabels: [],
  };
}

/** Reads a part of an object, as a template or columns of one's own print it. */
export function readPart(passage: PassageReading, value: JsonObject, line: number): void {
  const { collector, document } = passage;
  const kind = textAt(value, 'kind') ?? '';
  const locator = collector.locatorAt(document, line);
  const origin = { by: 'kubectl get', extent: 'row', locator, line } as const;
  if (kind === 'Node') {
    const node = partOfNode(value);
    const about = namesOfNode(node);
    if (about[0] === null) return;
    collector.fact(document, 'kube/Node', node, { ...origin, about });
    collector.link(about, `kubectl shows them for Node ${node.name}`, locator);
  } else if (kind === 'ConfigMap' && textAt(value, 'metadata.name') === 'aws-auth') {
    collector.fact(document, 'kube/aws-auth', parseAwsAuth(value), { ...origin, about: [] });
  } else if (isKubeKind(kind)) {
    if (kind === 'NodeReadinessRule') sayEvaluations(passage, value, line);
    const about = machineOfObject(kind, value);
    const body = projectFact(KUBE_SHAPES[kind], value, false)?.value ?? {};
    const part = { ...identityOf(kind, value, collector.share), ...body };
    collector.fact(document, factKind(kind), part as unknown as FactTypes[`kube/${KubeKind}`], {
      ...origin,
      about,
    });
  }
}

function machineOfObject(kind: string, value: JsonObject): readonly (MachineName | null)[] {
  if (kind === 'Pod') return [classifyName(textAt(value, 'spec.nodeName') ?? '', 'node')];
  const name = textAt(value, 'metadata.name') ?? '';
  if (kind === 'Lease') {
    const isHeartbeat = textAt(value, 'metadata.namespace') === 'kube-node-lease';
    return isHeartbeat ? [classifyName(name, 'node')] : [];
  }
  if (kind === 'CSINode' || kind === 'CNINode') return [classifyName(name, 'node')];
  if (kind === 'NodeClaim' || kind === 'Machine') {
    return [
      classifyName(
        textAt(value, 'status.nodeName') ?? textAt(value, 'status.nodeRef.name') ?? '',
        'node',
      ),
      classifyName(
        textAt(value, 'status.providerID') ?? textAt(value, 'spec.providerID') ?? '',
        'provider-id',
      ),
      kind === 'NodeClaim' ? { kind: 'node-claim' as const, value: name } : null,
    ].filter((one) => one !== null);
  }
  return [];
}

function conditionLines(kind: string, value: JsonObject): readonly StateLine[] {
  const name = textAt(value, 'metadata.name') ?? '';
  return listAt(value, 'status.conditions').map((entry) => ({
    text: `${kind} ${name} condition ${textAt(entry, 'type') ?? ''}=${textAt(entry, 'status') ?? ''} ${textAt(entry, 'reason') ?? ''} ${textAt(entry, 'message') ?? ''}`,
    sinceMs: isoMs(textAt(entry, 'lastTransitionTime') ?? ''),
  }));
}

function containerLine(name: string, entry: Json): readonly StateLine[] {
  return ['waiting', 'terminated'].flatMap((phase) => {
    const reason = textAt(entry, `state.${phase}.reason`);
    if (reason === null) return [];
    const state = `${phase} ${reason} ${textAt(entry, `state.${phase}.message`) ?? ''}`;
    return [
      {
        text: `Pod ${name} container ${textAt(entry, 'name') ?? ''} ${state}`,
        sinceMs: isoMs(textAt(entry, `state.${phase}.finishedAt`) ?? ''),
      },
    ];
  });
}

/** Of a pod it says its name alone, which the line of the first condition has said. */
const FULFILLED = /=True {2}$/;

/** Karpenter takes the name of a profile, so that an ARN names none. */
function profileLines(value: JsonObject): readonly StateLine[] {
  const profile = textAt(value, 'spec.instanceProfile');
  const name = textAt(value, 'metadata.name') ?? '';
  return profile === null
    ? []
    : [{ text: `EC2NodeClass ${name} spec.instanceProfile ${profile}`, sinceMs: null }];
}

function linesOfObject(kind: string, value: JsonObject): readonly StateLine[] {
  if (kind === 'EC2NodeClass') return [...profileLines(value), ...conditionLines(kind, value)];
  if (kind !== 'Pod') return conditionLines(kind, value);
  const conditions = conditionLines(kind, value).filter(
    ({ text }, index) => index === 0 || !FULFILLED.test(text),
  );
  const name = textAt(value, 'metadata.name') ?? '';
  const statuses = [
    ...listAt(value, 'status.initContainerStatuses'),
    ...listAt(value, 'status.containerStatuses'),
  ];
  return [...conditions, ...statuses.flatMap((entry) => containerLine(name, entry))];
}
