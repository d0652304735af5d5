import { isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { AwsApi, AwsCall } from '../../ports/aws-api.ts';
import { PortError } from '../../ports/port-error.ts';

/** The answer of a call without pages. @throws PortError */
export async function askOnce(aws: AwsApi, call: AwsCall): Promise<JsonObject> {
  for await (const page of aws.pages(call)) return page;
  return {};
}

/** The same; null where AWS says that there is no such thing. @throws PortError */
export async function askForOne(aws: AwsApi, call: AwsCall): Promise<JsonObject | null> {
  try {
    return await askOnce(aws, call);
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}

/** All items of a list, over all pages. @throws PortError when one of them fails */
export async function askForAll(
  aws: AwsApi,
  call: AwsCall,
  member: string,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  for await (const page of aws.pages(call)) items.push(...listAt(page, member).filter(isObject));
  return items;
}

/** EC2 takes this many values of one filter. */
const VALUES_MAX = 200;

/** The states of instances by their ids; what EC2 does not know is not in it. @throws PortError */
export async function instanceStates(
  aws: AwsApi,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (let at = 0; at < ids.length; at += VALUES_MAX) {
    const Filters = [{ Name: 'instance-id', Values: ids.slice(at, at + VALUES_MAX) }];
    const call = { service: 'ec2', operation: 'DescribeInstances', input: { Filters } } as const;
    const reservations = await askForAll(aws, call, 'Reservations');
    for (const instance of reservations.flatMap((one) => listAt(one, 'Instances')))
      states.set(textAt(instance, 'InstanceId') ?? '', textAt(instance, 'State.Name') ?? '');
  }
  return states;
}
