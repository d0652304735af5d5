import type { JoinCheck, JoinCloudLook } from '../../domain/nodes/join.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { Host, HostProbed } from '../../ports/host.ts';
import { refusal } from '../host/reach.ts';

export interface JoinEndpoint {
  readonly host: string;
  readonly port: number;
}

const PROBE_MS = 5000;
/** Certificates and tokens are as exact as this; kubeadm makes its own valid from 5 min before. */
const CLOCK_MAX_MS = 60_000;

/** What has to be so before a kubelet registers for the first time. */
export async function lookAtChecks(
  host: Host,
  endpoint: JoinEndpoint | null,
  cloud: JoinCloudLook | null,
): Promise<readonly JoinCheck[]> {
  const reached = endpoint === null ? [] : await serverChecks(host, endpoint);
  const listed = cloud === null ? [] : [cloudCheck(cloud)];
  return [nameCheck(host.hostname()), ...reached, ...listed];
}

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

function nameCheck(hostname: string): JoinCheck {
  const name = hostname.toLowerCase();
  const isWell = NAME.test(name) && name.length <= 253 && !/^localhost(?:\.|$)/.test(name);
  const message = isWell
    ? `The hostname is ${name}.`
    : `The hostname ${JSON.stringify(excerptOf(hostname, 100))} cannot be the name of a Node.`;
  return { name: 'names', state: isWell ? 'passed' : 'failed', message };
}

function cloudCheck(cloud: JoinCloudLook): JoinCheck {
  if (cloud.state !== 'listed')
    return {
      name: 'cloud',
      state: cloud.state === 'absent' ? 'failed' : 'unknown',
      message: cloud.message,
    };
  const { privateDnsName } = cloud;
  if (privateDnsName === null)
    return {
      name: 'cloud',
      state: 'failed',
      message: 'EC2 lists the instance without a private DNS name.',
    };
  return {
    name: 'cloud',
    state: 'passed',
    message: `EC2 lists the instance as ${privateDnsName}.`,
  };
}

async function serverChecks(host: Host, endpoint: JoinEndpoint): Promise<readonly JoinCheck[]> {
  const isName = /[a-z]/i.test(endpoint.host) && !endpoint.host.includes(':');
  const dns = isName ? await dnsCheck(host, endpoint.host) : null;
  if (dns?.state === 'failed') return [dns];
  return [...(dns === null ? [] : [dns]), ...(await probeChecks(host, endpoint))];
}

async function dnsCheck(host: Host, name: string): Promise<JoinCheck> {
  try {
    const [address] = await host.resolve(name, PROBE_MS);
    return { name: 'dns', state: 'passed', message: `${name} is ${address}.` };
  } catch (error) {
    return { name: 'dns', state: 'failed', message: refusal(error).message };
  }
}

async function probeChecks(
  host: Host,
  { host: name, port }: JoinEndpoint,
): Promise<readonly JoinCheck[]> {
  try {
    const probe = { host: name, port, tlsServerName: name, caPem: null, timeoutMs: PROBE_MS };
    const probed = await host.probe(probe);
    const message = `The API server at ${name}:${port} answers.`;
    return [{ name: 'api-server', state: 'passed', message }, clockCheck(probed)];
  } catch (error) {
    const message = `The API server at ${name}:${port} does not answer: ${refusal(error).message}`;
    return [{ name: 'api-server', state: 'failed', message }];
  }
}

function clockCheck({ clockOffsetMs }: HostProbed): JoinCheck {
  if (clockOffsetMs === null)
    return { name: 'clock', state: 'unknown', message: 'The API server does not tell its time.' };
  const isWell = Math.abs(clockOffsetMs) <= CLOCK_MAX_MS;
  const way = clockOffsetMs > 0 ? 'behind' : 'ahead of';
  const offset = `${Math.round(Math.abs(clockOffsetMs) / 1000)} s ${way} the API server's`;
  const message = isWell ? 'The clock is right.' : `The clock is ${offset}; certificates fail.`;
  return { name: 'clock', state: isWell ? 'passed' : 'failed', message };
}
