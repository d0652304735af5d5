import { isIP } from 'node:net';
import { excerptOf } from '../../evidence/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Host, HostProbed } from '../../ports/host.ts';
import type { PortError } from '../../ports/port-error.ts';
import { documentOf, type HostItem } from './document.ts';
import type { ApiServer } from './kubeconfig.ts';
import { type Reach, refusal } from './reach.ts';

const LOOKUP_TIMEOUT_MS = 3000;
const PROBE_TIMEOUT_MS = 4000;
const LINE_LENGTH_MAX = 1000;

/** What is known about where this machine has to reach. */
export interface Destinations {
  readonly apiServer: ApiServer | null;
  readonly region: string | null;
}

/** Services that a machine cannot join without, by the first part of their names. */
const SERVICES = ['ec2', 'sts', 'api.ecr'];

/** Looks names up and connects, and tells it in lines of the journal's form. */
export async function probeItems(
  reach: Reach,
  clock: Clock,
  { apiServer, region }: Destinations,
): Promise<readonly HostItem[]> {
  const told = await Promise.all([
    ...(apiServer === null ? [] : [probeApiServer(reach, clock, apiServer)]),
    ...(region === null ? [] : SERVICES.map((service) => probeService(reach, service, region))),
  ]);
  const lines = told.flat().map((line) => journalLine(clock, reach.host, line));
  if (lines.length === 0) return [];
  return [documentOf('rollcall probes', 'rollcall/probes.log', `${lines.join('\n')}\n`)];
}

/** A line as journalctl prints it, by which its time and its machine are known. */
function journalLine(clock: Clock, host: Host, text: string): string {
  const name = host.hostname().replace(/[^\w.-]/g, '-') || 'localhost';
  // A certificate may name anything, also line breaks.
  const line = excerptOf(text, LINE_LENGTH_MAX);
  return `${new Date(clock.nowMs()).toISOString()} ${name} rollcall: ${line}`;
}

async function probeApiServer(
  reach: Reach,
  clock: Clock,
  server: ApiServer,
): Promise<readonly string[]> {
  const found = await lookUp(reach, server.name);
  if (found.address === null) return [`${server.url} of ${server.from}: ${found.said}`];
  try {
    const probed = await reach.host.probe({
      host: found.address,
      port: server.port,
      tlsServerName: server.name,
      caPem: server.caPem,
      timeoutMs: reach.timeoutMs(PROBE_TIMEOUT_MS),
    });
    return [found.said, ...tlsLines(server, probed, clock.nowMs())];
  } catch (error) {
    return [found.said, notReached(server.url, found.address, server.port, refusal(error))];
  }
}

async function probeService(
  reach: Reach,
  service: string,
  region: string,
): Promise<readonly string[]> {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const name = `${service}.${region}.${suffix}`;
  const found = await lookUp(reach, name);
  if (found.address === null) return [`https://${name}: ${found.said}`];
  try {
    const timeoutMs = reach.timeoutMs(PROBE_TIMEOUT_MS);
    const { connectMs } = await reach.host.probe({
      host: found.address,
      port: 443,
      tlsServerName: null,
      caPem: null,
      timeoutMs,
    });
    return [found.said, `https://${name}: connected in ${Math.round(connectMs)} ms`];
  } catch (error) {
    return [found.said, notReached(`https://${name}`, found.address, 443, refusal(error))];
  }
}

interface LookedUp {
  readonly said: string;
  readonly address: string | null;
}

async function lookUp(reach: Reach, name: string): Promise<LookedUp> {
  if (isIP(name) !== 0)
    return { said: `${name} is an address and needs no look-up`, address: name };
  try {
    const addresses = await reach.host.resolve(name, reach.timeoutMs(LOOKUP_TIMEOUT_MS));
    const said = `looked up ${name}: ${addresses.join(' ')}`;
    return { said, address: addresses[0] ?? null };
  } catch (error) {
    const { failure } = refusal(error);
    const why = failure === 'timeout' ? 'no resolver answered in time' : 'no such name';
    return { said: `Could not resolve host: ${name} (${why})`, address: null };
  }
}

/** The words of Go's net package, which the kubelet uses for the same. */
function notReached(url: string, address: string, port: number, error: PortError): string {
  const at = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const why = error.failure === 'timeout' ? 'i/o timeout' : `connect: ${reasonIn(error.message)}`;
  return `${url}: dial tcp ${at}: ${why}`;
}

function reasonIn(message: string): string {
  if (message.includes('refused')) return 'connection refused';
  if (message.includes('no route to host')) return 'no route to host';
  return message.includes('network is unreachable') ? 'network is unreachable' : message;
}

/** Node.js names the check of OpenSSL that failed; these are the words that people search for. */
const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  UNABLE_TO_GET_ISSUER_CERT: 'unable to get local issuer certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unable to get local issuer certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to get local issuer certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in certificate chain',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  CERT_SIGNATURE_FAILURE: 'certificate signature failure',
};

function tlsLines(server: ApiServer, probed: HostProbed, nowMs: number): readonly string[] {
  const connected = `${server.url}: connected in ${Math.round(probed.connectMs)} ms`;
  const { tls, clockOffsetMs } = probed;
  const offset =
    clockOffsetMs === null
      ? []
      : [`${server.url}: its clock minus this machine's is ${(clockOffsetMs / 1000).toFixed(1)} s`];
  if (tls === null || tls.isTrusted) return [connected, ...offset];
  const by = `the authority in ${server.from}`;
  return [connected, `${server.url}: ${distrust(tls, by, nowMs)}`, ...offset];
}

type Tls = NonNullable<HostProbed['tls']>;

function distrust(tls: Tls, by: string, nowMs: number): string {
  const now = goTime(nowMs);
  const span = 'x509: certificate has expired or is not yet valid';
  switch (tls.why) {
    case 'CERT_HAS_EXPIRED':
      return `${span}: current time ${now} is after ${goTime(Date.parse(tls.validTo))}`;
    case 'CERT_NOT_YET_VALID':
      return `${span}: current time ${now} is before ${goTime(Date.parse(tls.validFrom))}`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `x509: certificate is valid for ${tls.names.join(', ')}, not the name of the server`;
    default: {
      const words = CERTIFICATE_WORDS[tls.why ?? ''] ?? tls.why ?? 'no reason given';
      return `SSL certificate problem: ${words} (issuer ${tls.issuer}, checked with ${by})`;
    }
  }
}

/** RFC 3339 without fractions, as Go prints times. */
function goTime(ms: number): string {
  return Number.isNaN(ms) ? 'unknown' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
