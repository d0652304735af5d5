import type { JsonObject } from '../../../evidence/json.ts';
import { listAt, at, isObject } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import type { KubeletLog } from './lines.ts';
import { type ApiResult, corePath, type NodeApi } from './node-api.ts';

/** Back-off between tries: 100 ms doubling up to 7 s (kubelet_node_status.go). */
const FIRST_STEP_MS = 100;
const LAST_STEP_MS = 7000;

export interface RegistrationTask {
  readonly api: NodeApi;
  readonly log: KubeletLog;
  readonly nodeName: string;
  node(): JsonObject;
  after(delayMs: number, task: () => void): Timer;
  onRegistered(node: JsonObject): void;
  /** What every try that did not succeed is told. */
  onRefusal(refusal: Extract<ApiResult, { ok: false }>): void;
}

/** Registers the Node; a kubelet does so once in its life, and never again. */
export function register(task: RegistrationTask): void {
  let stepMs = FIRST_STEP_MS;
  const tryAgain = (): void => {
    const answer = attempt(task);
    if (answer.ok) return task.onRegistered(answer.object);
    task.onRefusal(answer);
    stepMs = Math.min(stepMs * 2, LAST_STEP_MS);
    task.after(answer.tookMs + stepMs, tryAgain);
  };
  task.after(stepMs, tryAgain);
}

function attempt(task: RegistrationTask): ApiResult {
  const { api, log, nodeName: node } = task;
  log.line('I', 'attempting', 'Attempting to register node', { node });
  const created = api.ask(`nodes/${node}`, (client) => client.create(task.node()));
  if (created.ok) {
    log.line('I', 'registered', 'Successfully registered node', { node });
    return created;
  }
  if (created.code !== 409 && created.code !== 403) {
    log.line('E', 'unableToRegister', 'Unable to register node with API server', {
      err: created.message,
      node,
    });
    return created;
  }
  return adopt(task);
}

/** The Node is there already, or may not be made: its present state decides. */
function adopt(task: RegistrationTask): ApiResult {
  const { api, log, nodeName: node } = task;
  const existing = api.get(corePath('nodes', node));
  if (!existing.ok) {
    log.line(
      'E',
      'unableToRegisterExisting',
      'Unable to register node with API server, error getting existing node',
      { err: existing.message, node },
    );
    return existing;
  }
  log.line('I', 'previouslyRegistered', 'Node was previously registered', { node });
  const patch = reconciled(existing.object, task.node());
  if (patch !== null)
    api.ask(`nodes/${node}`, (client) => client.patch('Node', node, 'strategic', patch));
  log.line('I', 'registered', 'Successfully registered node', { node });
  return existing;
}

/** Labels are brought up to date; taints and `unschedulable` stay as they are. */
function reconciled(existing: JsonObject, wanted: JsonObject): JsonObject | null {
  const old = at(existing, 'metadata.labels');
  const labels = at(wanted, 'metadata.labels');
  if (!isObject(labels)) return null;
  const changed = Object.entries(labels).filter(
    ([key, value]) => !isObject(old) || old[key] !== value,
  );
  return changed.length === 0 ? null : { metadata: { labels: Object.fromEntries(changed) } };
}

/** The conditions of a Node as a list of objects. */
export function conditionsOf(node: JsonObject | null): readonly JsonObject[] {
  return node === null ? [] : listAt(node, 'status.conditions').filter(isObject);
}
