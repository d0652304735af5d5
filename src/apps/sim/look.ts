import { renderMarkdown } from '../../diagnosis/report/markdown.ts';
import { renderText } from '../../diagnosis/report/text.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import { savedContent } from '../../readers/saved/content.ts';
import { createReading } from '../../readers/reading.ts';
import type { SignTable } from '../../readers/sign-table.ts';
import { alignClocks } from '../../diagnosis/clocks.ts';
import type { CollectedDocument } from '../../collection/document.ts';
import type { FaultScene } from '../../sim/faults/contract.ts';
import { collectPile, machineTexts, type Pile, type PileText } from '../../sim/oracle/pile.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import type { LookRequest, Said } from '../../sim/run/run.ts';
import { plantedAws, plantedKube, plantedPile, plantedText } from '../../sim/secrets/looked-at.ts';
import { diagnoseObservations } from '../../engine/diagnose.ts';
import { readPile } from '../../engine/pile.ts';
import { SIGN_TABLE } from '../../engine/signs.ts';
import { observeCluster, type SimulatedApis } from './observe-cluster.ts';

function formsOf(document: DiagnosisDocument): readonly string[] {
  const options = { columns: 100, colour: false, paths: [] };
  return [JSON.stringify(document), renderText(document, options), renderMarkdown(document)];
}

/** What a look over the APIs said, and what it would have saved. */
interface LookedLive {
  readonly said: Said;
  readonly saved: readonly CollectedDocument[];
}

/** Looks over the APIs, as `rollcall diagnose` does, while the world stands still. */
export async function lookLive(
  stage: FaultScene,
  bug: PlantedBug | null,
  onDocument: ((document: CollectedDocument) => void) | null,
): Promise<LookedLive> {
  const { simulated, looking } = stage;
  const through = ({ kube, aws }: SimulatedApis): SimulatedApis => {
    const { plants } = looking;
    const heard = {
      kube: looking.through(plantedKube(plants, kube)),
      aws: looking.noting(plantedAws(plants, aws)),
    };
    return {
      kube: bug?.kube?.(heard.kube) ?? heard.kube,
      aws: bug?.aws?.(heard.aws) ?? heard.aws,
    };
  };
  const saved: CollectedDocument[] = [];
  const keep = (document: CollectedDocument, table: SignTable): void => {
    onDocument?.(document);
    const content = savedContent(document.content, table, new Map(), bug?.clean);
    saved.push({ ...document, content });
  };
  const { observations, document } = await observeCluster(simulated, { onDocument: keep, through });
  const said = bug?.document?.(document) ?? document;
  const printed = [...formsOf(said), ...saved.map(({ content }) => JSON.stringify(content))];
  const refused = looking.takeRefused();
  return { said: { way: 'live', observations, document: said, printed, refused, left: [] }, saved };
}

/** Reads what a look has saved and files of machines beside it, as `rollcall diagnose SAVED FILES` does. */
async function lookWithFiles(
  { said, saved }: LookedLive,
  texts: readonly PileText[],
  bug: PlantedBug | null,
): Promise<Said> {
  const reading = createReading(SIGN_TABLE);
  for (const { locator, content } of saved) reading.take(locator, content);
  const encoder = new TextEncoder();
  for (const { name, container, text } of texts) {
    const reader = reading.open(name, container);
    reader.push(encoder.encode(text));
    reader.end();
  }
  const observations = alignClocks(reading.finish());
  const document = await diagnoseObservations(observations);
  const named = bug?.document?.(document) ?? document;
  const printed = formsOf(named);
  return { way: 'files', observations, document: named, printed, refused: said.refused, left: [] };
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

/** Every way of looking at the same moment. */
export async function lookEveryWay(
  { stage, number, broken }: LookRequest,
  { bug, gapShare }: { readonly bug: PlantedBug | null; readonly gapShare: number },
): Promise<readonly Said[]> {
  const random = stage.simulated.kernel.random(`pile/${number}`);
  const pile = collectPile(stage, broken, { gapShare, random });
  const live = await lookLive(stage, bug, null);
  const { people, looking } = stage;
  const { plants } = looking;
  const texts = machineTexts(stage, broken).map((file) => plantedText(plants, file));
  const withFiles = texts.length === 0 ? [] : [await lookWithFiles(live, texts, bug)];
  const planted = plantedPile({ people, plants }, pile.texts);
  return [live.said, ...withFiles, await lookAtPile({ ...pile, texts: planted }, bug)];
}
