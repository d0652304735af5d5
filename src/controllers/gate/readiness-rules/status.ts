import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { timeText } from '../record.ts';
import type { NodeEvaluation } from './evaluations.ts';
import type { KnownRule } from './rule.ts';

/** A node on which the last write for a rule failed. */
export interface FailedNode {
  readonly nodeName: string;
  readonly reason: 'EvaluationError' | 'AddTaintError' | 'RemoveTaintError';
  readonly message: string;
  readonly atMs: number;
}

/**
 * Nodes that a status lists. A rule of more nodes lists those that it holds, the newest first: a
 * status of thousands would be written whole for each of them.
 */
export const STATUS_NODES_MAX = 100;
/** The longest status, as JSON. */
export const STATUS_CHARS_MAX = 64 * 1024;
const MESSAGE_CHARS_MAX = 1024;

export interface RuleStatusInput {
  readonly rule: KnownRule;
  readonly evaluations: ReadonlyMap<string, NodeEvaluation>;
  readonly failed: readonly FailedNode[];
}

function listed(evaluations: ReadonlyMap<string, NodeEvaluation>): readonly NodeEvaluation[] {
  const all = [...evaluations.values()];
  const some = all.length <= STATUS_NODES_MAX ? all : all.filter(({ isHeld }) => isHeld);
  return some
    .toSorted((a, b) => b.sinceMs - a.sinceMs || a.nodeName.localeCompare(b.nodeName))
    .slice(0, STATUS_NODES_MAX);
}

function evaluationObject({ conditions }: KnownRule, evaluation: NodeEvaluation): JsonObject {
  const { nodeName, statuses, isHeld, sinceMs } = evaluation;
  return {
    nodeName,
    conditionResults: conditions.map(({ type, requiredStatus, defaultStatus }, index) => ({
      type,
      currentStatus: statuses[index] ?? 'Unknown',
      requiredStatus,
      defaultStatus,
    })),
    taintStatus: isHeld ? 'Present' : 'Absent',
    lastEvaluationTime: timeText(sinceMs),
  };
}

/** As many as fit, the first ones first. */
function fitting(all: readonly JsonObject[]): readonly JsonObject[] {
  let chars = 0;
  const end = all.findIndex((one) => {
    chars += JSON.stringify(one).length + 1;
    return chars > STATUS_CHARS_MAX;
  });
  return end < 0 ? all : all.slice(0, end);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function missingText(count: number): string {
  return count === 1 ? '1 node has missing conditions' : `${count} nodes have missing conditions`;
}

function dryRunResults(evaluations: ReadonlyMap<string, NodeEvaluation>): JsonObject {
  const all = [...evaluations.values()];
  const count = (is: (one: NodeEvaluation) => boolean): number => all.filter(is).length;
  const taintsToAdd = count(({ isSatisfied, isHeld }) => !isSatisfied && !isHeld);
  const taintsToRemove = count(({ isSatisfied, isHeld }) => isSatisfied && isHeld);
  const riskyOperations = count(({ statuses }) => statuses.includes(null));
  const parts = [
    taintsToAdd === 0 ? null : `would add ${counted(taintsToAdd, 'taint')}`,
    taintsToRemove === 0 ? null : `would remove ${counted(taintsToRemove, 'taint')}`,
    riskyOperations === 0 ? null : missingText(riskyOperations),
  ].filter((part) => part !== null);
  const summary = parts.length === 0 ? 'no changes needed' : parts.join(', ');
  return { affectedNodes: all.length, taintsToAdd, taintsToRemove, riskyOperations, summary };
}

function failedObject({ nodeName, reason, message, atMs }: FailedNode): JsonObject {
  const text = message === '' ? reason : excerptOf(message, MESSAGE_CHARS_MAX);
  return { nodeName, reason, message: text, lastEvaluationTime: timeText(atMs) };
}

/** A rule that cannot be followed says so on the nodes that it holds: its status has no conditions. */
function refusedNodes(
  { rule }: RuleStatusInput,
  some: readonly NodeEvaluation[],
): readonly FailedNode[] {
  const [refusal] = rule.reading.refusals;
  if (refusal === undefined) return [];
  return some.map(({ nodeName, sinceMs }) => ({
    nodeName,
    reason: 'EvaluationError',
    message: refusal.why,
    atMs: sinceMs,
  }));
}

/** What the status of a rule is to say, bounded in nodes and in size. */
export function ruleStatus(input: RuleStatusInput): JsonObject {
  const { rule, evaluations, failed } = input;
  const some = listed(evaluations);
  const failures = [...failed.slice(0, STATUS_NODES_MAX), ...refusedNodes(input, some)];
  const byNode = new Map(failures.map((one) => [one.nodeName, one]));
  const nodeEvaluations = fitting(some.map((one) => evaluationObject(rule, one)));
  return {
    observedGeneration: rule.generation,
    appliedNodes: some.map(({ nodeName }) => nodeName).toSorted(),
    failedNodes: [...byNode.values()].slice(0, STATUS_NODES_MAX).map(failedObject),
    nodeEvaluations,
    ...(rule.isDryRun ? { dryRunResults: dryRunResults(evaluations) } : {}),
  };
}

/** The value with sorted keys and without times, which are no news by themselves. */
function stable(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(stable);
  if (!isObject(value)) return value;
  const fields = Object.entries(value)
    .filter(([key, entry]) => key !== 'lastEvaluationTime' && !isEmpty(entry))
    .toSorted(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(fields.map(([key, entry]) => [key, stable(entry)]));
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

function sortedByNode(status: JsonObject): JsonObject {
  const list = status['nodeEvaluations'];
  if (!Array.isArray(list)) return status;
  const sorted = (list as readonly Json[]).toSorted((a, b) =>
    JSON.stringify(a).localeCompare(JSON.stringify(b)),
  );
  return { ...status, nodeEvaluations: sorted };
}

/** True where two statuses differ in nothing but their times and the order of their nodes. */
export function isSameStatus(one: JsonObject, other: JsonObject): boolean {
  const [a, b] = [one, other].map((status) => stable(sortedByNode(stable(status) as JsonObject)));
  return JSON.stringify(a) === JSON.stringify(b);
}
