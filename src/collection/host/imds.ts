import { excerptOf } from '../../evidence/redact.ts';
import type { Host, HostReply } from '../../ports/host.ts';
import { documentOf, type HostDocument, type HostItem, lossOf } from './document.ts';
import { refusal } from './reach.ts';

const BASE = 'http://169.254.169.254/latest';
const TIMEOUT_MS = 1000;
const BYTES_MAX = 64 * 1024;
const TAGS_MAX = 50;

/** Single values, in the order in which a person asks: which machine, which names, where. */
const VALUES: readonly string[] = [
  'meta-data/instance-id',
  'meta-data/hostname',
  'meta-data/local-hostname',
  'meta-data/local-ipv4',
  'meta-data/instance-type',
  'meta-data/instance-life-cycle',
  'meta-data/ami-id',
  'meta-data/mac',
  'meta-data/placement/region',
  'meta-data/placement/availability-zone',
  'meta-data/services/domain',
];

/** Answers that are JSON objects of their own, or user data. */
const OBJECTS: readonly (readonly [path: string, name: string])[] = [
  ['dynamic/instance-identity/document', 'imds/identity-document.json'],
  ['meta-data/iam/info', 'imds/iam-info.json'],
  ['meta-data/spot/instance-action', 'imds/spot-instance-action.json'],
];

const TAGS = 'meta-data/tags/instance';
const USER_DATA = 'user-data';

/** What instance metadata said, path by path, and why it stopped. */
export interface Imds {
  readonly answers: ReadonlyMap<string, string>;
  /** Paths that have no value (404). */
  readonly absent: ReadonlySet<string>;
  /** A sentence; null when every path was asked. */
  readonly stopped: string | null;
}

/** Asks instance metadata (version 2) one path after another; the first time-out ends it. */
export async function readImds(host: Host): Promise<Imds> {
  const answers = new Map<string, string>();
  const absent = new Set<string>();
  try {
    const token = await tokenOf(host);
    if (token.status !== 200) return { answers, absent, stopped: refusedToken(token.status) };
    const paths = [...VALUES, ...OBJECTS.map(([path]) => path), TAGS, USER_DATA];
    for (const path of paths) {
      const reply = await ask(host, path, token.body);
      if (reply.status === 200) answers.set(path, reply.body);
      else absent.add(path);
    }
    for (const tag of tagNames(answers)) {
      const reply = await ask(host, `${TAGS}/${encodeURIComponent(tag)}`, token.body);
      if (reply.status === 200) answers.set(`${TAGS}/${tag}`, reply.body);
    }
    return { answers, absent, stopped: null };
  } catch (error) {
    return { answers, absent, stopped: silence(refusal(error).message, answers.size > 0) };
  }
}

function tokenOf(host: Host): Promise<HostReply> {
  return host.request({
    url: `${BASE}/api/token`,
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '60' },
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
  });
}

function ask(host: Host, path: string, token: string): Promise<HostReply> {
  const headers = { 'x-aws-ec2-metadata-token': token };
  return host.request({
    url: `${BASE}/${path}`,
    headers,
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
  });
}

function tagNames(answers: ReadonlyMap<string, string>): readonly string[] {
  return (answers.get(TAGS) ?? '').split('\n').filter(Boolean).slice(0, TAGS_MAX);
}

function refusedToken(status: number): string {
  return status === 403
    ? 'Instance metadata at 169.254.169.254 answered 403: the endpoint is disabled for this instance, or something other than EC2 answers there.'
    : `Instance metadata at 169.254.169.254 returned no token (status ${status}).`;
}

/** A token that never arrives while the address is right is what too low a hop limit looks like. */
function silence(message: string, hasAnswers: boolean): string {
  return hasAnswers
    ? `Instance metadata stopped answering: ${message}`
    : `Instance metadata returned no token: ${message} On an EC2 instance it is blocked or disabled, or its hop limit is 1 and this is a container.`;
}

/** A single value without its ends, null when there is none. */
export function imdsValue({ answers }: Imds, path: string): string | null {
  const value = answers.get(path)?.trim() ?? '';
  return value === '' ? null : value;
}

/** The instance id that metadata gave, null when it gave none that looks like one. */
export function imdsInstanceId(imds: Imds): string | null {
  const id = imdsValue(imds, 'meta-data/instance-id') ?? '';
  return /^i-[0-9a-f]{8,17}$/.test(id) ? id : null;
}

/** The region that metadata gave, null when it gave none. */
export function imdsRegion(imds: Imds): string | null {
  const region = imdsValue(imds, 'meta-data/placement/region') ?? '';
  return /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(region) ? region : null;
}

/** User data as metadata gave it, null when there is none. */
export function imdsUserData({ answers }: Imds): HostDocument | null {
  const text = answers.get(USER_DATA) ?? '';
  if (text === '') return null;
  const marks = { source: 'user-data', holdsSecrets: true } as const;
  return documentOf(`${BASE}/${USER_DATA}`, 'cloud-init/user-data.txt', text, marks);
}

/** Everything but user data and the instance id as documents. */
export function imdsItems(imds: Imds): readonly HostItem[] {
  const items: HostItem[] = [];
  const lines = [...imds.answers]
    .filter(([path]) => VALUES.includes(path) || path.startsWith(`${TAGS}/`))
    .map(([path, value]) => `${path.replace('meta-data/', '')}: ${excerptOf(value)}`);
  if (imds.absent.has('meta-data/iam/info')) lines.push('iam/info: none (404)');
  if (lines.length > 0)
    items.push(documentOf(`${BASE}/meta-data`, 'imds/meta-data.txt', `${lines.join('\n')}\n`));
  for (const [path, name] of OBJECTS) {
    const body = imds.answers.get(path);
    if (body !== undefined) items.push(documentOf(`${BASE}/${path}`, name, `${body.trim()}\n`));
  }
  if (imds.stopped !== null) items.push(lossOf(BASE, imds.stopped));
  return items;
}
