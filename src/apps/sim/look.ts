import { renderMarkdown } from '../../diagnosis/report/markdown.ts';
import { renderText } from '../../diagnosis/report/text.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import { cleanContent } from '../../adapters/bundle/clean-content.ts';
import type { CollectedDocument } from '../../adapters/collection/document.ts';
import type { Stage } from '../../sim/faults/contract.ts';
import { collectPile, type Pile } from '../../sim/oracle/pile.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import type { LookRequest, Said } from '../../sim/run/run.ts';
import { diagnoseObservations, readPile } from '../cli/pile.ts';
import { observeTown, type TownApis } from './observe-town.ts';

function formsOf(document: DiagnosisDocument): readonly string[] {
  const options = { columns: 100, colour: false, paths: [] };
  return [JSON.stringify(document), renderText(document, options), renderMarkdown(document)];
}

/** Looks over the APIs, as `rollcall diagnose` does, while the world stands still. */
export async function lookLive(
  stage: Stage,
  bug: PlantedBug | null,
  onDocument: ((document: CollectedDocument) => void) | null,
): Promise<Said> {
  const { town, looking } = stage;
  const through = ({ kube, aws }: TownApis): TownApis => {
    const heard = { kube: looking.through(kube), aws: looking.noting(aws) };
    return {
      kube: bug?.kube?.(heard.kube) ?? heard.kube,
      aws: bug?.aws?.(heard.aws) ?? heard.aws,
    };
  };
  const saved: string[] = [];
  const keep = (document: CollectedDocument): void => {
    onDocument?.(document);
    saved.push(JSON.stringify(cleanContent(document.content)));
  };
  const { observations, document } = await observeTown(town, keep, through);
  const said = bug?.document?.(document) ?? document;
  const printed = [...formsOf(said), ...saved];
  const refused = looking.takeRefused();
  return { way: 'live', observations, document: said, printed, refused, left: [] };
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
  return [await lookLive(stage, bug, null), await lookAtPile(pile, bug)];
}
