/** The instance metadata service: what one machine is told about itself at 169.254.169.254. */
import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { type Account, isoMoment } from './account.ts';
import { interfacesOf } from './ec2/interfaces.ts';
import { instanceDnsName, subnetIn } from './ec2/show.ts';
import { assumeRole } from './iam/credentials.ts';
import { nameOf, roleArnOf } from './iam/roles.ts';
import type { Instance, Keys, MetadataFault } from './state.ts';

export interface MetadataRequest {
  readonly method: 'GET' | 'PUT';
  /** `/latest/meta-data/instance-id` */
  readonly path: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many routers are between, 0 for a process of the machine and 1 for a pod behind a veth. */
  readonly hops: number;
}

export interface MetadataAnswer {
  readonly status: number;
  readonly body: string;
}

export interface MetadataService {
  /** null when nothing comes back at all, and the caller waits until it gives up. */
  answer(instanceId: string, request: MetadataRequest): MetadataAnswer | null;
}

/** A token is valid for six hours at most (EC2 user guide, "Use IMDSv2"). */
const TOKEN_MAX_S = 21_600;
/** New keys are there five minutes before the old ones end; ours are made anew every hour. */
const RENEWAL_MS = 3_600_000;

interface Service {
  readonly account: Account;
  /** When tokens end, ms, by instance and token. */
  readonly tokens: Map<string, number>;
  readonly keys: Map<string, { readonly keys: Keys; readonly madeMs: number }>;
}

export function metadataService(account: Account): MetadataService {
  const service: Service = { account, tokens: new Map(), keys: new Map() };
  return {
    answer: (instanceId, request) => {
      const instance = account.instances.get(instanceId);
      const fault = faultOf(account, instanceId);
      if (fault === 'silent') return null;
      if (fault === 'unavailable') return { status: 503, body: '' };
      if (instance === undefined || instance.metadataOptions.httpEndpoint === 'disabled')
        return { status: 403, body: '' };
      return answer(service, instance, request);
    },
  };
}

function faultOf(account: Account, instanceId: string): MetadataFault['kind'] | null {
  const fault = account.metadataFaults.get(instanceId);
  return fault !== undefined && fault.untilMs > account.kernel.nowMs() ? fault.kind : null;
}

function answer(
  service: Service,
  instance: Instance,
  request: MetadataRequest,
): MetadataAnswer | null {
  if (request.method === 'PUT') return newToken(service, instance, request);
  if (!isTokenGood(service, instance, request.headers['x-aws-ec2-metadata-token']))
    return { status: 401, body: '' };
  const path = request.path.replace(/^\/(?:latest|\d{4}-\d\d-\d\d)\//, '');
  const body = bodyOf(service, instance, path);
  return body === null ? { status: 404, body: '' } : { status: 200, body };
}

/** Only the answer to this request is limited in its hops (EC2 user guide, metadata options). */
function newToken(
  { account, tokens }: Service,
  { instanceId, metadataOptions }: Instance,
  { path, headers, hops }: MetadataRequest,
): MetadataAnswer | null {
  if (path !== '/latest/api/token') return { status: 405, body: '' };
  const seconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > TOKEN_MAX_S)
    return { status: 400, body: '' };
  if (hops >= metadataOptions.httpPutResponseHopLimit) return null;
  const token = `${account.ids.secret(54)}==`;
  if (tokens.size >= TOKENS_MAX) dropExpired(tokens, account.kernel.nowMs());
  tokens.set(`${instanceId} ${token}`, account.kernel.nowMs() + seconds * 1000);
  return { status: 200, body: token };
}

/** So many tokens are kept until those that are over are looked for. */
const TOKENS_MAX = 4096;

function dropExpired(tokens: Map<string, number>, nowMs: number): void {
  for (const [token, untilMs] of tokens) if (untilMs <= nowMs) tokens.delete(token);
}

function isTokenGood(
  { account, tokens }: Service,
  { instanceId, metadataOptions }: Instance,
  token: string | undefined,
): boolean {
  if (token === undefined) return metadataOptions.httpTokens === 'optional';
  return (tokens.get(`${instanceId} ${token}`) ?? 0) > account.kernel.nowMs();
}

function bodyOf(service: Service, instance: Instance, path: string): string | null {
  if (path === 'user-data') return instance.userData === '' ? null : instance.userData;
  if (path === 'dynamic/instance-identity/document') return identityDocument(service, instance);
  if (!path.startsWith('meta-data/')) return null;
  const name = path.slice('meta-data/'.length).replace(/\/$/, '');
  if (name.startsWith('iam/')) return iamBody(service, instance, name.slice('iam/'.length));
  if (name.startsWith('network/interfaces/macs'))
    return networkBody(service, instance, name.slice('network/interfaces/macs'.length));
  if (name.startsWith('tags/instance')) return tagBody(service, instance, name);
  return plainBody(service, instance)[name] ?? null;
}

/** `ip-10-0-1-2.corp.example`: the host by EC2, the domain by the DHCP options of the VPC. */
export function localHostname(account: Account, instance: Instance): string {
  const { subnetId, instanceId, hostnameType } = instance;
  const address = interfacesOf(account, instanceId)[0]?.addresses[0] ?? '';
  const host = hostnameType === 'resource-name' ? instanceId : `ip-${address.replaceAll('.', '-')}`;
  const vpc = account.plain.vpc.get(subnetIn(account, subnetId).vpcId);
  const options = account.plain['dhcp-options'].get(textAt(vpc, 'DhcpOptionsId') ?? '');
  const domains = listAt(options, 'DhcpConfigurations')
    .filter((one) => textAt(one, 'Key') === 'domain-name')
    .flatMap((one) => listAt(one, 'Values'))
    .map((one) => textAt(one, 'Value') ?? '');
  return domains.length === 0 ? host : `${host}.${domains.join(' ')}`;
}

