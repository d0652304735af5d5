import type { JsonObject } from '../../evidence/json.ts';
import type { FactKind } from '../../evidence/kinds.ts';
import { isKubeKind } from '../../evidence/kube/shapes.ts';
import { classifyName, type MachineName, type NameKind } from '../../evidence/names.ts';
import { readAwsAnswer } from '../aws/answer.ts';
import { readPart } from '../kube/object.ts';
import type { PassageReading } from '../passage.ts';
import { bracketEnds } from '../text/bracket-ends.ts';
import { awsAnswerTo, isOfAll } from './aws.ts';
import {
  type Command,
  commandsIn,
  filteredIn,
  isContinued,
  isTyped,
  linesOfCommand,
  wholeCommand,
} from './command.ts';
import { readInPod, sayLacking } from './in-pod.ts';
import { askedOf, halfOf, partsOf } from './kubectl.ts';
import { readDirectories } from './directories.ts';
import { readInterfaces } from './interfaces.ts';
import { readLookups } from './lookups.ts';
import { readMetadata } from './metadata.ts';
import { readPodRows, readWholeList } from './pod-rows.ts';

/** A command and what it printed. */
interface Exchange {
  readonly command: Command;
  /** The line, from 1, at which the output begins. */
  readonly line: number;
  readonly output: readonly string[];
}

const OUTPUT_LINES_MAX = 5000;

interface Typed {
  readonly commands: readonly Command[];
  readonly index: number;
  /** Its last line. */
  readonly last: number;
}

function typedAt(lines: readonly string[], index: number): Typed | null {
  if (index > 0 && isContinued(lines[index - 1])) return null;
  const isLong = isContinued(lines[index]);
  const text = isLong ? wholeCommand(lines, index) : (lines[index] ?? '');
  if (!isTyped(text)) return null;
  const whole = commandsIn(text);
  const commands = whole.length > 0 ? whole : [filteredIn(text)].filter((one) => one !== null);
  const last = isLong ? index + linesOfCommand(lines, index) - 1 : index;
  return { commands, index, last };
}

