import type { AwsAuthEntry } from '../../evidence/kinds.ts';
import { covers, mappedBy } from '../fix/auth/decide-map.ts';
import { mappingOf, NODE_TYPES, type RoleMapping, rolePartsOf } from '../fix/auth/node-mapping.ts';
import type {
  AuthDecision,
  AuthMemory,
  AuthRules,
  AuthSight,
  LostMapping,
  LostVerdict,
  RememberedMapping,
  ShutOut,
} from './facts.ts';

/** Whoever writes more roles into aws-auth has the first of them watched. */
const REMEMBERED_MAX = 500;
const WITH_MORE_GROUPS = NODE_TYPES.toSorted(
  (one, other) => mappingOf('', other).groups.length - mappingOf('', one).groups.length,
);

/** The part of an entry that makes nodes of machines, and nothing more; null where it does not. */
export function nodeMappingOf(entry: AwsAuthEntry): RoleMapping | null {
  if (rolePartsOf(entry.arn)?.plain !== entry.arn || entry.groups.includes('system:masters'))
    return null;
  const mappings = WITH_MORE_GROUPS.map((type) => mappingOf(entry.arn, type));
  return mappings.find((mapping) => covers(entry, mapping)) ?? null;
}

function keyOf({ arn }: { readonly arn: string }): string {
  return arn.toLowerCase();
}

/**
 * What stood in aws-auth and is gone, and what of it is to be put back. A text that nobody can read
 * shows nothing, and where nobody knows which machines are shut out nothing is put back.
 */
export function decide(
  sight: AuthSight,
  memory: AuthMemory,
  shutOut: ShutOut,
  rules: AuthRules & { readonly nowMs: number },
): AuthDecision {
  if (sight.state === 'malformed') return { memory, lost: [] };
  const next = remembered(sight, memory, shutOut, rules);
  const by = sight.state === 'seen' ? sight.writer : null;
  let left = rules.most - restoredLately(next, rules);
  const lost: LostMapping[] = [];
  for (const [key, one] of next) {
    const machines = shutOut.get(key) ?? [];
    const verdict = verdictOf(one, machines, { ...rules, left });
    if (verdict === null) continue;
    if (verdict === 'restore') left -= 1;
    lost.push({ mapping: one.mapping, verdict, machines, by });
  }
  return { memory: next, lost };
}

type Rules = AuthRules & { readonly nowMs: number };

function remembered(
  sight: Exclude<AuthSight, { state: 'malformed' }>,
  memory: AuthMemory,
  shutOut: ShutOut,
  { nowMs, forgetMs, settleMs }: Rules,
): AuthMemory {
  const entries = sight.state === 'seen' ? sight.entries : [];
  const next = new Map<string, RememberedMapping>();
  for (const [key, one] of memory) {
    const entry = mappedBy(entries, one.mapping.arn);
    const isThere = entry !== null && covers(entry, one.mapping);
    const goneMs = isThere ? null : (one.goneMs ?? nowMs);
    const isForgotten = goneMs !== null && nowMs - goneMs >= forgetMs && !shutOut.has(key);
    // Another replica may have put it back, or a person.
    const isBack = isThere && one.goneMs !== null && nowMs - one.goneMs >= settleMs;
    const restoredMs = isBack ? nowMs : one.restoredMs;
    const isRemapped = !isThere && entry !== null;
    if (!isForgotten) next.set(key, { ...one, goneMs, isRemapped, restoredMs });
  }
  for (const entry of entries) {
    // Of several entries for a role the last one counts.
    const mapping = mappedBy(entries, entry.arn) === entry ? nodeMappingOf(entry) : null;
    if (mapping === null) continue;
    const { restoredMs = null } = next.get(keyOf(entry)) ?? {};
    if (next.has(keyOf(entry)) || next.size < REMEMBERED_MAX)
      next.set(keyOf(entry), { mapping, goneMs: null, isRemapped: false, restoredMs });
  }
  return next;
}

function isLately(one: RememberedMapping, { nowMs, restMs }: Rules): boolean {
  return one.restoredMs !== null && nowMs - one.restoredMs < restMs;
}

function restoredLately(memory: AuthMemory, rules: Rules): number {
  return [...memory.values()].filter((one) => isLately(one, rules)).length;
}

/** null for one that is there. */
function verdictOf(
  one: RememberedMapping,
  machines: readonly string[],
  rules: Rules & { readonly left: number },
): LostVerdict | null {
  if (one.goneMs === null) return null;
  if (rules.nowMs - one.goneMs < rules.settleMs) return 'settling';
  if (machines.length === 0) return 'unused';
  if (one.isRemapped) return 'remapped';
  if (isLately(one, rules)) return 'resting';
  return rules.left > 0 ? 'restore' : 'over-budget';
}

/** The memory after a mapping was put back, or may have been. */
export function withRestored(memory: AuthMemory, arn: string, nowMs: number): AuthMemory {
  const key = arn.toLowerCase();
  const one = memory.get(key);
  return one === undefined ? memory : new Map(memory).set(key, { ...one, restoredMs: nowMs });
}
