import type { DiagnosisDocument, SubjectReport } from '../document.ts';

/** What stands for a placeholder, by its name, as far as the evidence told it. */
export type KnownNames = Readonly<Record<string, string>>;

/** The host, with a name, of a call to a Kubernetes API. */
const API_NAME = /https:\/\/([\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?::\d+)?\/apis?\//;
const API_REGION = /\.([a-z]{2}(?:-[a-z]+){1,3}-\d)\.eks\.amazonaws\./;
const CLUSTER =
  /(?:\bcluster-?[nN]ame"?[:= ]+"?|\bkubernetes\.io\/cluster\/)([A-Za-z0-9][\w-]{0,99})/;
const NODE_ROLE = /:assumed-role\/([\w+=,.@-]+)\/i-[0-9a-f]{8,17}\b/;
const RESOURCE_NAME = /^(i-[0-9a-f]{17})(?:\.|$)/;
const EC2_NAME = /^(?:ip|i)-[\w-]+\.[\w.-]*internal$/;

/** Which names the evidence tells of one subject. */
export function namesOf(subject: SubjectReport): KnownNames {
  const isMachine = subject.kind === 'Machine';
  const known = subject.node ?? subject.name;
  const lines = [...subject.findings, ...subject.ladder].flatMap(({ evidence }) => evidence);
  const text = lines.map(({ excerpt }) => excerpt).join('\n');
  const names: Readonly<Record<string, string | null | undefined>> = {
    node: subject.node ?? EC2_NAME.exec(subject.name)?.[0],
    // A resource-based name says which instance it is.
    instance: subject.instanceId ?? RESOURCE_NAME.exec(known)?.[1],
    region: regionOf(known) ?? API_REGION.exec(text)?.[1],
    cluster: CLUSTER.exec(text)?.[1],
    'endpoint-name': API_NAME.exec(text)?.[1],
    // Controllers speak of their own role, which is none of a node.
    'node-role': isMachine ? NODE_ROLE.exec(text)?.[1] : null,
  };
  return Object.fromEntries(
    Object.entries(names).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

/** EC2's own domain names say where the instance runs. */
function regionOf(name: string): string | null {
  if (name.endsWith('.ec2.internal')) return 'us-east-1';
  return /\.([a-z]{2}(?:-[a-z]+){1,3}-\d)\.compute\.internal$/.exec(name)?.[1] ?? null;
}

/** Names in which all subjects agree, for commands of candidates that are the whole cluster's. */
export function sharedNames(document: DiagnosisDocument): KnownNames {
  const all = document.subjects.map(namesOf);
  const keys = [...new Set(all.flatMap((names) => Object.keys(names)))];
  const machines = document.subjects.filter(({ kind }) => kind === 'Machine').length;
  const shared: Record<string, string> = {};
  for (const key of keys) {
    // Of several machines, one whose name is known is not therefore the one that is meant.
    if (machines > 1 && (key === 'node' || key === 'instance')) continue;
    const values = new Set(all.flatMap((names) => names[key] ?? []));
    const [value] = values;
    if (values.size === 1 && value !== undefined) shared[key] = value;
  }
  return shared;
}
