import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { RecordedEvent, Recorder } from '../../ports/recorder.ts';
import { type CollectedDocument, listOf } from '../document.ts';
import { kubectlOf } from '../kubernetes.ts';
import { CUT_KINDS, CUT_SUBJECT } from '../recording/cuts.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';

/** The evidence of a moment, as a look would have collected it. */
export interface EvidenceThen {
  /** When it was judged, ms. */
  readonly atMs: number;
  readonly documents: readonly CollectedDocument[];
}

/** Cuts that are tried: of one that was interrupted, or half forgotten, parts are missing. */
const CUTS_MAX = 5;
const PARTS_MAX = 2000;

/**
 * The last evidence that was recorded up to a moment; null for none that is whole.
 *
 * @param asked machines that the question is about; empty for all
 */
export async function evidenceThen(
  recorder: Recorder,
  cluster: string,
  toMs: number,
  asked: readonly string[],
): Promise<EvidenceThen | null> {
  const kinds = [CUT_KINDS.cut];
  const about = { cluster, subject: CUT_SUBJECT, kinds, toMs, limit: CUTS_MAX };
  const cuts = await recorder.read(about);
  for (const cut of cuts.toReversed()) {
    const parts = await partsOf(recorder, cut);
    if (parts !== null) return { atMs: cut.atMs, documents: documentsOf(cut, parts, asked) };
  }
  return null;
}

/** The bodies of all parts; null when one is missing. */
async function partsOf(
  recorder: Recorder,
  { cluster, body }: RecordedEvent,
): Promise<readonly Json[] | null> {
  const ids = listAt(body, 'parts').filter((id) => typeof id === 'string');
  if (ids.length > PARTS_MAX) return null;
  const bodies: Json[] = [];
  for (const uid of ids) {
    const [row] = await recorder.read({ cluster, uid, kinds: [CUT_KINDS.part], limit: 1 });
    if (row === undefined) return null;
    bodies.push(row.body);
  }
  return bodies;
}

function documentsOf(
  { body }: RecordedEvent,
  parts: readonly Json[],
  asked: readonly string[],
): readonly CollectedDocument[] {
  const whole = new Set(listAt(body, 'whole'));
  const lists = KUBE_LISTS.filter(({ resource }) => whole.has(resource.plural));
  const collection = at(body, 'collection');
  const content = isObject(collection) ? { ...collection, asked: [...asked] } : {};
  return [
    ...lists.map((planned) => listDocument(planned, parts)),
    ...parts.flatMap(answerOf),
    { name: 'collection.json', locator: 'rollcall', content },
  ];
}

/** In the order of the API server, in which machines stand for others. */
function listDocument(planned: PlannedList, parts: readonly Json[]): CollectedDocument {
  const { resource, namespace } = planned;
  const entries = parts
    .filter((part) => textAt(part, 'list') === resource.plural)
    .flatMap((part) => listAt(part, 'items'))
    .map((entry) => [textAt(entry, 'key') ?? '', at(entry, 'object')] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)));
  const items = entries.flatMap(([, object]) => (isObject(object) ? [object] : []));
  return {
    name: `kubernetes/${resource.plural}.json`,
    locator: kubectlOf(planned),
    content: wholeList(resource.kind, namespace, items),
  };
}

function wholeList(
  kind: string,
  namespace: string | null,
  items: readonly JsonObject[],
): JsonObject {
  const list = listOf(kind, items, 'complete');
  const annotations = { rollcall: 'complete', 'rollcall-namespace': namespace };
  return namespace === null ? list : { ...list, metadata: { annotations } };
}

function answerOf(part: Json): readonly CollectedDocument[] {
  const [name, locator] = [textAt(part, 'name'), textAt(part, 'locator')];
  const content = at(part, 'content');
  if (name === null || locator === null || content === undefined) return [];
  return isObject(content) || typeof content === 'string' ? [{ name, locator, content }] : [];
}
