import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeResource } from '../../ports/kube-api.ts';
import type { NodeFacts, SeenTaint } from './node-facts.ts';
import { actionOf, annotationPath, isReleased } from './plan.ts';
import { REGRESS_PREFIX } from './policies/node-gate.ts';
import type { GatePolicy, TaintRelease } from './policy.ts';
import { RECORD_PREFIX } from './record.ts';

const UNINSTALL = 'uninstall';

/** Every taint that gates may have put; one in a dry run puts none, and another program may. */
export function releasesOf(policies: readonly GatePolicy[]): readonly TaintRelease[] {
  const taints = policies
    .filter(({ isDryRun }) => !isDryRun)
    .flatMap(({ taint, regressTaint }) =>
      regressTaint === null ? [taint] : [taint, regressTaint],
    );
  return [
    { key: REGRESS_PREFIX, isPrefix: true, effect: null },
    ...taints.map(({ key, effect }) => ({ key, isPrefix: false, effect })),
  ];
}

/** `readiness.k8s.io/workers:NoSchedule` */
function taintText({ key, effect }: SeenTaint): string {
  return `${key}:${effect}`;
}

/** Taints of a node that are to go. */
function releasedTaints({ taints }: NodeFacts, releases: readonly TaintRelease[]): SeenTaint[] {
  return taints.filter((taint) => releases.some((one) => isReleased(taint, one)));
}

function operationsOf(
  { taints, annotations }: NodeFacts,
  gone: readonly SeenTaint[],
): readonly JsonObject[] {
  // From the last to the first, as places move up.
  const places = [...taints.keys()].filter((index) => gone.includes(taints[index] as SeenTaint));
  const records = Object.keys(annotations).filter((key) => key.startsWith(RECORD_PREFIX));
  return [
    ...places.toReversed().map((index) => ({ op: 'remove', path: `/spec/taints/${index}` })),
    ...records.map((key) => ({ op: 'remove', path: annotationPath(key) })),
  ];
}

/** Removes what gates have put on a Node, and nothing else; null for a Node that has none of it. */
export function clearedNode(node: NodeFacts, releases: readonly TaintRelease[]): Action | null {
  const gone = releasedTaints(node, releases);
  const operations = operationsOf(node, gone);
  if (operations.length === 0) return null;
  const what = gone.length === 0 ? 'records of gates' : gone.map(taintText).join(' and ');
  const why = { kind: 'request', name: UNINSTALL, text: `remove ${what}` } as const;
  const undo = { text: 'Install the gate again; it taints new nodes', command: null };
  return { ...actionOf(node, operations, why), askedBy: UNINSTALL, undo };
}

/** Takes our finalizer from a policy, as nobody is there to do it later; null where it has none. */
export function releasedPolicy(
  resource: KubeResource,
  object: JsonObject,
  finalizer: string,
): Action | null {
  const name = textAt(object, 'metadata.name');
  const uid = textAt(object, 'metadata.uid');
  const resourceVersion = textAt(object, 'metadata.resourceVersion');
  const finalizers = listAt(object, 'metadata.finalizers');
  if (name === null || uid === null || resourceVersion === null) return null;
  if (!finalizers.includes(finalizer)) return null;
  const kept = finalizers.filter((one) => one !== finalizer);
  const patch = { type: 'merge', change: { metadata: { finalizers: kept } } } as const;
  return {
    id: `${UNINSTALL}/${resource.kind}/${name}/${resourceVersion}`,
    object: { resource, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'patch', patch, requires: 'same-version' },
    why: { kind: 'request', name: UNINSTALL, text: `take the finalizer ${finalizer}` },
    askedBy: UNINSTALL,
    undo: null,
  };
}
