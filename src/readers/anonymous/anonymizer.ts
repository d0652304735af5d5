import type { Observations } from '../../evidence/observations.ts';
import { withoutIpv4, withoutIpv6 } from './addresses.ts';
import { withoutIds } from './ids.ts';
import { type Learn, learnNames, type Named, workloadOf } from './learn-names.ts';

/** Puts other names, ids and addresses in the place of those that belong to somebody. */
export interface Anonymizer {
  readonly text: (text: string) => string;
  readonly value: <T>(value: T) => T;
  /** How many names it knows, by what they are of. */
  readonly learned: () => ReadonlyMap<Named, number>;
}

/** A word that names consist of; what stands between them is never part of one. */
const TOKEN = /[A-Za-z0-9][\w.+-]*/g;
const NAME_LEAST = 2;

/**
 * @param seen evidence whose names are hidden
 * @param known words that programs print themselves, in small letters: in a name they say what it
 *   is of, and whoever reads them knows nothing of a user
 */
export function createAnonymizer(
  seen: readonly Observations[],
  known: ReadonlySet<string>,
): Anonymizer {
  const names = new Map<string, string>();
  const counts = new Map<Named, number>();
  const otherWord = createWords(known);
  const learn: Learn = (name, of) => {
    const key = (name ?? '').toLowerCase();
    if (key.length < NAME_LEAST || names.has(key) || known.has(key) || FORMED.test(key)) return;
    const count = (counts.get(of) ?? 0) + 1;
    const other = of === 'domain' ? domainName(key, count) : otherWord(name ?? '');
    if (other === name) return;
    counts.set(of, count);
    names.set(key, other);
  };
  for (const observations of seen) learnNames(observations, learn);
  const text = (given: string): string => {
    const named = given.replace(TOKEN, (token) => otherToken(token, names));
    return withoutIpv6(withoutIpv4(withoutIds(named)));
  };
  return {
    text,
    value: (given) => changed(given, text) as typeof given,
    learned: () => counts,
  };
}

/** A value of objects, lists and texts, all texts and names of fields changed. */
function changed(value: unknown, text: Anonymizer['text']): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item: unknown) => changed(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [text(key), changed(entry, text)]),
  );
}

/** The words of a name: `KarpenterNodeRole-orders` and `AmazonEKSNodeRole` have four. */
const WORD = /[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])/g;

/** Words that whoever knows AWS and Kubernetes knows: they say nothing of a user. */
const PUBLIC = new Set(
  `admin al2 al2023 amazon arm64 auto autoscaler aws balancer balancing bottlerocket calico cilium
  cluster control core coredns csi default ebs ebscsi ec2 edit efs efscsi eks k8s karpenter kiam kube
  kube2iam kubernetes localhost master minimal monitoring neuron nidhogg nodegroup nvidia plane
  scaling ssm standard system termination view worker x86`.split(/\s+/),
);

/** Changes the words of names that nobody knows, each always into the same one. */
function createWords(known: ReadonlySet<string>): (name: string) => string {
  const words = new Map<string, string>();
  const other = (word: string): string => {
    const key = word.toLowerCase();
    if (known.has(key) || PUBLIC.has(key) || /^v?\d+$/.test(key)) return word;
    const made = words.get(key) ?? `x${words.size + 1}`;
    words.set(key, made);
    return made;
  };
  return (name) => name.replace(WORD, other);
}

/** Labels of EC2's own domains. */
const OF_EC2 = /^(?:[a-z]{2}(?:-[a-z]+)+-\d|compute|internal|ec2|amazonaws|com|cn)/;

/** Of a domain as many labels, so that its depth says what it said, and what is EC2's in it. */
function domainName(domain: string, count: number): string {
  const labels = domain.split('.').map((label, index) => {
    const kept = OF_EC2.exec(label)?.[0] ?? '';
    return kept === label ? label : `${kept}d${index}-x${count}`;
  });
  return labels.join('.');
}

/** Ids and names of addresses are changed by their form. */
const FORMED = /^(?:\d+$|(?:.*-)?ip-\d|[a-z-]{1,12}-[0-9a-f]{8,17}$|.*@)/;

/** A word without the signs with which a sentence goes on behind it. */
function withoutEnd(token: string): string {
  let end = token.length;
  while (end > 0 && '.:-'.includes(token[end - 1] ?? ' ')) end--;
  return token.slice(0, end);
}

function otherToken(token: string, names: ReadonlyMap<string, string>): string {
  const plain = withoutEnd(token);
  const tail = token.slice(plain.length);
  const other = otherName(plain, names);
  return other === null ? token : cased(other, plain) + tail;
}

function otherName(name: string, names: ReadonlyMap<string, string>): string | null {
  const key = name.toLowerCase();
  const whole = names.get(key);
  if (whole !== undefined) return whole;
  if (key.includes('.')) return otherHost(key, names);
  const base = workloadOf(key);
  const other = base === key ? undefined : names.get(base);
  return other === undefined ? null : `${other}${key.slice(base.length)}`;
}

/** No name of DNS is longer. */
const DOMAIN_CHARACTERS_MAX = 253;

/** A host and its domain, or a domain below one that is known. */
function otherHost(name: string, names: ReadonlyMap<string, string>): string | null {
  const first = Math.max(0, name.length - DOMAIN_CHARACTERS_MAX - 1);
  for (let dot = name.indexOf('.', first); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const domain = names.get(name.slice(dot + 1));
    if (domain === undefined) continue;
    const labels = name.slice(0, dot).split('.');
    return [...labels.map((label) => names.get(label) ?? label), domain].join('.');
  }
  const host = name.slice(0, name.indexOf('.'));
  const other = names.get(host);
  return other === undefined ? null : `${other}${name.slice(host.length)}`;
}

/** A name with capitals stays one: some programs refuse them. */
function cased(other: string, name: string): string {
  return /[A-Z]/.test(name) && name === name.toUpperCase() ? other.toUpperCase() : other;
}
