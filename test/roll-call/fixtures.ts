import { readTexts } from '../../src/engine/pile.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../src/diagnosis/document.ts';
import type { RollCallDocument, RollCallRow } from '../../src/diagnosis/roll-call/document.ts';
import { rollCallOf, type RollCallInput } from '../../src/diagnosis/roll-call/roll-call.ts';
import { STAGES } from '../../src/evidence/stage.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

export interface InstanceChange {
  readonly [field: string]: unknown;
}

/** Instance number `n` as EC2 answers it, with the address 10.0.x.y that its number spells. */
export function instance(n: number, change: InstanceChange = {}): Record<string, unknown> {
  return {
    InstanceId: instanceId(n),
    InstanceType: 'm5.large',
    ImageId: 'ami-0aaaaaaaaaaaaaaa1',
    LaunchTime: '2026-03-01T09:00:00+00:00',
    Placement: { AvailabilityZone: 'eu-west-1a' },
    PrivateIpAddress: address(n),
    PrivateDnsName: dnsName(n),
    State: { Name: 'running' },
    SubnetId: 'subnet-0aaaaaaaaaaaaaaa1',
    ...change,
  };
}

export function instanceId(n: number): string {
  return `i-${n.toString(16).padStart(17, '0')}`;
}

function address(n: number): string {
  return `10.0.${Math.floor(n / 250)}.${(n % 250) + 1}`;
}

export function dnsName(n: number): string {
  return `ip-${address(n).replaceAll('.', '-')}.eu-west-1.compute.internal`;
}

export function tags(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return { Tags: Object.entries(texts).map(([Key, Value]) => ({ Key, Value })) };
}

interface NodeChange {
  readonly name?: string;
  readonly providerID?: string | null;
  readonly ip?: string | null;
  readonly ready?: 'True' | 'False';
  readonly labels?: Readonly<Record<string, string>>;
  readonly created?: string;
}

/** The Node of instance number `n`. */
export function node(n: number, change: NodeChange = {}): Record<string, unknown> {
  const { name = dnsName(n), providerID = `aws:///eu-west-1a/${instanceId(n)}` } = change;
  const ip = change.ip === undefined ? address(n) : change.ip;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: change.created ?? '2026-03-01T09:01:00Z',
      labels: change.labels ?? {},
    },
    spec: providerID === null ? {} : { providerID },
    status: {
      addresses: ip === null ? [] : [{ type: 'InternalIP', address: ip }],
      conditions: [{ type: 'Ready', status: change.ready ?? 'True', reason: 'KubeletReady' }],
      nodeInfo: { kubeletVersion: 'v1.31.2' },
    },
  };
}

/** Answers as the sources print them. */
export interface Sources {
  readonly instances?: readonly unknown[];
  readonly nodes?: readonly unknown[];
  readonly scaling?: readonly unknown[];
  readonly nodeGroups?: readonly unknown[];
  readonly objects?: readonly unknown[];
}

export function textsOf(sources: Sources): { readonly name: string; readonly text: string }[] {
  const { instances, nodes, scaling, nodeGroups = [], objects = [] } = sources;
  const values: [string, unknown][] = [];
  if (instances !== undefined)
    values.push(['instances.json', { Reservations: [{ Instances: instances }] }]);
  if (nodes !== undefined)
    values.push(['nodes.json', { apiVersion: 'v1', kind: 'NodeList', items: nodes }]);
  if (scaling !== undefined) values.push(['scaling.json', { AutoScalingGroups: scaling }]);
  for (const [index, nodegroup] of nodeGroups.entries())
    values.push([`nodegroup-${index}.json`, { nodegroup }]);
  for (const [index, value] of objects.entries()) values.push([`object-${index}.json`, value]);
  return values.map(([name, value]) => ({ name, text: JSON.stringify(value) }));
}

export function finding(cause: string, change: Partial<Finding> = {}): Finding {
  return {
    cause,
    stage: 'authenticated',
    role: 'root',
    explainedBy: null,
    confidence: 'definite',
    summary: `${cause} was found`,
    evidence: [{ source: 'kubelet', locator: 'a:1', excerpt: 'Unauthorized', time: null }],
    remedy: [],
    decide: null,
    ...change,
  };
}

export function subject(change: Partial<SubjectReport>): SubjectReport {
  const verdict = change.verdict ?? 'usable';
  return {
    kind: 'Machine',
    name: 'machine',
    instanceId: null,
    node: null,
    verdict,
    stage: verdict === 'usable' ? null : 'authenticated',
    ladder: STAGES.map((stage) => ({ stage, state: 'unknown', since: null, evidence: [] })),
    findings: [],
    notObservable: [],
    timeline: [],
    ...change,
  };
}

/** The subject of instance number `n` whose Node is there. */
export function machine(n: number, change: Partial<SubjectReport> = {}): SubjectReport {
  const own = { name: dnsName(n), instanceId: instanceId(n), node: dnsName(n) };
  return subject({ ...own, ...change });
}

export function diagnosis(subjects: readonly SubjectReport[]): DiagnosisDocument {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: 'test',
    headline: null,
    subjects,
    recognized: [],
    losses: [],
  };
}

/** The roll call of these answers and these subjects, as a live look at `NOW_MS` has it. */
export async function rollCall(
  sources: Sources,
  subjects: readonly SubjectReport[],
  change: Partial<RollCallInput> = {},
): Promise<RollCallDocument> {
  return rollCallOf({
    document: diagnosis(subjects),
    observations: await readTexts(textsOf(sources)),
    nowMs: NOW_MS,
    expected: [],
    ...change,
  });
}

/** A row whose machine has nothing special. */
export function row(change: Partial<RollCallRow> = {}): RollCallRow {
  return {
    name: 'ip-10-0-0-1',
    instanceId: 'i-00000000000000001',
    node: 'ip-10-0-0-1',
    group: { kind: 'NodeGroup', name: 'workers' },
    instanceType: 'm5.large',
    zone: 'eu-west-1a',
    image: 'ami-0aaaaaaaaaaaaaaa1',
    launchedAt: '2026-03-01T09:00:00Z',
    stage: null,
    verdict: 'usable',
    headline: null,
    risks: [],
    note: null,
    ...change,
  };
}