/** Each command of a line has what follows, up to the end of the JSON that the one before printed. */
function sharedOut(
  commands: readonly Command[],
  line: number,
  output: readonly string[],
): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  let from = 0;
  for (const [place, command] of commands.entries()) {
    const rest = output.slice(from);
    const isLast = place === commands.length - 1;
    const end = isLast
      ? rest.length
      : /^\s*[[{]/.test(rest[0] ?? '')
        ? bracketEnds(rest).after(0)
        : 1;
    if (end < 0) break;
    exchanges.push({ command, line: line + from, output: rest.slice(0, end) });
    from += end;
  }
  return exchanges;
}

/** The commands of a transcript whose output stands below them. */
function exchangesIn(lines: readonly string[]): readonly Exchange[] {
  const asked = lines.flatMap((_, index) => typedAt(lines, index) ?? []);
  return asked.flatMap(({ commands, last }, at) => {
    const end = asked[at + 1]?.index ?? lines.length;
    const below = lines.slice(last + 1, Math.min(end, last + 1 + OUTPUT_LINES_MAX));
    const empty = below.findIndex((line) => line.trim() === '');
    return sharedOut(commands, last + 2, empty < 0 ? below : below.slice(0, empty));
  });
}

/** Lists of a question about some say nothing of the others. */
function withoutListings(passage: PassageReading): PassageReading {
  return { ...passage, collector: { ...passage.collector, listing: () => {} } };
}

const ANSWER_CHARACTERS_MAX = 2000;

/** Says the answer as it would stand there without the question for a part of it. */
function sayAnswer(passage: PassageReading, answer: JsonObject, line: number): void {
  const text = JSON.stringify(answer);
  if (text.length > ANSWER_CHARACTERS_MAX) return;
  const nobody = { when: null, host: null, about: null } as const;
  passage.say({ ...nobody, text, source: 'aws-message', line, isState: true });
}

/** Reads what `aws … --query` or jq printed as the answer that it was taken from; false for any other. */
function readQueried(passage: PassageReading, { command, line, output }: Exchange): boolean {
  const isPart = command.options.has('query') || command.jqPath !== '';
  if (command.program !== 'aws' || !isPart) return false;
  const answer = awsAnswerTo(command, output);
  if (answer === null) return false;
  sayAnswer(passage, answer, line);
  return readAwsAnswer(isOfAll(command) ? passage : withoutListings(passage), answer, line);
}

/** Objects of which a namespace has at most one, as facts of their own. */
const SOLE: Readonly<Record<string, FactKind>> = {
  'ConfigMap kube-system/aws-auth': 'kube/aws-auth',
  'ConfigMap kube-public/cluster-info': 'kube/cluster-info',
};

const NOT_FOUND = /^Error from server \(NotFound\): \S{1,200} "?([\w.:-]{1,253})"? not found\s*$/;

/** Reads what `kubectl get` printed instead of objects, and parts of objects. */
function readKubectl(passage: PassageReading, { command, line, output }: Exchange): void {
  const asked = askedOf(command);
  if (asked === null) return;
  const { collector, document } = passage;
  const locator = collector.locatorAt(document, line);
  const [first = ''] = output;
  const sole = SOLE[`${asked.kind} ${asked.namespace}/${asked.name}`];
  if (sole !== undefined && NOT_FOUND.exec(first)?.[1] === asked.name)
    collector.listing(
      sole,
      `kubectl -n ${asked.namespace} get ${asked.kind} ${asked.name}`,
      locator,
    );
  const kind = asked.kind === 'Node' || isKubeKind(asked.kind) ? asked.kind : null;
  if (kind !== null && asked.isOfAll && /^No resources found\s*$/.test(first))
    collector.listing(`kube/${kind}`, `kubectl get ${kind.toLowerCase()}s -A`, locator);
  for (const part of partsOf(command, asked, output)) {
    readPart(passage, part, line);
    sayLacking(passage, part, line);
  }
  if (asked.kind === 'EC2NodeClass') sayRows(passage, asked.kind.toLowerCase(), line, output);
}

/** Reads rows of pods, and the half of an object that another program left of what kubectl printed. */
function readPiped(passage: PassageReading, { command, line, output }: Exchange): void {
  const asked = askedOf(command);
  if (asked === null) return;
  const isEverywhere = command.options.has('A') || command.options.has('all-namespaces');
  if (command.options.get('o') === 'wide')
    readPodRows(passage, asked, { line, output }, isEverywhere);
  readWholeList(passage, asked, command, { line, output });
  const half = command.filter === '' ? null : halfOf(command, asked, output);
  if (half !== null) readPart(passage, half, line);
}

/** Says rows as kubectl prints them of several kinds, since no column of theirs tells the kind. */
function sayRows(
  passage: PassageReading,
  kind: string,
  line: number,
  [header = '', ...rows]: readonly string[],
): void {
  if (!/^\s*NAME\s.*\bREADY\b/.test(header)) return;
  const nobody = { when: null, host: null, about: null } as const;
  for (const [index, row] of rows.entries()) {
    const text = `${kind}/${row.trim()}`;
    passage.say({
      ...nobody,
      text,
      source: 'client-output',
      line: line + 1 + index,
      isState: true,
    });
  }
}

/** What instance metadata and `hostname` print, by the end of the question. */
const NAMES: readonly (readonly [RegExp, NameKind])[] = [
  [/^hostname(?: -f| --fqdn)?$|\/meta-data\/hostname$/, 'host'],
  [/\/meta-data\/local-hostname$/, 'private-dns'],
  [/\/meta-data\/instance-id$|cloud\/data\/instance-id$/, 'instance-id'],
  [/\/meta-data\/local-ipv4$/, 'ip'],
];

function nameOf({ command, output }: Exchange): MachineName | null {
  if (!/^(?:hostname|curl|cat)$/.test(command.program)) return null;
  const question = command.text.replace(/['"]/g, '').trim();
  const kind = NAMES.find(([form]) => form.test(question))?.[1];
  const [text = '', ...more] = output;
  // A page that says "not found" is no name.
  const isName = /^[\w.-]{1,253}$/.test(text.trim()) && more.length === 0;
  return kind === undefined || !isName ? null : classifyName(text, kind);
}

/** The names that a machine gave itself, where one transcript is of one machine. */
function readNames({ collector, document }: PassageReading, exchanges: readonly Exchange[]): void {
  const names = exchanges.map(nameOf).filter((name) => name !== null);
  const kinds = new Set(names.map(({ kind }) => kind));
  if (names.length === 0 || kinds.size < names.length) return;
  for (const name of names) collector.sawMachine(document, name);
  collector.link(names, 'the machine says so itself', collector.locatorOf(document));
}

/** Reads answers that only the command in front of them makes known. */
export function readTranscript(passage: PassageReading, lines: readonly string[]): void {
  const exchanges = exchangesIn(lines);
  for (const { command, ...printed } of exchanges) readInPod(passage, command, printed);
  for (const exchange of exchanges) readPiped(passage, exchange);
  const whole = exchanges.filter(({ command }) => command.filter === '');
  for (const exchange of whole) {
    if (!readQueried(passage, exchange)) readKubectl(passage, exchange);
  }
  readNames(passage, whole);
  readMetadata(passage, lines);
  readLookups(passage, lines);
  readDirectories(passage, lines);
  readInterfaces(passage, lines);
}
