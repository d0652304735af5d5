import {
  type IdentityAnswer,
  type IdentityWay,
  judgeIdentity,
} from '../../domain/pods/identity.ts';
import { type Json, textAt } from '../../evidence/json.ts';
import type { HostReply } from '../../ports/host.ts';
import type { NodeProbe } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import { currentState, type MachineView, nodeRoleOf } from './metadata.ts';
import { askMetadata, askToken, ROLES_PATH, roleIn } from './metadata-client.ts';
import { type ProbeTimes, type ProbeTools, proofOf, settled } from './probe.ts';
import { assumeByToken, callerIdentity, errorCodeIn, roleInAnswer } from './sts.ts';

/** What the webhook of a cluster puts into a pod; null where it did not. */
export interface InjectedIdentity {
  readonly region: string | null;
  readonly roleArn: string | null;
  readonly webTokenFile: string | null;
  readonly credentialsUri: string | null;
  readonly credentialsTokenFile: string | null;
}

export interface IdentityCanary {
  readonly way: IdentityWay;
  /** The canary's role; null when a refusal is what proves the way. */
  readonly role: string | null;
  /** The machine's role where it is known beforehand. */
  readonly nodeRole: string | null;
  readonly injected: InjectedIdentity;
}

const TOKEN_BYTES_MAX = 16 * 1024;
const REPLY_LIMITS = { timeoutMs: 3_000, bytesMax: 64 * 1024 };

function failed(reason: string, why: string): IdentityAnswer {
  return { kind: 'failed', reason, why };
}

/** Whether a pod gets its own AWS identity and not the machine's. */
export function identityProbe(
  tools: ProbeTools,
  view: MachineView,
  canary: IdentityCanary,
  times: ProbeTimes,
): NodeProbe {
  return proofOf('PodIdentityWorks', times, async () => {
    const { way, role } = canary;
    const startMs = tools.clock.monotonicMs();
    const answer = await settled(ASKED[way](tools, canary.injected));
    const tookMs = tools.clock.monotonicMs() - startMs;
    const nodeRole = nodeRoleOf(canary.nodeRole, await currentState(tools, view));
    const given = answer instanceof PortError ? failed('NoAnswer', answer.message) : answer;
    return judgeIdentity(given, { way, role, nodeRole }, tookMs);
  });
}

type Asking = (tools: ProbeTools, injected: InjectedIdentity) => Promise<IdentityAnswer>;

const ASKED: Readonly<Record<IdentityWay, Asking>> = {
  kiam: askRedirected,
  kube2iam: askRedirected,
  irsa: askByWebToken,
  'pod-identity': askPodIdentity,
};

/** As the SDKs ask instance metadata, which an agent answers in its place. */
async function askRedirected({ host }: ProbeTools): Promise<IdentityAnswer> {
  const { token } = await askToken(host);
  const names = await askMetadata(host, ROLES_PATH, token);
  if (names === null) return failed('NoAnswer', '169.254.169.254 does not answer.');
  const role = roleIn(names);
  if (role === null) return refusedRole(names, (await identityDocumentStatus(host, token)) === 200);
  const given = await askMetadata(host, `${ROLES_PATH}${role}`, token);
  if (given === null || !hasKeys(bodyOf(given)))
    return failed('NoCredentials', `The role ${role} is named, but gives no credentials.`);
  return { kind: 'role', role, session: null };
}

/** kiam refuses this path and instance metadata does not. */
async function identityDocumentStatus(
  host: ProbeTools['host'],
  token: string | null,
): Promise<number | null> {
  const reply = await askMetadata(host, 'dynamic/instance-identity/document', token);
  return reply?.status ?? null;
}

function refusedRole({ status, body }: HostReply, isMetadata: boolean): IdentityAnswer {
  // kube2iam passes every other path on, and says why it refuses in words of its own.
  const isAgents = !isMetadata || /unable to find role/i.test(body);
  if (status === 404 && isAgents)
    return { kind: 'refused', why: 'it has no role for this pod (status 404).' };
  if (status === 403 && isAgents)
    return { kind: 'refused', why: 'the role is not permitted here (status 403).' };
  return failed('NotRedirected', `Instance metadata itself answers, with status ${status}.`);
}

function bodyOf({ status, body }: HostReply): Json {
  if (status !== 200) return null;
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

/** Whether credentials came; they are looked at nowhere else. */
function hasKeys(body: Json): boolean {
  return textAt(body, 'AccessKeyId') !== null && textAt(body, 'SecretAccessKey') !== null;
}

const NOT_INJECTED =
  'Nothing was injected into this pod, so that the SDKs fall back to the node: it is older than its association, or the webhook missed it.';

async function askByWebToken(
  { host }: ProbeTools,
  { region, roleArn, webTokenFile }: InjectedIdentity,
): Promise<IdentityAnswer> {
  if (roleArn === null || webTokenFile === null || region === null)
    return failed('NotInjected', NOT_INJECTED);
  const token = new TextDecoder().decode(await host.readFile(webTokenFile, TOKEN_BYTES_MAX)).trim();
  const reply = await assumeByToken(host, { region, roleArn, token });
  if (reply.status === 200) return assumedIn(reply);
  return stsRefusal(reply);
}

function assumedIn({ body }: HostReply): IdentityAnswer {
  const assumed = roleInAnswer(body);
  if (assumed === null) return failed('UnclearAnswer', 'STS named no role.');
  return { kind: 'role', ...assumed };
}

function stsRefusal({ status, body }: HostReply): IdentityAnswer {
  const code = errorCodeIn(body) ?? `status ${status}`;
  if (code === 'AccessDenied')
    return { kind: 'refused', why: 'STS refuses the role to this service account (AccessDenied).' };
  return failed('StsError', `STS answered ${code}.`);
}

async function askPodIdentity(
  { host, clock }: ProbeTools,
  { region, credentialsUri, credentialsTokenFile }: InjectedIdentity,
): Promise<IdentityAnswer> {
  if (credentialsUri === null || credentialsTokenFile === null || region === null)
    return failed('NotInjected', NOT_INJECTED);
  const bytes = await host.readFile(credentialsTokenFile, TOKEN_BYTES_MAX);
  const authorization = new TextDecoder().decode(bytes).trim();
  const reply = await host.request({
    url: credentialsUri,
    headers: { authorization },
    ...REPLY_LIMITS,
  });
  const body = bodyOf(reply);
  if (!hasKeys(body)) return agentRefusal(reply);
  const keys = {
    accessKeyId: textAt(body, 'AccessKeyId') ?? '',
    secretAccessKey: textAt(body, 'SecretAccessKey') ?? '',
    sessionToken: textAt(body, 'Token') ?? '',
  };
  const place = { region, atMs: clock.nowMs() };
  const identity = await callerIdentity(host, place, keys);
  return identity.status === 200 ? assumedIn(identity) : stsRefusal(identity);
}

function agentRefusal({ status, body }: HostReply): IdentityAnswer {
  const isUnassociated = /ResourceNotFoundException|association/i.test(body);
  if (isUnassociated)
    return {
      kind: 'refused',
      why: `no association names this service account (status ${status}).`,
    };
  return failed('AgentError', `The Pod Identity agent answered status ${status}.`);
}
