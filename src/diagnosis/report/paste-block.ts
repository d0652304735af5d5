import type { DiagnosisDocument, Finding, SubjectReport } from '../document.ts';
import { type KnownNames, namesOf, sharedNames } from './known-names.ts';
import { searchCommand, searchOf } from './searches.ts';
import { answerOf, fuller, ofAllMachines } from './same-answer.ts';
import { piped, sequence } from './shell-words.ts';

/** One read-only command that would decide, and what it is worth. */
export interface DecidingCommand {
  readonly where: 'on the machine' | 'with kubectl' | 'with the AWS CLI';
  readonly command: string;
  /** Sum over the candidates that it tells and none before it: the likeliest 1, the next 1/2, … */
  readonly worth: number;
}

const COMMANDS_MAX = 12;
const COLLECTING_MAX = 4;

/** What shows most of a machine of which nothing was seen yet, lowest stages first. */
const FIRST_LOOK: readonly string[] = [
  'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000',
  'sudo tail -n 500 /var/log/cloud-init-output.log',
  'kubectl get nodes -o yaml',
  'kubectl get events -A --sort-by=.lastTimestamp',
];

function placeOf(command: string): DecidingCommand['where'] {
  if (/^(?:kubectl|oc) /.test(command)) return 'with kubectl';
  // Who calls is asked of the machine: elsewhere the answer is about whoever asks.
  if (command.startsWith('aws sts get-caller-identity')) return 'on the machine';
  return command.startsWith('aws ') ? 'with the AWS CLI' : 'on the machine';
}

const QUERY = / --query (?:"[^"]*"|'[^']*'|\S+)/g;
const TEXT_OUTPUT = / --output (?:text|table)\b/g;
const COLUMNS =
  / (?:-o|--output)[ =](?:jsonpath|custom-columns|go-template)=(?:"[^"]*"|'[^']*'|\S+)/;
const FILTER = /^(?:grep|sort|head|tail|sed|awk|cut|wc|jq)\b/;

/** Selections of events differ by reason and namespace; all of them are one answer. */
const EVENTS = /^kubectl (?:-n \S+ )?get events\b(?!.*-o (?:json|yaml))/;
const ALL_EVENTS = 'kubectl get events -A --sort-by=.lastTimestamp';

/** Selections of a program's log differ by length. */
const LOG_LINES = /^(kubectl (?:-n \S+ )?logs .*--tail=)(?:[1-9]|\d\d|1\d\d)\b/;

/**
 * Whole answers are recognised when they are piped back; excerpts of them are not. What goes on in
 * a substitution or a decoder stays as it is, since it needs the excerpt.
 */
function wholeAnswer(command: string): string {
  const [source = '', ...rest] = piped(command);
  if (command.includes('$(') || !rest.every((stage) => FILTER.test(stage))) return command;
  if (source.startsWith('aws ')) {
    const unqueried = source.replace(QUERY, '');
    return unqueried === source ? source : unqueried.replace(TEXT_OUTPUT, '');
  }
  if (/^(?:kubectl|oc) (?:-n \S+ )?(?:get|describe) /.test(source))
    return EVENTS.test(source) ? ALL_EVENTS : source.replace(COLUMNS, ' -o json');
  return command.replace(LOG_LINES, '$1200');
}

/** An instance whose id nobody saw is found by the address that its name holds. */
function byAddress(command: string, node: string | undefined): string {
  const octets = /^ip-(\d+)-(\d+)-(\d+)-(\d+)(?:\.|$)/.exec(node ?? '');
  if (octets === null || !command.startsWith('aws ec2 describe-instances ')) return command;
  const filter = `--filters Name=private-ip-address,Values=${octets.slice(1).join('.')}`;
  return command.replace('--instance-ids <instance>', filter);
}

/** The commands of a line, each as a whole answer with the names that are known. */
function partsOf(line: string, own: KnownNames, shared: KnownNames): readonly string[] {
  const names = { ...shared, ...own };
  const named = line.replace(/<([a-z][a-z-]*)>/g, (placeholder, name: string) =>
    Object.hasOwn(names, name) ? (names[name] ?? placeholder) : placeholder,
  );
  return sequence(named).map((part) => byAddress(wholeAnswer(part), names['node']));
}

function decidesOf({
  findings,
}: SubjectReport): readonly (Finding & { readonly command: string })[] {
  return findings.flatMap((finding) => {
    const command = finding.decide?.command ?? null;
    return command === null ? [] : [{ ...finding, command }];
  });
}

/** A command as far as it is the same for several candidates, and the causes that ask for it. */
interface Asked {
  /** In the form that says most. */
  command: string;
  /** What it is worth to tell each cause: the likeliest 1, the next 1/2, 1/3, … */
  readonly causes: Map<string, number>;
  readonly expressions: string[];
}

function ask(
  asked: Map<string, Asked>,
  part: string,
  { cause, rank }: { readonly cause: string; readonly rank: number },
): void {
  const search = searchOf(part);
  const key = search?.log ?? answerOf(part);
  const known: Asked = asked.get(key) ?? { command: part, causes: new Map(), expressions: [] };
  known.command = fuller(known.command, part);
  known.causes.set(cause, Math.max(known.causes.get(cause) ?? 0, 1 / (rank + 1)));
  if (search !== null) known.expressions.push(search.expression);
  asked.set(key, known);
}

