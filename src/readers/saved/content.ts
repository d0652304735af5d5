import { at, isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { redact, redactKeys, redactValue } from '../../evidence/redact.ts';
import { REDACTED } from '../../evidence/secrets/mark.ts';
import { isOurs } from '../ours.ts';
import type { SignTable } from '../sign-table.ts';
import { keptAnswer } from './aws.ts';
import { countLeftOut, type LeftOut } from './keep.ts';
import { keptList, keptObject } from './kubernetes.ts';
import { savedUserData } from './user-data.ts';

/**
 * What is saved of a collected document: what causes read of it, without secrets.
 *
 * @param left counts what was left out
 * @param clean takes the secrets out of what is kept
 */
export function savedContent(
  content: Json | string,
  table: SignTable,
  left: LeftOut,
  clean: Clean = withoutSecrets,
): Json | string {
  const kept = isObject(content) ? keptOf(content, table, left) : content;
  const saved = clean(kept);
  const text = typeof saved === 'string' ? saved : JSON.stringify(saved);
  countLeftOut(left, 'secrets in texts', text.split(REDACTED).length - 1);
  return saved;
}

/** Takes the secrets out of a value. */
export type Clean = (kept: Json | string) => Json | string;

const withoutSecrets: Clean = (kept) =>
  typeof kept === 'string' ? redact(kept) : redactKeys(redactValue(kept));

function keptOf(content: JsonObject, table: SignTable, left: LeftOut): JsonObject {
  if (isOurs(content))
    return textAt(content, 'kind') === 'AwsAnswer' ? keptCall(content, table, left) : content;
  const kind = textAt(content, 'kind');
  if (kind === null || textAt(content, 'apiVersion') === null) return content;
  return kind.endsWith('List') && Array.isArray(content['items'])
    ? keptList(content, left)
    : keptObject(content, kind, left);
}

function keptCall(content: JsonObject, table: SignTable, left: LeftOut): JsonObject {
  const answer = at(content, 'answer') ?? {};
  if (isObject(at(answer, 'UserData'))) {
    const id = textAt(answer, 'InstanceId') ?? textAt(content, 'input.InstanceId') ?? '';
    return savedUserData(id, textAt(answer, 'UserData.Value'), table, left);
  }
  return { ...content, answer: keptAnswer(answer, left) };
}
