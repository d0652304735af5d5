import { type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import type { Collection, Observations } from '../../evidence/observations.ts';
import { SIGN_TABLE } from '../../engine/signs.ts';
import { savedContent } from '../../readers/saved/content.ts';
import { keptObject } from '../../readers/saved/kubernetes.ts';
import type { CollectedDocument } from '../document.ts';
import type { ResidentListener } from '../resident/listener.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';

/** All that a judgement was made of, cut to what causes read; secrets are cut from its rows. */
export interface Pile {
  /** Objects of each list that is whole, as JSON by key. */
  readonly lists: ReadonlyMap<PlannedList, ReadonlyMap<string, string>>;
  /** What AWS and machines answered. */
  readonly documents: readonly CollectedDocument[];
  readonly collection: Collection | null;
}

/** Calls of a round that asks AWS about the cluster; what asks machines one by one has none. */
const OF_CLUSTER = new Set([
  'ec2:DescribeInstances',
  'eks:DescribeCluster',
  'autoscaling:DescribeAutoScalingGroups',
]);

function isOfCluster({ content }: CollectedDocument): boolean {
  return typeof content !== 'string' && OF_CLUSTER.has(textAt(content, 'call') ?? '');
}

/** What a record takes has its secrets cut out there. */
function saved(content: Json | string): Json | string {
  return savedContent(content, SIGN_TABLE, new Map(), (kept) => kept);
}

/** Keeps what a resident hears, so that what it judged can be judged again. */
export class EvidencePile implements ResidentListener {
  readonly #lists = new Map(
    KUBE_LISTS.map((planned) => [planned, new Map<string, string>()] as const),
  );
  readonly #byKind = new Map(KUBE_LISTS.map((planned) => [planned.resource.kind, planned]));
  #ofCluster: readonly CollectedDocument[] = [];
  #ofMachines: readonly CollectedDocument[] = [];
  /** Answers are asked for often and kept seldom: each is cut when it is. */
  readonly #saved = new WeakMap<CollectedDocument, CollectedDocument>();

  keep(kind: string, object: JsonObject): JsonObject | null {
    if (!this.#byKind.has(kind)) return null;
    return { text: JSON.stringify(keptObject(object, kind, new Map())) };
  }

  came(kind: string, key: string, kept: JsonObject): void {
    this.#listOf(kind)?.set(key, textAt(kept, 'text') ?? '');
  }

  went(kind: string, key: string): void {
    this.#listOf(kind)?.delete(key);
  }

  round(documents: readonly CollectedDocument[]): void {
    if (documents.some(isOfCluster)) this.#ofCluster = documents;
    else this.#ofMachines = documents;
  }

  /** No judgement is made of news. */
  reported(): void {}

  /** What these observations were made of. */
  at({ documents, collection }: Observations): Pile {
    const refused = new Set(collection?.refusals.map(({ call }) => call));
    const whole = [...this.#lists].filter(
      ([{ resource }]) => !refused.has(`list ${resource.plural}`),
    );
    const current = new Set(documents.map(({ locator }) => locator));
    const answers = [...this.#ofCluster, ...this.#ofMachines];
    return {
      lists: new Map(whole),
      documents: answers.filter(({ locator }) => current.has(locator)).map((one) => this.#of(one)),
      collection,
    };
  }

  #listOf(kind: string): Map<string, string> | undefined {
    const planned = this.#byKind.get(kind);
    return planned === undefined ? undefined : this.#lists.get(planned);
  }

  #of(document: CollectedDocument): CollectedDocument {
    const known = this.#saved.get(document);
    if (known !== undefined) return known;
    const kept = { ...document, content: saved(document.content) };
    this.#saved.set(document, kept);
    return kept;
  }
}
