import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { fromBase64, toBase64 } from '../platform/certificates/base64.ts';
import { plantedLog } from './objects.ts';
import type { Plants } from './plants.ts';

/** Fields that people fill with words of their own. */
const FREE_TEXTS = new Set(['Description', 'VersionDescription', 'description']);
const TAG_LISTS = new Set(['Tags', 'TagSet', 'TagList']);

function tags(plants: Plants, value: readonly Json[], place: string): readonly Json[] {
  const named = plants
    .all(`${place} tags`)
    .map(({ name, secret }) => ({ Key: name, Value: secret }));
  return [...value, ...named, { Key: 'Note', Value: plants.next(`${place} tag texts`).text }];
}

const SCRIPT = /^(?:#!|MIME-Version|Content-Type)/;
/** `nodeadm` reads it, and people note in it what they please. */
const CONFIGURATION = /^apiVersion:/;

/** A script or configuration with more behind it; other bytes stay as they are. */
function userData(plants: Plants, encoded: string, place: string): string {
  const script = fromBase64(encoded);
  if (script === null || !(SCRIPT.test(script) || CONFIGURATION.test(script))) return encoded;
  const comment = CONFIGURATION.test(script) ? '# ' : '';
  const lines = plants.all(`${place} user data`).map(({ text }) => `${comment}${text}`);
  return toBase64(`${script.trimEnd()}\n${lines.join('\n')}\n`);
}

function fieldOf(plants: Plants, field: string, value: Json, place: string): Json {
  if (TAG_LISTS.has(field) && Array.isArray(value)) return tags(plants, value as Json[], place);
  if (field === 'tags' && isObject(value))
    return { ...value, Note: plants.next(`${place} tags`).text };
  if (typeof value === 'string') {
    if (field === 'UserData') return userData(plants, value, place);
    if (field === 'Output') return plantedLog(plants, value, `${place} console`);
    return FREE_TEXTS.has(field) ? `${value} ${plants.next(`${place} texts`).text}` : value;
  }
  if (field === 'UserData' && isObject(value) && typeof value['Value'] === 'string')
    return { ...value, Value: userData(plants, value['Value'], place) };
  return plantedAnswer(plants, value, place);
}

function plantedAnswer(plants: Plants, value: Json, place: string): Json {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one) => plantedAnswer(plants, one, place));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, fieldOf(plants, field, inner, place)]),
  );
}

/** What STS gives out opens doors for an hour; IAM shows what people noted about a role. */
function ofIdentities(plants: Plants, service: string): JsonObject {
  if (service !== 'sts' && service !== 'iam') return {};
  const made = plants.all(`${service} answers`);
  const of = (name: string): string => made.find((one) => one.name === name)?.secret ?? '';
  if (service === 'sts')
    return {
      Credentials: {
        AccessKeyId: `ASIA${of('AWS_ACCESS_KEY_ID')}`,
        SecretAccessKey: of('AWS_SECRET_ACCESS_KEY'),
        SessionToken: of('AWS_SESSION_TOKEN'),
      },
    };
  return { Notes: made.map(({ text }) => text) };
}

/** An answer of AWS with secrets wherever people put them. */
export function plantedOutput(
  plants: Plants,
  { service, operation }: { readonly service: string; readonly operation: string },
  output: JsonObject,
): JsonObject {
  const answer = plantedAnswer(plants, output, `${service}:${operation}`) as JsonObject;
  return { ...answer, ...ofIdentities(plants, service) };
}
