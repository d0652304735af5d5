import type { EventNote } from '../../runtime/events/event-correlator.ts';
import type { Look, LookedPolicy } from './look.ts';
import type { NodeFacts } from './node-facts.ts';
import type { PolicySource } from './policy.ts';

/** What a write does to the taint of one policy. */
export type TaintOperation = 'added' | 'removed';

export interface TaintChange {
  readonly operation: TaintOperation;
  readonly looked: LookedPolicy;
}

function operationOf({ decision, view }: LookedPolicy): TaintOperation | null {
  if (decision.act === 'open') return view.isShut ? 'removed' : null;
  return decision.act === 'keep' || view.isShut ? null : 'added';
}

/** What the write after a look does to taints of policies of one kind. */
export function taintChanges(
  { decided }: Look,
  kind: PolicySource['kind'],
): readonly TaintChange[] {
  return decided.flatMap((looked) => {
    const { source, isDryRun } = looked.policy;
    const operation = source.kind !== kind || isDryRun ? null : operationOf(looked);
    return operation === null ? [] : [{ operation, looked }];
  });
}

function subjectOf({ name, uid }: NodeFacts): EventNote['about'] {
  return { apiVersion: 'v1', kind: 'Node', namespace: null, name, uid };
}

function taintText({ policy: { taint } }: LookedPolicy): string {
  return `${taint.key}:${taint.effect}`;
}

/** As the Node Readiness Controller tells it: one Event for each rule. */
export function ruleNotes(look: Look): readonly EventNote[] {
  return taintChanges(look, 'NodeReadinessRule').map(({ operation, looked }) => ({
    about: subjectOf(look.node),
    type: 'Normal',
    ...(operation === 'added'
      ? { reason: 'TaintAdded', action: 'AddTaint' }
      : { reason: 'TaintRemoved', action: 'RemoveTaint' }),
    message: `Taint '${taintText(looked)}' ${operation} by rule '${looked.policy.source.name}'`,
  }));
}

/** A taint that a rule found on a node at its first look, and keeps. */
export function adoptedNote(
  { name, uid }: { readonly name: string; readonly uid: string },
  rule: {
    readonly name: string;
    readonly taint: { readonly key: string; readonly effect: string };
  },
): EventNote {
  const { key, effect } = rule.taint;
  const message = `Taint '${key}:${effect}' adopted by rule '${rule.name}'`;
  const about = { apiVersion: 'v1', kind: 'Node', namespace: null, name, uid };
  return { about, type: 'Normal', reason: 'TaintAdopted', action: 'AdoptTaint', message };
}

/** As nidhogg tells it: one Event for all taints of a write. null where it changes none. */
export function nidhoggNote(look: Look, time: string): EventNote | null {
  const changes = taintChanges(look, 'nidhogg');
  if (changes.length === 0) return null;
  const keys = (operation: TaintOperation): string =>
    changes
      .filter((change) => change.operation === operation)
      .map(({ looked }) => looked.policy.taint.key)
      .join(' ');
  const isOpen = look.decided
    .filter(({ policy }) => policy.source.kind === 'nidhogg')
    .every(({ decision }) => decision.act === 'open');
  const since = isOpen ? `, first time ready: ${firstReady(look, time)}` : '';
  const message = `Taints added: [${keys('added')}], taints removed: [${keys('removed')}], taintless: ${isOpen}${since}`;
  return { about: subjectOf(look.node), type: 'Normal', reason: 'TaintsChanged', message };
}

function firstReady({ node, decided }: Look, time: string): string {
  const marks = decided
    .filter(({ policy }) => policy.source.kind === 'nidhogg')
    .flatMap(({ policy }) => policy.openingMarks.map(({ key }) => node.annotations[key]));
  return marks.find((mark) => mark !== undefined) ?? time;
}
