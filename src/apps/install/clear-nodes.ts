import { clearedNode, releasedPolicy, releasesOf } from '../../controllers/gate/clearing.ts';
import { GATE_FINALIZER } from '../../controllers/gate/node-gates/gate-object.ts';
import { readNode } from '../../controllers/gate/node-facts.ts';
import { NODES } from '../../controllers/gate/plan.ts';
import { NODE_GATES, readNodeGate } from '../../controllers/gate/policies/node-gate.ts';
import {
  NODE_READINESS_RULES,
  readNodeReadinessRule,
  RULE_FINALIZER,
} from '../../controllers/gate/policies/node-readiness-rule.ts';
import type { PolicyReading, TaintRelease } from '../../controllers/gate/policy.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeResource } from '../../ports/kube-api.ts';
import { nameOf } from './apply.ts';
import { found, type Session } from './session.ts';

/** A Node that was changed meanwhile is read again; a gate that still runs may taint once more. */
const ROUNDS = 8;
const CLEAN_ROUNDS = 2;
/** An API server knows of a policy that is gone a moment later. */
const SETTLE_MS = 1000;

interface PolicySourceKind {
  readonly resource: KubeResource;
  readonly finalizer: string;
  readonly read: (object: JsonObject) => PolicyReading;
}

const GATES = { resource: NODE_GATES, finalizer: GATE_FINALIZER, read: readNodeGate };
const RULES = {
  resource: NODE_READINESS_RULES,
  finalizer: RULE_FINALIZER,
  read: readNodeReadinessRule,
};

async function listed(session: Session, resource: KubeResource): Promise<readonly JsonObject[]> {
  const objects: JsonObject[] = [];
  await found(async () => {
    for await (const { items } of session.api.list(resource)) objects.push(...items);
  });
  return objects;
}

/** What became of some writes: those that failed may succeed when they are tried again. */
interface Round {
  readonly written: number;
  readonly failed: number;
}

async function performAll(session: Session, actions: readonly Action[]): Promise<Round> {
  let failed = 0;
  for (const action of actions) {
    const { outcome, why } = await session.perform(action);
    const isDone = outcome === 'done';
    if (!isDone) failed += 1;
    const verb = session.isDryRun ? 'would ' : '';
    session.say(`${nameOf(action.object)}: ${isDone ? `${verb}${action.why.text}` : why}`);
  }
  return { written: actions.length - failed, failed };
}

async function nodeRound(session: Session, releases: readonly TaintRelease[]): Promise<Round> {
  const nodes = (await listed(session, NODES)).map(readNode).filter((node) => node !== null);
  const actions = nodes.map((node) => clearedNode(node, releases));
  return await performAll(
    session,
    actions.filter((action) => action !== null),
  );
}

/** Looks at all Nodes again until two looks in a row find nothing that is to go. */
async function clearAll(session: Session, releases: readonly TaintRelease[]): Promise<number> {
  let [failed, clean] = [0, 0];
  for (let round = 0; round < ROUNDS && clean < CLEAN_ROUNDS; round += 1) {
    if (round > 0) await session.clock.sleep(SETTLE_MS);
    const { written, failed: now } = await nodeRound(session, releases);
    failed = now;
    clean = written === 0 && failed === 0 ? clean + 1 : 0;
    if (session.isDryRun) break;
  }
  return failed;
}

/**
 * Removes what gates have put on Nodes, and then the finalizers of the gates.
 *
 * @returns how many writes failed
 * @throws PortError where Nodes or gates cannot be read
 */
export async function clearNodes(session: Session, followsRules: boolean): Promise<number> {
  const kinds: readonly PolicySourceKind[] = followsRules ? [GATES, RULES] : [GATES];
  const all = await Promise.all(
    kinds.map(async (kind) => ({ kind, objects: await listed(session, kind.resource) })),
  );
  const policies = all.flatMap(({ kind, objects }) =>
    objects.flatMap((object) => kind.read(object).policies),
  );
  const failed = await clearAll(session, releasesOf(policies));
  const finalizers = all.flatMap(({ kind: { resource, finalizer }, objects }) =>
    objects.map((object) => releasedPolicy(resource, object, finalizer)),
  );
  const last = await performAll(
    session,
    finalizers.filter((action) => action !== null),
  );
  return failed + last.failed;
}
