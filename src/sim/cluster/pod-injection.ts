import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';

/** What a pod is given so that its SDK comes by a role. */
export interface Injection {
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly volume: string;
  /** Where the volume is mounted. */
  readonly path: string;
  /** Name of the file in it. */
  readonly file: string;
  readonly audience: string;
}

/** `--token-expiration` of the webhook, and what accounts say nothing about (pkg/annotations.go). */
const EXPIRATION_SECONDS = 86_400;

const IRSA_PATH = '/var/run/secrets/eks.amazonaws.com/serviceaccount';
const CONTAINER_PATH = '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount';
const CONTAINER_FILE = 'eks-pod-identity-token';

function regional(region: string): Injection['environment'] {
  return [
    ['AWS_STS_REGIONAL_ENDPOINTS', 'regional'],
    ['AWS_DEFAULT_REGION', region],
    ['AWS_REGION', region],
  ];
}

/** For an account that is annotated with a role (amazon-eks-pod-identity-webhook, pkg/handler). */
export function roleInjection(roleArn: string, region: string): Injection {
  return {
    environment: [
      ...regional(region),
      ['AWS_ROLE_ARN', roleArn],
      ['AWS_WEB_IDENTITY_TOKEN_FILE', `${IRSA_PATH}/token`],
    ],
    volume: 'aws-iam-token',
    path: IRSA_PATH,
    file: 'token',
    audience: 'sts.amazonaws.com',
  };
}

/** For an account that EKS associates with a role (the same, pkg/containercredentials). */
export function agentInjection(region: string): Injection {
  return {
    environment: [
      ...regional(region),
      ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'http://169.254.170.23/v1/credentials'],
      ['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', `${CONTAINER_PATH}/${CONTAINER_FILE}`],
    ],
    volume: 'eks-pod-identity-token',
    path: CONTAINER_PATH,
    file: CONTAINER_FILE,
    audience: 'pods.eks.amazonaws.com',
  };
}

/** The pod with it; variables that a container has already stay as they are. */
export function injected(pod: KubeObject, injection: Injection): KubeObject {
  const spec = isObject(pod['spec']) ? pod['spec'] : {};
  const { volume: name, file: path, audience } = injection;
  const token = { audience, expirationSeconds: EXPIRATION_SECONDS, path };
  const projected = { defaultMode: 420, sources: [{ serviceAccountToken: token }] };
  const init = listAt(spec, 'initContainers').map((one) => withToken(one, injection));
  const others = listAt(spec, 'volumes').filter((one) => textAt(one, 'name') !== name);
  return {
    ...pod,
    spec: {
      ...spec,
      ...(init.length === 0 ? {} : { initContainers: init }),
      containers: listAt(spec, 'containers').map((one) => withToken(one, injection)),
      volumes: [{ name, projected }, ...others],
    },
  };
}

function withToken(container: Json, { environment, volume, path }: Injection): Json {
  if (!isObject(container)) return container;
  const own = listAt(container, 'env');
  const known = new Set(own.map((one) => textAt(one, 'name')));
  const added: readonly JsonObject[] = environment
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => ({ name, value }));
  const mounts = listAt(container, 'volumeMounts').filter((one) => textAt(one, 'name') !== volume);
  const mount = { name: volume, readOnly: true, mountPath: path };
  return { ...container, env: [...own, ...added], volumeMounts: [...mounts, mount] };
}
