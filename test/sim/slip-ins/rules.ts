/** What must hold of evictions, seen past all that the controller is told. */
import { at, isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { isDryRun, type LedgerEntry } from '../../../src/sim/programs/ledger.ts';
import type { TestCluster } from '../platform/cluster.ts';
import type { SlipPlan, SlipResult, Violation } from './plan.ts';

export interface WatchedRules {
  readonly onWrite: (entry: LedgerEntry) => void;
  readonly onEnd: () => void;
  readonly result: () => Omit<SlipResult, 'calls'>;
}

const RECORD = /^gate\.rollcall\.dev\/[^.]+$/;
const AVAILABLE_MIN = 3;
/** A budget that forbids is not asked again before, ms. */
const ASKED_AGAIN_MS = 9_000;

function isOfCart(pod: JsonObject): boolean {
  return textAt(pod, 'metadata.labels.app') === 'cart';
}

function isHealthy(pod: JsonObject): boolean {
  const isReady = listAt(pod, 'status.conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
  return isReady && at(pod, 'metadata.deletionTimestamp') === undefined;
}

function uidOf(pod: JsonObject | null): string {
  return textAt(pod ?? undefined, 'metadata.uid') ?? '';
}

function isOpened(node: JsonObject | null): boolean {
  const annotations = at(node ?? undefined, 'metadata.annotations');
  return Object.keys(isObject(annotations) ? annotations : {}).some((key) => RECORD.test(key));
}

/** Pods that may never be evicted, by what they are. */
function whyNever(pod: JsonObject): string | null {
  const [owner] = listAt(pod, 'metadata.ownerReferences');
  if (textAt(owner, 'kind') === 'DaemonSet') return 'of a DaemonSet';
  if (owner === undefined) return 'that nobody makes again';
  const tolerates = listAt(pod, 'spec.tolerations').some(
    (one) => textAt(one, 'operator') === 'Exists' && textAt(one, 'key') === null,
  );
  return tolerates ? 'that tolerates the taint' : null;
}

/** Checks each write of a program against the true state. */
export function watchRules({ admin, kernel }: TestCluster, plan: SlipPlan): WatchedRules {
  const violations: Violation[] = [];
  const evaluations = new Map<string, number>();
  /** Pods that were bound while no gate had opened their node. */
  const early = new Set<string>();
  const evicted = new Set<string>();
  const forbidden = new Map<string, number>();
  let evictions = 0;
  const check = (rule: string, isWell: boolean, what: string): void => {
    evaluations.set(rule, (evaluations.get(rule) ?? 0) + 1);
    if (!isWell) violations.push({ rule, what });
  };
  admin.follow('Pod', (type, pod, before) => {
    const node = textAt(pod, 'spec.nodeName');
    const wasBound = textAt(before ?? undefined, 'spec.nodeName') !== null;
    if (type === 'DELETED' || node === null || wasBound) return;
    if (!isOpened(admin.get('Node', node))) early.add(uidOf(pod));
  });
  const checkEvicted = (entry: LedgerEntry, pod: JsonObject): void => {
    const uid = uidOf(pod);
    const never = whyNever(pod);
    check('I-09', never === null, `evicts a Pod ${never ?? ''}`);
    const asked = textAt(entry.request.body, 'deleteOptions.preconditions.uid');
    check('I-10', asked === uid, 'evicts without the UID that was judged');
    check('I-13', early.has(uid), 'evicts a Pod that came after its gate opened');
    check('I-14', !evicted.has(uid) || entry.isCopy, 'evicts a Pod twice');
    check(
      'I-35',
      plan.mode === undefined && plan.isDryRun !== true,
      'evicts where it only reports',
    );
    const healthy = admin.list('Pod').filter((one) => isOfCart(one) && isHealthy(one)).length;
    const wasEnough = healthy + (isHealthy(pod) ? 1 : 0) >= AVAILABLE_MIN;
    const isWell = !isOfCart(pod) || !wasEnough || healthy >= AVAILABLE_MIN;
    check('I-11', isWell, `leaves ${healthy} healthy Pods`);
    evicted.add(uid);
    evictions++;
  };
  const onEviction = (entry: LedgerEntry): void => {
    const { before, code, atMs, request } = entry;
    if (isDryRun(request)) return;
    const uid = uidOf(before);
    // One that starts again cannot know what was refused before.
    const asking = `${entry.program} ${uid}`;
    const lastMs = forbidden.get(asking);
    if (lastMs !== undefined && !entry.isCopy)
      check('I-12', atMs - lastMs >= ASKED_AGAIN_MS, 'asks again at once where a budget forbids');
    if (code === 429) forbidden.set(asking, atMs);
    if (code < 300 && before !== null) checkEvicted(entry, before);
  };
  return {
    onWrite(entry) {
      const { verb, path } = entry.request;
      if (path.plural !== 'pods') return;
      check('I-10', verb === 'create' && path.subresource === 'eviction', `${verb} of a Pod`);
      if (path.subresource === 'eviction') onEviction(entry);
      else if (verb === 'delete' && entry.code < 300) checkEvicted(entry, entry.before ?? {});
    },
    onEnd() {
      const cart = admin.list('Pod').filter(isOfCart);
      const left = cart.filter((pod) => early.has(uidOf(pod)));
      const mayEvict = plan.mode === undefined && plan.isDryRun !== true;
      check('L-03', !mayEvict || left.length === 0, `${left.length} Pods that came early are left`);
      check('L-03', cart.filter(isHealthy).length === 4, 'not every Pod was replaced');
      kernel.log('rules', `${evictions} evictions`);
    },
    result: () => ({ violations, evaluations, evictions }),
  };
}
