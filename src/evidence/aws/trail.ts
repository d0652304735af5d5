import { isObject, type Json, type JsonObject, textAt } from '../json.ts';

/** Changes of who may reach the API server of a cluster; their requests hold no secret. */
const ACCESS_EVENT =
  /^(?:(?:Create|Update|Delete)AccessEntry|(?:Associate|Disassociate)AccessPolicy)$/;
const ASKED = ['name', 'principalArn', 'policyArn'] as const;

/**
 * An event of CloudTrail without its raw text, which may hold what was sent in the request. Of a
 * change of an access entry it keeps who asked for what, and from where.
 */
export function withoutRawEvent(event: Json): Json {
  if (!isObject(event)) return event;
  const { CloudTrailEvent: raw, ...rest } = event;
  const isAccess =
    rest['EventSource'] === 'eks.amazonaws.com' &&
    ACCESS_EVENT.test(textAt(rest, 'EventName') ?? '');
  return isAccess && typeof raw === 'string' ? { ...rest, CloudTrailEvent: reduced(raw) } : rest;
}

function reduced(raw: string): string {
  const event = parsed(raw);
  const asked = ASKED.map((name) => [name, textAt(event, `requestParameters.${name}`)]);
  return JSON.stringify({
    userIdentity: { arn: textAt(event, 'userIdentity.arn') },
    sourceIPAddress: textAt(event, 'sourceIPAddress'),
    errorCode: textAt(event, 'errorCode'),
    requestParameters: Object.fromEntries(asked) as JsonObject,
  });
}

/** The raw text of an event; empty where it is no JSON. */
export function parsed(raw: string): JsonObject {
  try {
    const value = JSON.parse(raw) as Json;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
