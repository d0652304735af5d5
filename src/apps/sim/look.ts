import { renderMarkdown } from '../../diagnosis/report/markdown.ts';
import { renderText } from '../../diagnosis/report/text.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CollectedDocument } from '../../adapters/collection/document.ts';
import { awsPort } from '../../sim/aws/port.ts';
import { kubePort } from '../../sim/kube/port.ts';
import type { Stage } from '../../sim/faults/contract.ts';
import { collectPile, type Pile } from '../../sim/oracle/pile.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import type { LookRequest, Said } from '../../sim/run/run.ts';
import { observe } from '../cli/live/observe.ts';
import { diagnoseObservations, readPile } from '../cli/pile.ts';

/** A pause before another try is shorter than any limit of a look, ms. */
const PAUSES_MAX_MS = 10_000;

/** The time of a world that stands still: pauses are over at once, and limits never reached. */
function frozenClock(nowMs: number): Clock {
  return {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    async sleep(durationMs, signal) {
      signal?.throwIfAborted();
      if (durationMs <= PAUSES_MAX_MS) return;
      const { promise, reject } = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      return promise;
    },
  };
}

function formsOf(document: DiagnosisDocument): readonly string[] {
  const options = { columns: 100, colour: false, paths: [] };
  return [JSON.stringify(document), renderText(document, options), renderMarkdown(document)];
}

/** Looks over the APIs, as `rollcall diagnose` does, while the world stands still. */
export async function lookLive(
  stage: Stage,
  bug: PlantedBug | null,
  onDocument?: (document: CollectedDocument) => void,
): Promise<Said> {
  const { town, looking } = stage;
  const clock = frozenClock(town.kernel.nowMs());
  const identity = town.admin.identity;
  const plainAws = looking.noting(awsPort({ cloud: town.cloud, identity, clock, pauseMs: 0 }));
  const plainKube = looking.through(kubePort({ server: town.api, user: town.admin.user, clock }));
  const clients = {
    kube: bug?.kube?.(plainKube) ?? plainKube,
    aws: bug?.aws?.(plainAws) ?? plainAws,
    described: null,
    refusals: [],
    clock,
  };
  const { observations, document } = await observe(clients, {
    cluster: town.setting.cluster.name,
    asked: [],
    isDeep: false,
    timeoutMs: 60_000,
    progress: () => {},
    ...(onDocument === undefined ? {} : { onDocument }),
  });
  const said = bug?.document?.(document) ?? document;
  const refused = looking.takeRefused();
  return { way: 'live', observations, document: said, printed: formsOf(said), refused, left: [] };
}

/** Reads what somebody collected by hand, as `rollcall diagnose FOLDER` does. */
export async function lookAtPile({ texts, left }: Pile, bug: PlantedBug | null): Promise<Said> {
  const encoder = new TextEncoder();
  const observations = await readPile(
    texts.map(({ name, container, text }) => ({
      locator: name,
      container,
      chunks: [encoder.encode(text)],
    })),
  );
  const document = await diagnoseObservations(observations);
  const said = bug?.document?.(document) ?? document;
  return { way: 'pile', observations, document: said, printed: formsOf(said), refused: [], left };
}

/** Both ways of looking at the same moment. */
export async function lookBothWays(
  { stage, number, broken }: LookRequest,
  { bug, gapShare }: { readonly bug: PlantedBug | null; readonly gapShare: number },
): Promise<readonly Said[]> {
  const random = stage.town.kernel.random(`pile/${number}`);
  const pile = collectPile(stage, broken, { gapShare, random });
  return [await lookLive(stage, bug), await lookAtPile(pile, bug)];
}
