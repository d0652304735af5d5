/** Where the AWS command line prints something else than the service sent, and what we leave out. */
import { withoutRawEvent } from '../../evidence/aws/trail.ts';
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';

export type Reshape = (answer: JsonObject) => JsonObject;

const POLICY_MEMBERS = new Set(['AssumeRolePolicyDocument', 'PolicyDocument', 'Document']);

/** Policy documents, which IAM sends as URL-encoded JSON and the command line prints as objects. */
export const policies: Reshape = (answer) => mapMembers(answer, decodePolicy);

/** Console output, which EC2 sends in base64 and the command line prints as text. */
export const consoleText: Reshape = (answer) => {
  const { Output: output, ...rest } = answer;
  if (typeof output !== 'string') return answer;
  return { ...rest, Output: Buffer.from(output, 'base64').toString('utf8') };
};

/** ECR's answer says that a token was granted, where and until when; the token is a password. */
export const withoutTokens: Reshape = (answer) => {
  const granted = answer['authorizationData'];
  if (!Array.isArray(granted)) return answer;
  return {
    ...answer,
    authorizationData: granted.map((one: Json) => without(one, 'authorizationToken')),
  };
};

/** Who did what when stands beside the raw event, which may hold what was sent in the request. */
export const withoutRawEvents: Reshape = (answer) => {
  const events = answer['Events'];
  if (!Array.isArray(events)) return answer;
  return { ...answer, Events: events.map(withoutRawEvent) };
};

function without(value: Json, member: string): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
}

function mapMembers(answer: JsonObject, change: (member: string, value: Json) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(answer).map(([member, value]) => [
      member,
      mapValue(change(member, value), change),
    ]),
  );
}

function mapValue(value: Json, change: (member: string, value: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => mapValue(one, change));
  return isObject(value) ? mapMembers(value, change) : value;
}

/** A document that is no JSON stays as it was sent. */
function decodePolicy(member: string, value: Json): Json {
  if (!POLICY_MEMBERS.has(member) || typeof value !== 'string') return value;
  try {
    return JSON.parse(decodeURIComponent(value)) as Json;
  } catch {
    return value;
  }
}
