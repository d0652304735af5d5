import type { JsonObject } from '../../evidence/json.ts';
import type { KubeApi, KubeListPage } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { projectPod } from '../../readers/kube/pod.ts';
import { type CollectedEvidence, completeList } from './document.ts';
import { EVENTS, KUBE_LISTS, type PlannedList, PODS } from './resources.ts';

/** Events kept at most; the newest page is as good as the oldest, since the server orders by name. */
const EVENTS_MAX = 10_000;
const PAGE_SIZE = 1000;

function kubectlOf({ resource, namespace }: PlannedList): string {
  const where = namespace === null ? (resource.isNamespaced ? ' -A' : '') : ` -n ${namespace}`;
  return `kubectl get ${resource.plural}${where}`;
}

/** Fields that nobody reads and that are half of every object. */
function lean(planned: PlannedList, item: JsonObject): JsonObject {
  if (planned.resource === PODS) {
    const { metadata } = item;
    const kept = { ...projectPod(item), kind: 'Pod' } as JsonObject;
    return { ...kept, metadata: { ...pickedNames(metadata), ...(kept['metadata'] as JsonObject) } };
  }
  if (planned.resource.kind === 'Node') return item;
  const metadata = { ...(item['metadata'] as JsonObject | undefined), managedFields: [] };
  return { ...item, metadata };
}

/** Names and labels, which the projection for causes keeps elsewhere. */
function pickedNames(metadata: unknown): JsonObject {
  const given = (metadata ?? {}) as JsonObject;
  const names: Record<string, JsonObject[string]> = {};
  for (const key of ['uid', 'labels', 'annotations']) {
    const value = given[key];
    if (value !== undefined) names[key] = value;
  }
  return names;
}

async function listAll(
  kube: KubeApi,
  planned: PlannedList,
  onItems: (items: readonly JsonObject[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { resource, namespace } = planned;
  const pages: AsyncIterable<KubeListPage> = kube.list(resource, {
    namespace,
    pageSize: PAGE_SIZE,
    signal,
  });
  let count = 0;
  for await (const page of pages) {
    onItems(page.items.map((item) => lean(planned, item)));
    count += page.items.length;
    if (resource === EVENTS && count >= EVENTS_MAX) return;
  }
}

/** Every page is a document of its own, so that what one holds can be forgotten before the next. */
async function collectList(
  kube: KubeApi,
  planned: PlannedList,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const { resource } = planned;
  const locator = kubectlOf(planned);
  let page = 0;
  try {
    await listAll(
      kube,
      planned,
      (items) => {
        const name = `kubernetes/${resource.plural}${page === 0 ? '' : `-${page}`}.json`;
        evidence.add({ name, locator, content: completeList(resource.kind, items) });
        page++;
      },
      signal,
    );
  } catch (error) {
    refuse(planned, evidence, error);
  }
}

function refuse(planned: PlannedList, evidence: CollectedEvidence, error: unknown): void {
  if (!(error instanceof PortError)) throw error;
  const isMissing = error.failure === 'unsupported' || error.failure === 'not-found';
  if (planned.isOptional && isMissing) return;
  evidence.refuse({
    call: `list ${planned.resource.plural}`,
    message: error.message,
    failure: error.failure,
    permission: error.permission,
  });
}

/** Lists everything that causes read of a cluster, all kinds at once. */
export async function collectKubernetes(
  kube: KubeApi,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(KUBE_LISTS.map((planned) => collectList(kube, planned, evidence, signal)));
}
