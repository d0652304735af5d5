import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { decidingCommands, pasteBlock } from '../../src/diagnosis/report/paste-block.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { type Desk, runPrinted } from './operator.ts';

/** What an operator may have seen first. */
export const OPENINGS = [
  'kubectl get nodes -o wide',
  'kubectl get pods -A -o wide',
  'kubectl describe nodes',
  'kubectl get events -A --sort-by=.lastTimestamp',
  'journalctl -u kubelet --no-pager | tail -n 60',
] as const;

export interface Dialogue {
  readonly opening: string;
  /** Commands that Rollcall printed and the operator ran. */
  readonly asked: readonly string[];
  readonly document: DiagnosisDocument;
  readonly observations: Observations;
}

const ROUNDS_MAX = 5;
const COMMANDS_MAX = 40;

/** As the report shows them: where a cause is named, what would tell its reason. */
function printedCommands(document: DiagnosisDocument): readonly string[] {
  if (document.headline !== null)
    return decidingCommands(document, COMMANDS_MAX).map(({ command }) => command);
  const lines = [...pasteBlock(document, 1), ...pasteBlock(document, COMMANDS_MAX)];
  return lines.filter((line) => !line.startsWith('# '));
}

/** The first command of the report that was not run before and that can be run. */
async function nextAnswer(
  document: DiagnosisDocument,
  ran: ReadonlySet<string>,
  desk: Desk,
): Promise<{ readonly command: string; readonly text: string } | null> {
  for (const command of printedCommands(document)) {
    if (ran.has(command)) continue;
    const text = await runPrinted(command, desk);
    if (text !== null) return { command, text };
  }
  return null;
}

/** Begins with one look, and then runs what Rollcall prints until it asks no more. */
export async function holdDialogue(opening: string, desk: Desk): Promise<Dialogue> {
  const files: { readonly name: string; readonly text: string }[] = [
    { name: 'opening.txt', text: (await runPrinted(opening, desk)) ?? '' },
  ];
  const asked: string[] = [];
  for (;;) {
    const observations = await readTexts(files);
    const document = await diagnoseObservations(observations);
    const ran = new Set([opening, ...asked]);
    const next = asked.length === ROUNDS_MAX ? null : await nextAnswer(document, ran, desk);
    if (next === null) return { opening, asked, document, observations };
    asked.push(next.command);
    files.push({ name: `answer-${asked.length}.txt`, text: next.text });
  }
}
