/** Gives a resident store what looks were given, object by object, as watches tell it. */
import type { CollectedDocument } from '../../src/collection/document.ts';
import { kubectlOf } from '../../src/collection/kubernetes.ts';
import {
  createResidentStore,
  gatherRound,
  readListed,
} from '../../src/collection/resident/store.ts';
import { KUBE_LISTS, type PlannedList } from '../../src/collection/resources.ts';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import type { Observations, Refusal, Shortened } from '../../src/evidence/observations.ts';
import { isoMs } from '../../src/evidence/time.ts';

function keyOf(object: JsonObject): string {
  return `${textAt(object, 'metadata.namespace') ?? ''}/${textAt(object, 'metadata.name') ?? ''}`;
}

interface Told {
  readonly objects: ReadonlyMap<PlannedList, ReadonlyMap<string, JsonObject>>;
  readonly others: readonly CollectedDocument[];
  readonly collection: JsonObject;
}

function toldIn(documents: readonly CollectedDocument[]): Told {
  const objects = new Map<PlannedList, Map<string, JsonObject>>();
  const others: CollectedDocument[] = [];
  let collection: JsonObject = {};
  for (const document of documents) {
    const { content, locator } = document;
    const planned = KUBE_LISTS.find((one) => kubectlOf(one) === locator);
    if (locator === 'rollcall') collection = content as JsonObject;
    else if (planned === undefined || typeof content === 'string') others.push(document);
    else {
      const listed = objects.get(planned) ?? new Map<string, JsonObject>();
      for (const item of listAt(content, 'items') as JsonObject[]) listed.set(keyOf(item), item);
      objects.set(planned, listed);
    }
  }
  return { objects, others, collection };
}

/** A store that lives on between looks. */
export interface Kept {
  /** Takes what a look was answered, and gives what the store knows now. */
  take(documents: readonly CollectedDocument[]): Observations;
  readonly puts: () => number;
}

export function createKept(): Kept {
  const store = createResidentStore();
  const known = new Map<PlannedList, Map<string, string>>();
  let puts = 0;
  const takeList = (planned: PlannedList, listed: ReadonlyMap<string, JsonObject>): void => {
    const before = known.get(planned) ?? new Map<string, string>();
    for (const key of before.keys()) if (!listed.has(key)) store.remove(planned, key);
    const texts = [...listed].map(([key, object]) => [key, JSON.stringify(object)] as const);
    for (const [key, text] of texts) {
      const object = listed.get(key);
      if (before.get(key) === text || object === undefined) continue;
      store.put(planned, key, readListed(planned, object));
      puts += 1;
    }
    known.set(planned, new Map(texts));
    store.setState(planned, 'whole');
  };
  return {
    puts: () => puts,
    take(documents) {
      const { objects, others, collection } = toldIn(documents);
      for (const planned of KUBE_LISTS) {
        const listed = objects.get(planned);
        if (listed === undefined) store.setState(planned, 'loading');
        else takeList(planned, listed);
      }
      const round = gatherRound();
      for (const document of others) round.add(document);
      store.setAws({
        ...round.round(),
        shortened: listAt(collection, 'shortened') as unknown as Shortened[],
      });
      return store.observations({
        nowMs: isoMs(textAt(collection, 'at')) ?? 0,
        cluster: textAt(collection, 'cluster'),
        skewMs: null,
        refusals: listAt(collection, 'refusals') as unknown as Refusal[],
      });
    },
  };
}
