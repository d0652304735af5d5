import { type JsonObject, textAt, textsAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { nameOf } from '../objects/meta.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import { timestamp } from '../objects/stamp.ts';
import { isSameTaint, taintObject } from '../objects/taints.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
  together,
} from '../running/actor.ts';
import { type CustomKind, withCustomKinds } from '../running/custom-kinds.ts';
import { createSeriesRecorder } from '../running/event-recorder.ts';
import { createWorkQueue, type WorkQueue } from '../running/work-queue.ts';
import { type ReporterOptions, startReadinessReporter } from './readiness-reporter.ts';
import {
  appliesTo,
  completionKey,
  resultsOf,
  type Rule,
  type RuleAction,
  ruleAction,
  ruleOf,
} from './node-readiness-rules.ts';

export const NODE_READINESS_RULE: CustomKind = {
  group: 'readiness.node.x-k8s.io',
  version: 'v1alpha1',
  plural: 'nodereadinessrules',
  kind: 'NodeReadinessRule',
  shortNames: ['nrr'],
};

const NAME = 'node-readiness-controller';

/** What a NodeReadinessRule for all Nodes says. */
export interface RuleSetting {
  readonly name: string;
  readonly condition: string;
  /** `readiness.k8s.io/…` */
  readonly taintKey: string;
  readonly taintValue?: string;
  readonly mode: 'bootstrap-only' | 'continuous';
  /** Labels of the Nodes that it is for; all when not given. */
  readonly nodeLabels?: Readonly<Record<string, string>>;
}

export interface NodeReadinessOptions extends ActorOptions {
  /** Rules that are made where they are not there yet. */
  readonly rules?: readonly RuleSetting[];
  readonly reporters?: readonly Omit<ReporterOptions, keyof ActorOptions>[];
}

/** node-readiness-controller v0.5.0 with its defaults: one worker for Nodes. */
export function startNodeReadiness(world: World, options: NodeReadinessOptions = {}): Running {
  const { rules = [], reporters = [] } = options;
  const actor = createActor(world, NAME, controllerUser(NAME), options);
  withCustomKinds(actor, [NODE_READINESS_RULE], () => {
    for (const rule of rules) actor.client.create(ruleObject(rule));
    new NodeReadiness(actor).start();
  });
  return together([
    actor,
    ...reporters.map((reporter) => startReadinessReporter(world, { ...options, ...reporter })),
  ]);
}

function ruleObject({
  name,
  condition,
  taintKey,
  taintValue,
  mode,
  nodeLabels,
}: RuleSetting): JsonObject {
  return {
    apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
    kind: 'NodeReadinessRule',
    metadata: { name },
    spec: {
      conditions: [{ type: condition, requiredStatus: 'True' }],
      enforcementMode: mode,
      taint: {
        key: taintKey,
        effect: 'NoSchedule',
        ...(taintValue === undefined ? {} : { value: taintValue }),
      },
      nodeSelector: { matchLabels: { ...nodeLabels } },
    },
  };
}

/**
 * The status of a rule lists every node and is written whole after each look: 3 ms of server time
 * with one node, 18 ms with 100 and some 600 ms with 1,000, as measured.
 */
export function statusWriteMs(nodes: number): number {
  return 3 + 0.1 * nodes + 0.0005 * nodes * nodes;
}

class NodeReadiness {
  readonly #actor: Actor;
  readonly #queue: WorkQueue;
  readonly #recorder: ReturnType<typeof createSeriesRecorder>;
  readonly #nodes = new Map<string, NodeView>();
  readonly #rules = new Map<string, Rule>();
  /** By rule, what it found on each Node. */
  readonly #evaluations = new Map<string, Map<string, JsonObject>>();

  constructor(actor: Actor) {
    this.#actor = actor;
    this.#recorder = createSeriesRecorder(actor, NAME);
    this.#queue = createWorkQueue(actor, (name, done) => this.#sync(name, done));
  }

  start(): void {
    this.#actor.follow('NodeReadinessRule', (type, object) => this.#onRule(type, object));
    this.#actor.follow('Node', (type, object, before) => this.#onNode(type, object, before));
  }

  #onRule(type: string, object: JsonObject): void {
    const rule = ruleOf(object);
    const known = this.#rules.get(rule.name);
    if (type === 'DELETED') this.#rules.delete(rule.name);
    else this.#rules.set(rule.name, rule);
    if (generationOf(known?.object) === generationOf(object)) return;
    for (const name of this.#nodes.keys()) this.#queue.add(name);
  }

