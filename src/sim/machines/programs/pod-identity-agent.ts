import type { AwsAnswer } from '../../aws/contract.ts';
import type { Host } from '../host.ts';
import { secondStamp, slashedStamp } from '../logs/stamps.ts';
import type { MetadataAnswer } from '../network/metadata.ts';
import type { Program, ProgramRun } from './program.ts';
import { projectedToken } from './projected-token.ts';
import { requestId } from './web-identity.ts';

/** Sessions of EKS Auth (EKS user guide, "Understand how EKS Pod Identity works"). */
const SESSION_MS = 6 * 3_600_000;
const ANSWER_MS = 60;
/** The SDKs' time limit for one request to it. */
const SDK_TIMEOUT_MS = 1000;
const URL = 'http://169.254.170.23/v1/credentials';

type Agent = (caller: ProgramRun) => MetadataAnswer;

/** The agents that listen now, by their machine. */
const LISTENING = new WeakMap<Host, Agent>();

/** What the pod's SDK gets at 169.254.170.23; it asks nobody else when that refuses. */
export function byContainerAgent(caller: ProgramRun): MetadataAnswer {
  const { host } = caller;
  const agent = LISTENING.get(host);
  if (agent === undefined) return unanswered('connect: connection refused', 2);
  if (host.faults.has('agent-idle')) return unanswered('i/o timeout', SDK_TIMEOUT_MS);
  return agent(caller);
}

/** As the SDKs word it. */
function unanswered(why: string, tookMs: number): MetadataAnswer {
  const tried = 'exceeded maximum number of attempts, 3, : request send failed';
  const error = `${tried}, Get "${URL}": dial tcp 169.254.170.23:80: ${why}`;
  return { ok: false, error, tookMs };
}

/** The agent of EKS Pod Identity on 169.254.170.23. */
export const podIdentityAgent: Program = (run) => {
  const { host } = run;
  run.print(`${slashedStamp(host.nowMs())} Running command:`);
  for (const address of ['169.254.170.23:80', 'localhost:2703', '[fd00:ec2::23]:80'])
    note(run, { 'bind-addr': address, level: 'info', msg: 'Starting server...' });
  run.health({ isReady: false, readyMessage: 'HTTP probe failed with statuscode: 500' });
  const own: Agent = (caller) => credentialsFor(run, caller);
  run.after(600, () => {
    LISTENING.set(host, own);
    run.health({ isReady: true });
    run.metadata.changed();
  });
  return () => {
    if (LISTENING.get(host) === own) LISTENING.delete(host);
    run.metadata.changed();
  };
};

function note(run: ProgramRun, line: Readonly<Record<string, string>>): void {
  run.print(JSON.stringify({ ...line, time: secondStamp(run.host.nowMs()) }));
}

/** The agent asks EKS Auth with the role of its node (eks-pod-identity-agent, pkg/server). */
function credentialsFor(run: ProgramRun, caller: ProgramRun): MetadataAnswer {
  const token = projectedToken(caller, 'pods.eks.amazonaws.com');
  if (token === null)
    return { ok: false, error: 'no such file or directory: eks-pod-identity-token', tookMs: 1 };
  const answer = asked(run, token);
  if (answer.ok)
    return { ok: true, identity: 'own-role', tookMs: ANSWER_MS, lifetimeMs: SESSION_MS };
  const { code, message, status } = answer.refusal;
  const id = requestId(run);
  noteRefusal(run, caller, `StatusCode: ${status}, RequestID: ${id}, ${code}: ${message}`, id);
  const error = `: [${id}]: (${code}): ${message}, fault: client`;
  return { ok: false, error, tookMs: status === 0 ? SDK_TIMEOUT_MS : ANSWER_MS };
}

function noteRefusal(run: ProgramRun, caller: ProgramRun, why: string, id: string): void {
  note(run, {
    'client-addr': `${caller.pod.address()}:47118`,
    'cluster-name': run.host.settings.clusterName,
    level: 'error',
    msg: `Error fetching credentials: error getting credentials to cache: unable to fetch credentials from EKS Auth: operation error EKS Auth: AssumeRoleForPodIdentity, https response error ${why}`,
    operation: 'AssumeRoleForPodIdentity',
    'request-id': id,
    service: 'EKS Auth',
  });
}

function asked({ host, network }: ProgramRun, token: string): AwsAnswer {
  const { aws } = host.world;
  const key = host.accessKeyId();
  const identity = key === null ? null : aws.identityOf(key);
  if (network.isLost('aws-api')) return refusal('canceled', 'context deadline exceeded');
  if (identity === null) return refusal('get credentials', 'no EC2 IMDS role found');
  const input = { clusterName: host.settings.clusterName, token };
  return aws.answer(identity, { service: 'eks', operation: 'AssumeRoleForPodIdentity', input });
}

/** Of a call that was never answered. */
function refusal(code: string, message: string): AwsAnswer {
  return { ok: false, refusal: { code, message, status: 0 } };
}
