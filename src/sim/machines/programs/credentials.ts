import { listAt, textAt, textsAt } from '../../../evidence/json.ts';
import type { MetadataAnswer } from '../network/metadata.ts';
import type { ProgramRun } from './program.ts';

/** How a pod was meant to come by its role. */
export interface WantedRole {
  readonly role: string;
  readonly way: 'metadata' | 'web-identity' | 'container' | 'not-injected';
}

/** The role of a pod, by its annotation, by what a webhook put into it, or by its account. */
export function wantedRole({ container, neighbours, pod }: ProgramRun): WantedRole | null {
  const object = pod.object();
  const annotated = annotationOf(object, 'iam.amazonaws.com/role');
  if (annotated !== null) return { role: annotated, way: 'metadata' };
  const environment = (name: string): string | null =>
    textAt(
      listAt(container, 'env').find((one) => textAt(one, 'name') === name),
      'value',
    );
  const arn = environment('AWS_ROLE_ARN');
  if (arn !== null) return { role: arn, way: 'web-identity' };
  if (environment('AWS_CONTAINER_CREDENTIALS_FULL_URI') !== null)
    return { role: 'pod identity association', way: 'container' };
  const namespace = pod.key.slice(0, pod.key.indexOf('/'));
  const account = textAt(object, 'spec.serviceAccountName') ?? 'default';
  const ofAccount = neighbours.annotation(
    'ServiceAccount',
    `${namespace}/${account}`,
    'eks.amazonaws.com/role-arn',
  );
  return ofAccount === null ? null : { role: ofAccount, way: 'not-injected' };
}

export function annotationOf(object: Parameters<typeof textsAt>[0], key: string): string | null {
  return textsAt(object, 'metadata.annotations')[key] ?? null;
}

/** Sessions of STS for pods live an hour (IRSA and Pod Identity as their SDKs ask for them). */
const SESSION_MS = 3_600_000;

/** What the pod's SDK gets when it asks for credentials now. */
export function askCredentials(run: ProgramRun, { way }: WantedRole): MetadataAnswer {
  const { metadata, network, pod } = run;
  if (way === 'web-identity') {
    if (network.isLost('aws-api'))
      return {
        ok: false,
        error:
          'RequestError: send request failed caused by: Post "https://sts.amazonaws.com/": dial tcp: i/o timeout',
        tookMs: 5000,
      };
    return { ok: true, identity: 'own-role', tookMs: 120, lifetimeMs: SESSION_MS };
  }
  if (way === 'container') return fromContainerAgent(run);
  return metadata.ask({
    pod: pod.key,
    podUid: pod.uid,
    address: pod.address(),
    isHostNetwork: pod.isHostNetwork,
  });
}

/** The SDK asks the agent of the node and, when that refuses, nobody else. */
function fromContainerAgent({ host, network, neighbours, nodeName }: ProgramRun): MetadataAnswer {
  if (!neighbours.runsOn('pod-identity-agent', nodeName))
    return {
      ok: false,
      error: 'dial tcp 169.254.170.23:80: connect: connection refused',
      tookMs: 2,
    };
  if (host.faults.has('agent-idle'))
    return { ok: false, error: 'dial tcp 169.254.170.23:80: i/o timeout', tookMs: 1000 };
  if (network.isLost('aws-api'))
    return { ok: false, error: 'EKS Auth: context deadline exceeded', tookMs: 1000 };
  return { ok: true, identity: 'own-role', tookMs: 60, lifetimeMs: 6 * SESSION_MS };
}