function plainBody(
  { account }: Service,
  instance: Instance,
): Readonly<Record<string, string | null>> {
  const { instanceId } = instance;
  const { zone } = subnetIn(account, instance.subnetId);
  const [primary] = interfacesOf(account, instanceId);
  const hostname = localHostname(account, instance);
  const endMs = account.notices.get(instanceId);
  const time = endMs === undefined ? null : `${isoMoment(endMs).slice(0, 19)}Z`;
  return {
    'ami-id': instance.imageId,
    'instance-id': instanceId,
    'instance-life-cycle': instance.spotRequestId === null ? 'on-demand' : 'spot',
    'instance-type': instance.instanceType,
    hostname,
    'local-hostname': hostname,
    'local-ipv4': primary?.addresses[0] ?? '',
    'public-ipv4': primary?.publicIp ?? null,
    mac: primary?.macAddress ?? '',
    'placement/availability-zone': zone.name,
    'placement/availability-zone-id': zone.id,
    'placement/region': account.region,
    'services/domain': 'amazonaws.com',
    'services/partition': account.partition,
    'spot/instance-action': time === null ? null : JSON.stringify({ action: 'terminate', time }),
    'spot/termination-time': time,
  };
}

function identityDocument({ account }: Service, instance: Instance): string {
  const { zone } = subnetIn(account, instance.subnetId);
  const document: JsonObject = {
    accountId: account.accountId,
    architecture: 'x86_64',
    availabilityZone: zone.name,
    imageId: instance.imageId,
    instanceId: instance.instanceId,
    instanceType: instance.instanceType,
    pendingTime: `${isoMoment(instance.launchedMs).slice(0, 19)}Z`,
    privateIp: interfacesOf(account, instance.instanceId)[0]?.addresses[0] ?? '',
    region: account.region,
    version: '2017-09-30',
  };
  return JSON.stringify(document, null, 2);
}

function iamBody(service: Service, instance: Instance, name: string): string | null {
  const { account } = service;
  const { profileArn } = instance;
  const roleArn = roleArnOf(account, profileArn);
  const isFaulty = faultOf(account, instance.instanceId) === 'no-credentials';
  if (profileArn === null || roleArn === null || isFaulty) return null;
  const roleName = nameOf(roleArn);
  if (name === 'security-credentials') return roleName;
  if (name === `security-credentials/${roleName}`) return keysBody(service, instance, roleArn);
  if (name !== 'info') return null;
  const profile = account.plain['instance-profile'].get(nameOf(profileArn));
  const InstanceProfileId = textAt(profile, 'InstanceProfileId') ?? '';
  const LastUpdated = isoMoment(instance.launchedMs);
  const found = { Code: 'Success', LastUpdated, InstanceProfileArn: profileArn, InstanceProfileId };
  return JSON.stringify(found, null, 2);
}

/** The session of an instance profile is named after the instance. */
function keysBody({ account, keys }: Service, { instanceId }: Instance, roleArn: string): string {
  const nowMs = account.kernel.nowMs();
  const known = keys.get(`${instanceId} ${roleArn}`);
  const isFresh = known !== undefined && nowMs - known.madeMs < RENEWAL_MS;
  const made = isFresh ? known : { keys: assumeRole(account, roleArn, instanceId), madeMs: nowMs };
  keys.set(`${instanceId} ${roleArn}`, made);
  const body = {
    Code: 'Success',
    LastUpdated: isoMoment(made.madeMs),
    Type: 'AWS-HMAC',
    AccessKeyId: made.keys.accessKeyId,
    SecretAccessKey: made.keys.secretAccessKey,
    Token: made.keys.sessionToken,
    Expiration: isoMoment(made.keys.expiresMs),
  };
  return JSON.stringify(body, null, 2);
}

/** `/<mac>/subnet-id` and its like; the list of addresses of cards without more. */
function networkBody({ account }: Service, instance: Instance, rest: string): string | null {
  const interfaces = interfacesOf(account, instance.instanceId);
  if (rest === '') return interfaces.map(({ macAddress }) => `${macAddress}/`).join('\n');
  const [, mac = '', ...names] = rest.split('/');
  const one = interfaces.find(({ macAddress }) => macAddress === mac);
  if (one === undefined) return null;
  const subnet = subnetIn(account, one.subnetId);
  const vpc = account.plain.vpc.get(subnet.vpcId);
  const members: Readonly<Record<string, string>> = {
    'device-number': String(one.attachment?.deviceIndex ?? 0),
    'interface-id': one.networkInterfaceId,
    'ipv4-prefix': one.prefixes.join('\n'),
    'local-hostname': instanceDnsName(account, instance, one.addresses[0] ?? ''),
    'local-ipv4s': one.addresses.join('\n'),
    mac,
    'owner-id': account.accountId,
    'security-group-ids': one.groupIds.join('\n'),
    'subnet-id': one.subnetId,
    'subnet-ipv4-cidr-block': subnet.cidr,
    'vpc-id': subnet.vpcId,
    'vpc-ipv4-cidr-block': textAt(vpc, 'CidrBlock') ?? '',
    'vpc-ipv4-cidr-blocks': textAt(vpc, 'CidrBlock') ?? '',
  };
  const name = names.join('/');
  return name === '' ? Object.keys(members).join('\n') : (members[name] ?? null);
}

function tagBody({ account }: Service, instance: Instance, name: string): string | null {
  if (instance.metadataOptions.instanceMetadataTags !== 'enabled') return null;
  const tags = account.tags.get(instance.instanceId) ?? {};
  const key = name.slice('tags/instance'.length).replace(/^\//, '');
  return key === '' ? Object.keys(tags).join('\n') : (tags[key] ?? null);
}
