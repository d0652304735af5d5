import { type JsonObject, textAt } from '../evidence/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { KubeApi, KubeListPlace } from '../ports/kube-api.ts';
import type { PortError, PortFailure } from '../ports/port-error.ts';
import { ahead } from '../readers/ahead.ts';
import { type CollectedEvidence, type ListShare, listOf, refusalOf } from './document.ts';
import { inTime } from './in-time.ts';
import { EVENTS, KUBE_LISTS, NODES, type PlannedList, PODS } from './resources.ts';

/** Events kept at most; the newest page is as good as the oldest, since the server orders by name. */
const EVENTS_MAX = 10_000;
const PAGE_SIZE = 1000;
/**
 * How many pods a page holds. Two pages are in memory at a time, so they are small; but a small
 * cluster is listed in few, and beside very many pods the memory for larger pages is small, and
 * waiting is not.
 */
function podsAPage({ objectsBefore, objectsLeft }: KubeListPlace): number {
  if (objectsBefore < 2000) return 700;
  return objectsBefore + (objectsLeft ?? 0) < 50_000 ? 500 : 2000;
}

/** The command that shows the same list. */
export function kubectlOf({ resource, namespace }: PlannedList): string {
  const where = namespace === null ? (resource.isNamespaced ? ' -A' : '') : ` -n ${namespace}`;
  return `kubectl get ${resource.plural}${where}`;
}

/** Fields that nobody reads and that are half of every object. The readers keep less of a pod. */
export function lean({ resource }: PlannedList, item: JsonObject): JsonObject {
  if (resource === PODS || resource === NODES) return item;
  const metadata = { ...(item['metadata'] as JsonObject | undefined), managedFields: [] };
  return { ...item, metadata };
}

/** Failures that another try a moment later may not meet. */
const PASSING: ReadonlySet<PortFailure> = new Set(['throttled', 'unavailable', 'expired']);
const TRIES_MAX = 4;
const WAIT_MS = 250;
const WAIT_MAX_MS = 5000;

/** A list that is `cut` goes on, and nobody asks for the rest. */
type TakePage = (items: readonly JsonObject[], share: ListShare | 'cut') => void;

/** Gives each page when the next one has come: only then is it known which one is the last. */
async function listOnce(
  kube: KubeApi,
  { resource, namespace }: PlannedList,
  take: TakePage,
  signal: AbortSignal,
): Promise<void> {
  const pages = kube.list(resource, {
    namespace,
    pageSize: resource === PODS ? podsAPage : PAGE_SIZE,
    signal,
  });
  let held: readonly JsonObject[] | null = null;
  let count = 0;
  try {
    // Of events there may be more than are wanted: the page behind the last is not asked for.
    for await (const page of resource === EVENTS ? pages : ahead(pages)) {
      if (held !== null) take(held, 'part');
      held = page.items;
      count += held.length;
      if (resource === EVENTS && count >= EVENTS_MAX) return take(held, 'cut');
    }
  } catch (error) {
    if (held !== null) take(held, 'part');
    throw error;
  }
  take(held ?? [], 'complete');
}

/** The same list again where the server was busy, or forgot where the last page ended. */
async function listPatiently(
  source: KubeSource,
  planned: PlannedList,
  take: TakePage,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await listOnce(source.kube, planned, take, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { failure, retryAfterMs } = error as PortError;
      if (tries >= TRIES_MAX || !PASSING.has(failure)) throw error;
      const leastMs = Math.min(retryAfterMs ?? 0, WAIT_MAX_MS);
      await source.clock.sleep(Math.max(leastMs, WAIT_MS * 2 ** tries), signal);
    }
  }
}

/** Lets through what an earlier try has not given already. */
function unseen(seen: Set<string>, items: readonly JsonObject[]): readonly JsonObject[] {
  return items.filter((item) => {
    const uid = textAt(item, 'metadata.uid');
    if (uid === null) return true;
    if (seen.has(uid)) return false;
    seen.add(uid);
    return true;
  });
}

/** Every page is a document of its own, so that what one holds can be forgotten before the next. */
async function collectList(
  source: KubeSource,
  planned: PlannedList,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const { resource } = planned;
  const locator = kubectlOf(planned);
  const seen = new Set<string>();
  let page = 0;
  let isOver = false;
  const take: TakePage = (items, share) => {
    if (isOver) return;
    const name = `kubernetes/${resource.plural}${page === 0 ? '' : `-${page}`}.json`;
    const kept = unseen(seen, items).map((item) => lean(planned, item));
    if (share === 'cut') evidence.shorten(`pages of events beyond the first ${EVENTS_MAX}`, 1);
    const listed = share === 'cut' ? 'part' : share;
    evidence.add({ name, locator, content: listOf(resource.kind, kept, listed) });
    page++;
  };
  try {
    await inTime(listPatiently(source, planned, take, signal), signal, source.clock);
  } catch (error) {
    refuse(planned, evidence, error);
  } finally {
    isOver = true;
  }
}

function refuse(planned: PlannedList, evidence: CollectedEvidence, error: unknown): void {
  const refusal = refusalOf(`list ${planned.resource.plural}`, error);
  const isMissing = refusal.failure === 'unsupported' || refusal.failure === 'not-found';
  if (!planned.isOptional || !isMissing) return evidence.refuse(refusal);
  // Where the server does not know the kind, there is none of it.
  const { plural, kind } = planned.resource;
  const name = `kubernetes/${plural}.json`;
  evidence.add({ name, locator: kubectlOf(planned), content: listOf(kind, [], 'complete') });
}

export interface KubeSource {
  readonly kube: KubeApi;
  readonly clock: Clock;
}

/** The lists that are under way. */
export interface KubeLists {
  /** Ends when the Nodes are known, or will not be. */
  readonly nodes: Promise<void>;
  /** Ends when all lists have. */
  readonly all: Promise<void>;
}

async function ended(tasks: readonly Promise<void>[]): Promise<void> {
  await Promise.all(tasks);
}

/** Lists everything that causes read of a cluster, all kinds at once. */
export function collectKubernetes(
  source: KubeSource,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): KubeLists {
  const lists = KUBE_LISTS.map((planned) => ({
    planned,
    done: collectList(source, planned, evidence, signal),
  }));
  return {
    nodes: lists.find(({ planned }) => planned.resource === NODES)?.done ?? Promise.resolve(),
    all: ended(lists.map(({ done }) => done)),
  };
}
