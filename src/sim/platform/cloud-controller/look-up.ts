import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { AwsCloud, AwsIdentity, AwsRefusal } from '../../aws/contract.ts';
import type { Dialect } from './dialect.ts';

/** What EC2 says about a Node. */
export type LookUp =
  | { readonly kind: 'found'; readonly instance: JsonObject }
  /** `wasGone`: EC2 was asked for this id; otherwise nothing has this name. */
  | { readonly kind: 'not-found'; readonly by: 'id' | 'name'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string; readonly isThrottled: boolean };

export interface NodeName {
  readonly name: string;
  readonly providerId: string;
}

export interface Cloud {
  readonly aws: AwsCloud;
  readonly identity: AwsIdentity;
  readonly clusterName: string;
  readonly dialect: Dialect;
  /** Of requests, as errors name them. */
  requestId(): string;
}

/** States of instances that count when a name is looked up (aliveFilter of cloud-provider-aws). */
const ALIVE = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];
const INSTANCE_ID = /^(?:aws:\/\/\/?[a-z0-9-]*\/)?(?<id>i-[0-9a-f]{8,17})$/;

/** By the id in its providerID, or in a name of the resource-based kind, else by private DNS name. */
export function lookUp(cloud: Cloud, node: NodeName): LookUp {
  const id = instanceIdOf(node);
  return id === null ? byName(cloud, node.name) : byId(cloud, id);
}

export function instanceIdOf({ name, providerId }: NodeName): string | null {
  const text = providerId === '' ? name : providerId;
  return INSTANCE_ID.exec(text)?.groups?.['id'] ?? null;
}

function describe(cloud: Cloud, input: JsonObject): readonly JsonObject[] | AwsRefusal {
  const call = { service: 'ec2', operation: 'DescribeInstances', input } as const;
  const answer = cloud.aws.answer(cloud.identity, call);
  if (!answer.ok) return answer.refusal;
  return listAt(answer.output, 'Reservations').flatMap(
    (reservation) => listAt(reservation, 'Instances') as readonly JsonObject[],
  );
}

/** Instances asked for together (the batcher of cloud-provider-aws takes up to 500). */
export const BATCH_MAX = 500;

/** Those of these instances that EC2 knows, by id; null when it refuses, as for one unknown id. */
export function lookUpAll(
  cloud: Cloud,
  ids: readonly string[],
): ReadonlyMap<string, JsonObject> | null {
  const answer = describe(cloud, { InstanceIds: ids });
  if (isRefusal(answer)) return null;
  return new Map(answer.map((instance) => [textAt(instance, 'InstanceId') ?? '', instance]));
}

function byId(cloud: Cloud, id: string): LookUp {
  const answer = describe(cloud, { InstanceIds: [id] });
  if (!isRefusal(answer)) {
    const [instance] = answer;
    if (instance !== undefined) return { kind: 'found', instance };
    return { kind: 'not-found', by: 'id', message: 'instance not found' };
  }
  const message = `failed to get instance by ID ${id}: ${listingError(cloud, answer)}`;
  if (answer.code.startsWith('InvalidInstanceID.')) return { kind: 'not-found', by: 'id', message };
  return { kind: 'refused', message: listingError(cloud, answer), isThrottled: isThrottle(answer) };
}

/** The tag of the cluster is a part of the question: an instance without it has no name here. */
function byName(cloud: Cloud, name: string): LookUp {
  const answer = describe(cloud, {
    Filters: [
      { Name: 'private-dns-name', Values: [name] },
      { Name: 'instance-state-name', Values: ALIVE },
      { Name: 'tag-key', Values: [`kubernetes.io/cluster/${cloud.clusterName}`] },
    ],
  });
  if (isRefusal(answer)) {
    const message = `getInstanceByNodeName failed for ${JSON.stringify(name)} with ${JSON.stringify(listingError(cloud, answer))}`;
    return { kind: 'refused', message, isThrottled: isThrottle(answer) };
  }
  const [instance] = answer;
  if (instance === undefined)
    return { kind: 'not-found', by: 'name', message: 'instance not found' };
  return { kind: 'found', instance };
}

function isRefusal(answer: readonly JsonObject[] | AwsRefusal): answer is AwsRefusal {
  return !Array.isArray(answer);
}

function isThrottle({ code }: AwsRefusal): boolean {
  return code === 'RequestLimitExceeded' || code === 'Throttling';
}

function listingError(cloud: Cloud, refusal: AwsRefusal): string {
  return `error listing AWS instances: ${JSON.stringify(sdkError(cloud, refusal))}`;
}

/** The refusal as the SDK of the release words it. */
function sdkError(cloud: Cloud, refusal: AwsRefusal): string {
  const { code, message, status } = refusal;
  const requestId = cloud.requestId();
  if (cloud.dialect.sdk === 'v1')
    return `${code}: ${message}\n\tstatus code: ${status}, request id: ${requestId}`;
  const attempts = isThrottle(refusal) ? 'exceeded maximum number of attempts, 3, ' : '';
  return `operation error EC2: DescribeInstances, ${attempts}https response error StatusCode: ${status}, RequestID: ${requestId}, api error ${code}: ${message}`;
}

export function stateOf(instance: JsonObject): string {
  return textAt(instance, 'State.Name') ?? '';
}
