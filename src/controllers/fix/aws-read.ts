import { isObject, type JsonObject, listAt } from '../../evidence/json.ts';
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