  /** Heartbeats and reasons wake nothing: statuses, taints and labels do. */
  #onNode(type: string, object: JsonObject, before: JsonObject | null): void {
    const name = nameOf(object);
    if (type === 'DELETED') {
      this.#nodes.delete(name);
      return;
    }
    const node = nodeView(object);
    this.#nodes.set(name, node);
    if (before === null || whatCounts(nodeView(before)) !== whatCounts(node)) this.#queue.add(name);
  }

  #sync(name: string, done: () => void): void {
    const node = this.#nodes.get(name);
    if (node === undefined) {
      done();
      return;
    }
    const rules = [...this.#rules.values()].filter((rule) => appliesTo(rule, node));
    this.#next(node, rules, 0, done);
  }

  #next(node: NodeView, rules: readonly Rule[], index: number, done: () => void): void {
    const rule = rules[index];
    if (rule === undefined) {
      done();
      return;
    }
    const evaluations = this.#evaluationsOf(rule);
    const isCompleted = completionKey(rule) in textsAt(node.object, 'metadata.annotations');
    const state = { isCompleted, wasSeen: evaluations.has(node.name) };
    this.#act(node, rule, ruleAction(rule, node, state));
    this.#actor.after(statusWriteMs(evaluations.size), () => {
      this.#writeStatus(node, rule, evaluations);
      this.#next(this.#nodes.get(node.name) ?? node, rules, index + 1, done);
    });
  }

  #evaluationsOf({ name }: Rule): Map<string, JsonObject> {
    const known = this.#evaluations.get(name);
    if (known !== undefined) return known;
    const evaluations = new Map<string, JsonObject>();
    this.#evaluations.set(name, evaluations);
    return evaluations;
  }

  #writeStatus(node: NodeView, rule: Rule, evaluations: Map<string, JsonObject>): void {
    const now = this.#nodes.get(node.name) ?? node;
    const isHeld = now.taints.some((taint) => isSameTaint(taint, rule.taint));
    evaluations.set(node.name, {
      nodeName: node.name,
      conditionResults: resultsOf(rule, now).map((result) => ({ ...result })),
      taintStatus: isHeld ? 'Present' : 'Absent',
      lastEvaluationTime: timestamp(this.#actor.kernel.nowMs()),
    });
    const nodeEvaluations = [...evaluations.values()];
    const appliedNodes = [...evaluations.keys()];
    const patch = { status: { nodeEvaluations, appliedNodes } };
    this.#actor.client.patch('NodeReadinessRule', rule.name, 'merge', patch, 'status');
  }

  #act(node: NodeView, rule: Rule, action: RuleAction): void {
    if (action.kind === 'none') return;
    if (action.kind === 'adopt') this.#tell(node, rule, 'TaintAdopted', 'AdoptTaint');
    else if (!this.#write(node, rule, action)) this.#queue.addRateLimited(node.name);
    else if (action.kind === 'add') this.#tell(node, rule, 'TaintAdded', 'AddTaint');
    else if (action.kind === 'remove') this.#tell(node, rule, 'TaintRemoved', 'RemoveTaint');
  }

  /** A merge patch of the whole list of taints, refused when the Node has changed since. */
  #write(node: NodeView, rule: Rule, action: RuleAction): boolean {
    const rest = node.taints.filter((taint) => !isSameTaint(taint, rule.taint));
    const taints = action.kind === 'add' ? [...rest, rule.taint] : rest;
    const completes = action.kind === 'complete' || (action.kind === 'remove' && action.completes);
    const note = JSON.stringify({ 'rule-name': rule.name });
    const annotations = completes ? { [completionKey(rule)]: note } : {};
    const resourceVersion = textAt(node.object, 'metadata.resourceVersion') ?? '';
    const patch = {
      metadata: { resourceVersion, annotations },
      spec: { taints: taints.length === 0 ? null : taints.map(taintObject) },
    };
    const outcome = this.#actor.client.patch('Node', node.name, 'merge', patch);
    if (outcome.ok) this.#queue.forget(node.name);
    return outcome.ok || outcome.failure.code === 404;
  }

  #tell(node: NodeView, rule: Rule, reason: string, action: string): void {
    const { key, effect } = rule.taint;
    const done = reason.replace('Taint', '').toLowerCase();
    const message = `Taint '${key}:${effect}' ${done} by rule '${rule.name}'`;
    const involved = { kind: 'Node', name: node.name, uid: node.uid, apiVersion: 'v1' };
    this.#recorder.record(involved, { type: 'Normal', reason, action, message });
    this.#actor.log(`${node.name} ${message}`);
  }
}

function generationOf(object: JsonObject | undefined): string | null {
  return textAt(object, 'metadata.generation');
}

function whatCounts({ conditions, taints, labels }: NodeView): string {
  return JSON.stringify([conditions.map(({ type, status }) => [type, status]), taints, labels]);
}
