import type { DiagnosisDocument, Finding } from '../document.ts';

/** One read-only command that would decide, and how many candidates it tells apart. */
export interface DecidingCommand {
  readonly where: 'on the machine' | 'with kubectl' | 'with the AWS CLI';
  readonly command: string;
  readonly separates: number;
}

const COMMANDS_MAX = 8;

function placeOf(command: string): DecidingCommand['where'] {
  if (/^(?:kubectl|oc) /.test(command)) return 'with kubectl';
  return command.startsWith('aws ') ? 'with the AWS CLI' : 'on the machine';
}

/** Whole answers are recognised when they are piped back; excerpts made by --query are not. */
function wholeAnswer(command: string): string {
  return command.replace(/ --query (?:"[^"]*"|'[^']*'|\S+)/g, '').trim();
}

function candidatesOf(document: DiagnosisDocument): readonly Finding[] {
  const all = document.subjects.flatMap((subject) => subject.findings);
  return all.filter(
    (finding) => finding.confidence === 'possible' && typeof finding.decide?.command === 'string',
  );
}

/** The commands that decide between the candidates, those that separate most first. */
export function decidingCommands(document: DiagnosisDocument): readonly DecidingCommand[] {
  const causesOf = new Map<string, Set<string>>();
  for (const finding of candidatesOf(document)) {
    for (const part of splitCommands(finding.decide?.command ?? '')) {
      const causes = causesOf.get(part) ?? new Set<string>();
      causesOf.set(part, causes.add(finding.cause));
    }
  }
  return [...causesOf]
    .map(([command, causes]) => ({ where: placeOf(command), command, separates: causes.size }))
    .toSorted((a, b) => b.separates - a.separates || (a.command < b.command ? -1 : 1))
    .slice(0, COMMANDS_MAX);
}

function splitCommands(command: string): readonly string[] {
  return command
    .split(/;\s+/)
    .map(wholeAnswer)
    .filter((part) => part !== '');
}

/** When nothing decides and no cause asks for more: what shows the lowest stages nobody saw. */
export function collectingCommands(document: DiagnosisDocument): readonly DecidingCommand[] {
  const missing = document.subjects.flatMap((subject) => subject.notObservable);
  const commands = [...new Set(missing.map((entry) => wholeAnswer(entry.collect)))];
  return commands
    .slice(0, 4)
    .map((command) => ({ where: placeOf(command), command, separates: 0 }));
}

/** The one block to paste, as shell lines with a heading for each place; empty when none is needed. */
export function pasteBlock(document: DiagnosisDocument): readonly string[] {
  if (document.headline !== null) return [];
  const deciding = decidingCommands(document);
  const commands = deciding.length > 0 ? deciding : collectingCommands(document);
  const places = [...new Set(commands.map((entry) => entry.where))];
  return places.flatMap((where) => [
    `# ${where}`,
    ...commands.filter((entry) => entry.where === where).map((entry) => entry.command),
  ]);
}
