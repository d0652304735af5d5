import type { FreshAnswer } from '../../domain/network/metadata-guard.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Host, HostReply } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';

const BASE = 'http://169.254.169.254/latest';
export const ROLES_PATH = 'meta-data/iam/security-credentials/';
/** As long as the SDKs wait. */
const TIMEOUT_MS = 1_000;
const BYTES_MAX = 64 * 1024;
const ROLE = /^[\w+=,.@-]{1,64}$/;

/** A token and what answered the request for it. */
export interface MetadataToken {
  /** null when nothing answered. */
  readonly status: number | null;
  readonly token: string | null;
}

/** The reply, or null when nothing answered. @throws PortError for what the machine refuses */
async function answered(asking: Promise<HostReply>): Promise<HostReply | null> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'timeout' || error.failure === 'unreachable') return null;
    throw error;
  }
}

/** Asks for a token on a connection of its own. */
export async function askToken(host: Host): Promise<MetadataToken> {
  const asking = host.request({
    url: `${BASE}/api/token`,
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '60' },
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
  });
  const reply = await answered(asking);
  const token = reply?.status === 200 ? reply.body.trim() : null;
  // Only what a header can carry.
  return {
    status: reply?.status ?? null,
    token: /^[!-~]{1,512}$/.test(token ?? '') ? token : null,
  };
}

/** Asks for one path on a connection of its own; null when nothing answered. */
export async function askMetadata(
  host: Host,
  path: string,
  token: string | null,
): Promise<HostReply | null> {
  const headers = token === null ? {} : { 'x-aws-ec2-metadata-token': token };
  const request = { url: `${BASE}/${path}`, headers, timeoutMs: TIMEOUT_MS, bytesMax: BYTES_MAX };
  return answered(host.request(request));
}

/** The name of a role in an answer to `ROLES_PATH`; null for none. */
export function roleIn(reply: HostReply | null): string | null {
  if (reply?.status !== 200) return null;
  const [first = ''] = reply.body.trim().split('\n', 1);
  return ROLE.test(first) ? first : null;
}

/** What a new connection to instance metadata gives a pod. */
export async function askFresh(host: Host, clock: Clock): Promise<FreshAnswer> {
  const startMs = clock.monotonicMs();
  const { status, token } = await askToken(host);
  const reply = await askMetadata(host, ROLES_PATH, token);
  return {
    tokenStatus: status,
    roleStatus: reply?.status ?? null,
    role: roleIn(reply),
    tookMs: clock.monotonicMs() - startMs,
  };
}
