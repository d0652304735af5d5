import { SELECTOR } from '../../../evidence/kube/object.ts';
import { isEqual } from '../../../evidence/equal.ts';
import { project } from '../../../evidence/project.ts';
import { type Json, type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';
import { selects, selectsAll } from '../../../domain/pods/label-selector.ts';

import type { KubeObject } from '../contract.ts';
import { badRequest, forbidden, StatusError, tooManyRequests } from '../refusal.ts';
import { deletionOf, remove } from '../remove.ts';
import { objectAt, textIn } from '../rules/fields.ts';
import { objectKey, type Scope, secondsStamp } from '../scope.ts';
import { metadataOf, type Table } from '../store.ts';
import { wordOf } from '../word.ts';

/**
 * Deletes a pod unless a PodDisruptionBudget forbids it, by the rules of
 * pkg/registry/core/pod/storage/eviction.go. @throws Refusal 429, 500
 */
export function evict(scope: Scope, pod: KubeObject, body: Json): void {
  if (!isFree(pod)) claimDisruption(scope, pod);
  const options = deletionOf({}, objectAt(body, 'deleteOptions'));
  const status = targeted(scope, objectAt(pod, 'status'));
  if (!scope.isDryRun && !isEqual(status, objectAt(pod, 'status')))
    scope.core.store.write(scope.table, objectKey(scope), { ...pod, status });
  remove({ ...scope, subresource: null }, options);
}

/** @throws Refusal 400 when the body names another pod than the path */
export function assertNamed(scope: Scope, body: Json): void {
  const named = textAt(body, 'metadata.name') ?? '';
  if (named === '' || named === scope.name) return;
  throw badRequest('name in URL does not match name in Eviction object');
}

/** Pods that serve nobody need no permission. */
function isFree(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status.phase') ?? '';
  const isEnding = metadataOf(pod)['deletionTimestamp'] !== undefined;
  return isEnding || ['Succeeded', 'Failed', 'Pending'].includes(phase);
}

function claimDisruption(scope: Scope, pod: KubeObject): void {
  const table = scope.core.store.table('policy/poddisruptionbudgets');
  const budgets = budgetsOf(table, scope.namespace ?? '', pod);
  const [budget] = budgets;
  if (budget === undefined) return;
  if (budgets.length > 1) throw new StatusError({ code: 500, message: TWO_BUDGETS });
  if (!isReady(pod) && mayGoUnready(budget)) return;
  spend(scope, table, budget);
}

const TWO_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

function budgetsOf(table: Table, namespace: string, pod: KubeObject): readonly KubeObject[] {
  const labels = textsAt(pod, 'metadata.labels');
  return table
    .keys(namespace)
    .map((key) => table.get(key) as KubeObject)
    .filter((budget) => {
      const selector = project(SELECTOR, objectAt(budget, 'spec')['selector'] ?? null);
      return selector !== undefined && (selectsAll(selector) || selects(selector, labels));
    });
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, 'status.conditions').some(
    (one) => textIn(one, 'type') === 'Ready' && textIn(one, 'status') === 'True',
  );
}

function mayGoUnready(budget: KubeObject): boolean {
  const policy = textAt(budget, 'spec.unhealthyPodEvictionPolicy');
  const status = objectAt(budget, 'status');
  const desired = Number(status['desiredHealthy'] ?? 0);
  const isHealthy = Number(status['currentHealthy'] ?? 0) >= desired && desired > 0;
  return policy === 'AlwaysAllow' || isHealthy;
}

/** Pods that may be noted as disrupted in one budget (MaxDisruptedPodSize). */
const DISRUPTED_MAX = 2000;
const RETRY_SECONDS = 10;

function spend(scope: Scope, table: Table, budget: KubeObject): void {
  const status = objectAt(budget, 'status');
  const { name = '', generation = 0 } = metadataOf(budget);
  if (Number(status['observedGeneration'] ?? 0) < Number(generation))
    throw denied(`The disruption budget ${wordOf(name)} is still being processed by the server.`, {
      retryAfterSeconds: RETRY_SECONDS,
    });
  const allowed = Number(status['disruptionsAllowed'] ?? 0);
  const disrupted = objectAt(status, 'disruptedPods');
  const kind = scope.core.kinds.named('PodDisruptionBudget') ?? scope.kind;
  if (allowed < 0) throw forbidden(kind, wordOf(name), 'pdb disruptions allowed is negative');
  if (Object.keys(disrupted).length > DISRUPTED_MAX)
    throw forbidden(
      kind,
      wordOf(name),
      `DisruptedPods map too big - too many evictions not confirmed by PDB controller`,
    );
  if (allowed === 0) {
    const [desired, current] = [status['desiredHealthy'] ?? 0, status['currentHealthy'] ?? 0];
    throw denied(
      `The disruption budget ${wordOf(name)} needs ${wordOf(desired)} healthy pods and has ` +
        `${wordOf(current)} currently`,
    );
  }
  if (scope.isDryRun) return;
  const spent = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [scope.name]: secondsStamp(scope.core.kernel.nowMs()) },
    ...(allowed === 1 ? { conditions: exhausted(scope, status, Number(generation)) } : {}),
  };
  scope.core.store.write(table, objectKey(scope, wordOf(name)), { ...budget, status: spent });
}

function denied(message: string, more: JsonObject = {}): StatusError {
  const causes = [{ reason: 'DisruptionBudget', message }];
  const told = `Cannot evict pod as it would violate the pod's disruption budget.`;
  return tooManyRequests(told, { causes, ...more });
}

function exhausted(scope: Scope, status: JsonObject, observedGeneration: number): readonly Json[] {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime: secondsStamp(scope.core.kernel.nowMs()),
    reason: 'InsufficientPods',
    message: '',
  };
  return withCondition(listAt(status, 'conditions'), condition);
}

function targeted(scope: Scope, status: JsonObject): JsonObject {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastTransitionTime: secondsStamp(scope.core.kernel.nowMs()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...status, conditions: withCondition(listAt(status, 'conditions'), condition) };
}

/** Replaces the condition of the same type, or adds it; the time of a status that stays is kept. */
export function withCondition(conditions: readonly Json[], one: JsonObject): readonly Json[] {
  const at = conditions.findIndex((other) => textIn(other, 'type') === one['type']);
  if (at < 0) return [...conditions, one];
  const before = conditions[at] ?? null;
  if (textIn(before, 'status') !== one['status']) return conditions.with(at, one);
  return conditions.with(at, { ...one, lastTransitionTime: textIn(before, 'lastTransitionTime') });
}
