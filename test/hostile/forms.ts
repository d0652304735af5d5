import { loadExamples } from '../causes/example.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readPile } from '../../src/engine/pile.ts';
import type { LineSource } from '../../src/evidence/source.ts';

const encoder = new TextEncoder();

/** A text with a line that is quoted, at whose places a secret can stand. */
export interface Quoted {
  /** The text with these words put into the line at one of its places. */
  readonly put: (words: string, place: number) => string;
}

/** An object on one line, whose condition says this. */
function conditionOf(kind: string, message: string): string {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'Failed', message }];
  return JSON.stringify({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'one' },
    status: { conditions },
  });
}

/** Lines with the prefix by which their program is known, where no cause has an example of it. */
const OWN: Readonly<Partial<Record<LineSource, string>>> = {
  'cni-plugin':
    '{"level":"error","ts":"2024-05-01T10:00:00.000Z","caller":"routed-eni-cni-plugin/cni.go:119","msg":"Error received from AddNetwork call: InsufficientFreeAddressesInSubnet in it"}',
  cilium: 'level=info msg="Pod kube-system/cilium-x7k2p is running now" subsys=daemon',
  'kiam-agent':
    '{"level":"error","msg":"error processing request: assume role forbidden by policy now","path":"/latest/meta-data/iam/security-credentials/"} kiam-agent-7x2vq',
  'kiam-server':
    'level=error msg="error processing request: assume role forbidden by policy now" pod=kiam-server-7x2vq',
  coredns:
    '[ERROR] plugin/errors: 2 sts.amazonaws.com. A: read udp 10.0.1.2:3456->10.0.0.2:53: i/o timeout now',
  kubelet:
    'Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: E0606 19:42:03.8 3214 kubelet_node_status.go:96] "Unable to register node with API server" err="Unauthorized now" node="ip-10-0-0-1.ec2.internal"',
  console: JSON.stringify({
    InstanceId: 'i-0123456789abcdef0',
    Output: 'ERROR: cluster name is not defined for it now',
  }),
  'user-data': '#!/usr/bin/env -S kubelet --register-node=false and what else is there now',
  'pod-identity-webhook':
    'amazon-eks-pod-identity-webhook E0501 10:00:00.000000 1 main.go:10] Service account default/app not found in the cache. Not mutating now',
  object: conditionOf(
    'NodeGroup',
    'You have requested more vCPU capacity than your current vCPU limit of 32 allows',
  ),
  'node-status': conditionOf(
    'Node',
    'container runtime network not ready: cni plugin not initialized for it',
  ),
  'node-claim': conditionOf(
    'NodeClaim',
    'You have requested more vCPU capacity than your current vCPU limit of 32 allows',
  ),
  'pod-status': conditionOf(
    'Pod',
    'Failed to create pod sandbox: no basic auth credentials for it',
  ),
};

function isJson(line: string): boolean {
  return line.trim().startsWith('{') && line.trim().endsWith('}');
}

/** Blanks within the line: within its strings, when the line is one JSON object. */
function placesIn(line: string): readonly number[] {
  const places: number[] = [];
  for (const match of line.matchAll(/(?<=[\w)\]:,]) (?=\S)/g)) places.push(match.index);
  return isJson(line) ? places : [...places, line.length];
}

function putInto(lines: readonly string[], at: number, place: number, words: string): string {
  const line = lines[at] ?? '';
  const written = isJson(line) ? JSON.stringify(words).slice(1, -1) : words;
  const changed = `${line.slice(0, place)} ${written}${line.slice(place)}`;
  return [...lines.slice(0, at), changed, ...lines.slice(at + 1)].join('\n');
}

/** A word that nothing takes for a secret, by which a place is known to be shown. */
const PROBE = 'quotedword';
const PLACES_MAX = 12;

/** How far the words of a line come: into a quote that causes weigh, or into the document too. */
type Reach = 'nowhere' | 'quote' | 'document';

async function reachOf(text: string, source: LineSource): Promise<Reach> {
  const chunks = [encoder.encode(text)];
  const observations = await readPile([{ locator: 'evidence.txt', container: null, chunks }]);
  const isHit = observations.hits.some(({ quotes }) =>
    quotes.some((quote) => quote.source === source && quote.excerpt.includes(PROBE)),
  );
  if (!isHit) return 'nowhere';
  const document = JSON.stringify(await diagnoseObservations(observations));
  return document.includes(PROBE) ? 'document' : 'quote';
}

async function quotedAt(
  { text, at }: Candidate,
  source: LineSource,
  wanted: readonly Reach[],
): Promise<Quoted | null> {
  const lines = text.split('\n');
  const all = placesIn(lines[at] ?? '');
  const step = Math.max(1, Math.floor(all.length / PLACES_MAX));
  const places: number[] = [];
  for (const place of all.filter((_, index) => index % step === 0 || index === all.length - 1)) {
    if (wanted.includes(await reachOf(putInto(lines, at, place, PROBE), source)))
      places.push(place);
  }
  if (places.length === 0) return null;
  const put = (words: string, place: number): string =>
    putInto(lines, at, places[place % places.length] ?? 0, words);
  return { put };
}

interface Candidate {
  readonly text: string;
  /** Index of the line. */
  readonly at: number;
}

/** Lines of one text that an expression matched, by the program that printed them. */
async function matchedLines(text: string): Promise<readonly (readonly [LineSource, Candidate])[]> {
  const chunks = [encoder.encode(text)];
  const { hits } = await readPile([{ locator: 'x', container: null, chunks }]);
  return hits
    .map(({ first }) => first)
    .map(({ source, locator }) => [source, { text, at: Number(locator.split(':').at(-1)) - 1 }]);
}

function exampleTexts(): readonly string[] {
  return loadExamples()
    .filter(({ expect }) => expect === 'found')
    .flatMap(({ files }) => files.map(({ text }) => text));
}

/** Attempts per program, so that one whose lines are never printed does not cost every example. */
const ATTEMPTS_MAX = 8;

/** For every program that a reader can recognise, a text of it that is quoted. */
export async function quotedBySource(
  sources: readonly LineSource[],
): Promise<ReadonlyMap<LineSource, Quoted>> {
  const quoted = new Map<LineSource, Quoted>();
  const attempts = new Map<LineSource, number>(sources.map((source) => [source, 0]));
  const attempt = async (source: LineSource, line: Candidate, wanted: Reach[]): Promise<void> => {
    const count = attempts.get(source);
    if (quoted.has(source) || count === undefined || count >= ATTEMPTS_MAX || line.at < 0) return;
    attempts.set(source, count + 1);
    const one = await quotedAt(line, source, wanted);
    if (one !== null) quoted.set(source, one);
  };
  for (const source of sources) {
    const text = OWN[source];
    if (text !== undefined) await attempt(source, { text, at: 0 }, ['document', 'quote']);
  }
  for (const text of exampleTexts()) {
    if (quoted.size === sources.length) break;
    for (const [source, line] of await matchedLines(text))
      await attempt(source, line, ['document']);
  }
  return quoted;
}