function commandOf([key, { command, expressions }, worth]: Chosen): DecidingCommand {
  const whole = expressions.length === 0 ? command : searchCommand(key, expressions);
  return { where: placeOf(whole), command: whole, worth };
}

/** One question about all machines answers what is asked of one of them. */
function joinWide(asked: Map<string, Asked>): void {
  for (const [key, { command, causes }] of asked) {
    const wide = ofAllMachines(key);
    const known = wide === key ? undefined : asked.get(wide);
    if (known === undefined || fuller(known.command, command) !== known.command) continue;
    for (const [cause, worth] of causes)
      known.causes.set(cause, Math.max(known.causes.get(cause) ?? 0, worth));
    asked.delete(key);
  }
}

/** True where what a command would print is in the evidence already. */
function isAnswered(part: string, answered: readonly string[]): boolean {
  const wide = ofAllMachines(part);
  return [part, wide].some((command) =>
    answered.some(
      (known) => answerOf(known) === answerOf(command) && fuller(known, command) === known,
    ),
  );
}

function uncovered({ causes }: Asked, covered: ReadonlySet<string>): number {
  return [...causes].reduce((sum, [cause, worth]) => (covered.has(cause) ? sum : sum + worth), 0);
}

type Chosen = readonly [string, Asked, number];

/** As many as fit in a block, each the one that tells most of the candidates left. */
function chosen(asked: ReadonlyMap<string, Asked>, most: number): readonly Chosen[] {
  const left = [...asked];
  const covered = new Set<string>();
  const taken: Chosen[] = [];
  while (taken.length < most && left.length > 0) {
    const gains = left.map(([, entry]) => uncovered(entry, covered));
    const worth = Math.max(...gains);
    const [best] = left.splice(gains.indexOf(worth), 1);
    if (best === undefined) break;
    for (const cause of best[1].causes.keys()) covered.add(cause);
    taken.push([...best, worth]);
  }
  return taken;
}

/** The commands that decide between the candidates, the one first that tells most of the likeliest. */
export function decidingCommands(
  document: DiagnosisDocument,
  most = COMMANDS_MAX,
): readonly DecidingCommand[] {
  const { answered = [] } = document;
  const shared = sharedNames(document);
  const asked = new Map<string, Asked>();
  for (const subject of document.subjects) {
    for (const [rank, { cause, command }] of decidesOf(subject).entries()) {
      for (const part of partsOf(command, namesOf(subject), shared))
        if (!isAnswered(part, answered)) ask(asked, part, { cause, rank });
    }
  }
  joinWide(asked);
  return chosen(asked, most).map(commandOf);
}

/** Each answer once, in the form that says most. */
function onceEach(commands: readonly string[]): readonly string[] {
  const forms = new Map<string, string>();
  for (const command of commands) {
    const answer = answerOf(command);
    forms.set(answer, fuller(forms.get(answer) ?? command, command));
  }
  return [...forms.values()];
}

/** When nothing decides and no cause asks for more: what shows the lowest stages nobody saw. */
export function collectingCommands(document: DiagnosisDocument): readonly DecidingCommand[] {
  const shared = sharedNames(document);
  const machines = document.subjects.filter(({ kind }) => kind === 'Machine');
  const missing = document.subjects.flatMap((subject) =>
    subject.notObservable.flatMap(({ collect }) =>
      partsOf(machines.length > 1 ? ofAllMachines(collect) : collect, namesOf(subject), shared),
    ),
  );
  const unanswered = missing.filter((part) => !isAnswered(part, document.answered ?? []));
  const commands =
    missing.length > 0
      ? onceEach(unanswered.length > 0 ? unanswered : missing).slice(0, COLLECTING_MAX)
      : FIRST_LOOK;
  return commands.map((command) => ({ where: placeOf(command), command, worth: 0 }));
}

/** Names that only the reader knows, as they stand in the commands. */
function placeholdersIn(commands: readonly DecidingCommand[]): string {
  const names = commands.flatMap(({ command }) => command.match(/<[a-z][a-z-]*>/g) ?? []);
  return names.length === 0 ? '' : `, with your ${[...new Set(names)].join(', ')}`;
}

function isAllUsable({ subjects }: DiagnosisDocument): boolean {
  return subjects.length > 0 && subjects.every(({ verdict }) => verdict === 'usable');
}

/**
 * The block to paste, as shell lines with a heading for each place; empty when none is needed.
 *
 * @param most how many of the commands that decide are in it, the most telling ones
 */
export function pasteBlock(document: DiagnosisDocument, most = COMMANDS_MAX): readonly string[] {
  if (document.headline !== null || isAllUsable(document)) return [];
  const deciding = decidingCommands(document, most);
  const commands = deciding.length > 0 ? deciding : collectingCommands(document);
  const places = [...new Set(commands.map((entry) => entry.where))];
  return places.flatMap((where) => {
    const here = commands.filter((entry) => entry.where === where);
    return [`# ${where}${placeholdersIn(here)}`, ...here.map((entry) => entry.command)];
  });
}
