import { METADATA_ADDRESS, type MetadataRule } from '../../domain/network/metadata-path.ts';
import { isObject, type Json, type JsonObject, at, listAt, textAt } from '../../evidence/json.ts';

const RULES_MAX = 100;
const TEXT_CHARS_MAX = 500;

/**
 * The rules of `nft -j list ruleset` about TCP requests to port 80 of instance metadata. Matches
 * and targets of iptables appear there without their content; `iptables-save` has those.
 */
export function readNftRules(text: string): readonly MetadataRule[] {
  const rules = listAt(parsed(text), 'nftables')
    .map((one) => at(one, 'rule'))
    .filter(isObject)
    .map(ruleOf)
    .filter((one) => one !== null);
  return rules.slice(0, RULES_MAX);
}

function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function ruleOf(rule: JsonObject): MetadataRule | null {
  const parts = listAt(rule, 'expr');
  const matches = parts.map((part) => at(part, 'match')).filter(isObject);
  if (!matches.some(isForMetadata) || matches.some(isForOtherPort)) return null;
  const target = parts.find((part) => effectOf(part) !== null);
  const does = target === undefined ? null : effectOf(target);
  if (target === undefined || does === null) return null;
  const chain = textAt(rule, 'chain') ?? '';
  if (does === 'redirect' && chain.toUpperCase() === 'OUTPUT') return null;
  return {
    text: `${chain}: ${JSON.stringify(parts).slice(0, TEXT_CHARS_MAX)}`,
    does,
    to: addressOf(at(target, 'dnat')),
    fromInterface: interfaceOf(matches),
  };
}

function effectOf(part: Json): MetadataRule['does'] | null {
  if (!isObject(part)) return null;
  if ('dnat' in part || 'redirect' in part) return 'redirect';
  return 'drop' in part || 'reject' in part ? 'drop' : null;
}

function isForMetadata(match: JsonObject): boolean {
  return (
    textAt(match, 'op') === '==' &&
    textAt(match, 'left.payload.field') === 'daddr' &&
    holds(at(match, 'right'), METADATA_ADDRESS)
  );
}

function isForOtherPort(match: JsonObject): boolean {
  if (textAt(match, 'left.payload.field') !== 'dport') return false;
  return holds(at(match, 'right'), 80) !== (textAt(match, 'op') === '==');
}

/** A value, a set with it, or a range around it. */
function holds(right: Json | undefined, value: string | number): boolean {
  if (right === value) return true;
  if (listAt(right, 'set').some((one) => holds(one, value))) return true;
  const [from, to] = listAt(right, 'range');
  if (typeof from !== 'number' || typeof to !== 'number' || typeof value !== 'number') return false;
  return from <= value && value <= to;
}

function addressOf(dnat: Json | undefined): string | null {
  const address = textAt(dnat, 'addr');
  const port = at(dnat, 'port');
  if (address === null) return null;
  return typeof port === 'number' ? `${address}:${port}` : address;
}

function interfaceOf(matches: readonly JsonObject[]): string | null {
  const match = matches.find((one) => textAt(one, 'left.meta.key') === 'iifname');
  const name = textAt(match, 'right');
  if (name === null) return null;
  return textAt(match, 'op') === '!=' ? `!${name}` : name;
}
