import { listAt, textAt, textsAt } from '../../../evidence/json.ts';
import type { MetadataAnswer } from '../network/metadata.ts';
import { byContainerAgent } from './pod-identity-agent.ts';
import type { ProgramRun } from './program.ts';
import { byWebIdentity } from './web-identity.ts';

/** How a pod was meant to come by its role. */
export interface WantedRole {
  readonly role: string;
  readonly way: 'metadata' | 'web-identity' | 'container' | 'not-injected';
}

/**
 * The role of a pod, by its annotation, by what a webhook put into it, or by what its people meant it
 * to have: as they told this world, or as its account says.
 */
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
  const meant = annotationOf(object, 'lab/role');
  if (environment('AWS_CONTAINER_CREDENTIALS_FULL_URI') !== null)
    return { role: meant ?? 'pod identity association', way: 'container' };
  if (meant !== null) return { role: meant, way: 'not-injected' };
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

/** What the pod's SDK gets when it asks for credentials now. */
export function askCredentials(run: ProgramRun, { role, way }: WantedRole): MetadataAnswer {
  if (way === 'web-identity') return byWebIdentity(run, role);
  if (way === 'container') return byContainerAgent(run);
  const { metadata, pod } = run;
  return metadata.ask({
    pod: pod.key,
    podUid: pod.uid,
    address: pod.address(),
    isHostNetwork: pod.isHostNetwork,
  });
}

/** What the SDK says when it has none. */
export function complaint(way: WantedRole['way'], error: string): string {
  if (way === 'container')
    return `failed to refresh cached credentials, failed to load credentials, ${error}`;
  if (way === 'web-identity')
    return error.startsWith('WebIdentityErr')
      ? error
      : `WebIdentityErr: failed to retrieve credentials\ncaused by: ${error}`;
  return `NoCredentialProviders: no valid providers in chain caused by: EC2RoleRequestError: ${error}`;
}
