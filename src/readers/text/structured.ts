import { isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import type { LineSource } from '../../evidence/source.ts';
import { readAnswer } from '../answers.ts';
import { readTranscript } from '../asked/transcript.ts';
import { commandOutputs, mayHoldOutput } from '../aws/command-output.ts';
import { mimeLineCount } from '../aws/mime.ts';
import { machineLogOf, namesOfLog, sourceOfLog } from '../machine-log.ts';
import { isOurs } from '../ours.ts';
import type { ReadLine } from '../quotes.ts';
import {
  logLine,
  type OpenPassage,
  openPassage,
  type PassageReading,
  type TextReading,
} from '../passage.ts';
import { awsAuthOfLines, awsAuthOfTable } from '../kube/aws-auth.ts';
import { readDescribe } from '../kube/describe.ts';
import { readTable } from '../kube/table.ts';
import { documentSource, type Likely, NOT_KNOWN, readPrefix } from '../line/origin.ts';
import { isCommandEcho } from '../line/prompt.ts';
import { zoneOffsetMs } from '../line/zones.ts';
import { journalExportLines } from '../line/journal-export.ts';
import { parseBareJson } from '../pasted/bare-json.ts';
import { chatOf } from '../pasted/chat.ts';
import { isDefinition } from '../pasted/definitions.ts';
import { textsOfRecord } from '../pasted/json-text.ts';
import { unpasted } from '../pasted/paste.ts';
import {
  ownPage,
  type Reference,
  REFERENCES,
  withoutQuotingComments,
} from '../pasted/reference.ts';
import { withoutSearched } from '../pasted/rules.ts';
import { hasLostQuotes, mended, withoutQuotes } from '../pasted/unquoted.ts';
import { type Segment, segments } from './segments.ts';
import { readLooseStates } from './loose-states.ts';
import { readOwnState } from './own-state.ts';
import { type Parsed, parseJson, parseYamlDocuments } from './parse.ts';

/** Reads a text document passage by passage: logs, tables, describe output, JSON and YAML mixed. */
export function readStructuredText(given: TextReading, text: string): void {
  const { collector, document } = given;
  const written = withoutQuoted(given, journalExportLines(text) ?? text.split(/\r?\n/), ownPage);
  const { lines: shown, numbers } = unpasted(written);
  const unwrapped = withoutReferences(given, shown);
  const isUnquoted = hasLostQuotes(unwrapped);
  const lines = isUnquoted ? unwrapped.map(mended) : unwrapped;
  const reading = isUnquoted ? { ...given, table: withoutQuotes(given.table) } : given;
  if (numbers !== null) collector.renumber(document, numbers);
  collector.countLines(document, lines.length);
  collector.sawZone(document, zoneOffsetMs(lines));
  const sources = paragraphSources(lines, reading.likely);
  for (const { source } of new Set(sources)) collector.sawSource(document, source);
  const open = openPassage(reading);
  for (const segment of segments(lines)) {
    if (readOutputs(reading, segment)) continue;
    readSegment({ ...open, reading }, segment, sources[segment.line - 1] ?? NOT_KNOWN);
  }
  collector.sawMachine(document, loginHost(lines));
  readLooseAwsAuth(open.passage, lines);
  readTranscript(open.passage, lines);
  readLooseStates(open.passage, lines, open.said);
  readOwnState(open.passage, lines);
  open.flush();
}

/** The lines without all that quotes messages for another purpose than to show a machine. */
function withoutReferences(given: TextReading, lines: readonly string[]): readonly string[] {
  const left = REFERENCES.reduce((rest, find) => withoutQuoted(given, rest, find), lines);
  return withoutSearched(withoutQuotingComments(left));
}

/** What only quotes messages is left out, and said. */
function withoutQuoted(
  reading: TextReading,
  lines: readonly string[],
  find: (lines: readonly string[]) => Reference | null,
): readonly string[] {
  const reference = reading.isOfMachine === true ? null : find(lines);
  if (reference === null) return lines;
  const locator = reading.collector.locatorOf(reading.document);
  reading.collector.loss({ locator, what: `${locator} ${reference.what}` });
  return reference.lines;
}

const LOGIN = /^([a-z0-9][\w.-]{1,252}) login:\s*$/;
const PROMPT_LINES = 100;

/** The machine whose console it is, by the prompt that it ends with. */
function loginHost(lines: readonly string[]): MachineName | null {
  const prompts = lines.slice(-PROMPT_LINES).map((line) => LOGIN.exec(line.trim())?.[1] ?? '');
  const host = prompts.findLast((one) => one !== '' && !one.startsWith('localhost'));
  return host === undefined ? null : classifyName(host, 'host');
}

const HOST_LINES_MAX = 5000;

/** The host of which all lines with a host are. */
function soleHost(text: string): MachineName | null {
  const lines = text.split('\n', HOST_LINES_MAX);
  const hosts = new Set(lines.map((line) => readPrefix(line).host).filter((host) => host !== null));
  const [only] = hosts;
  return only === undefined || hosts.size > 1 ? null : classifyName(only, 'host');
}

/** What commands printed on machines is read as a document of each; false when it is nothing such. */
function readOutputs(reading: TextReading, segment: Segment): boolean {
  if (segment.kind !== 'json' || !mayHoldOutput(segment.text)) return false;
  const parsed = parseJson(segment.text);
  const outputs = parsed.ok ? commandOutputs(parsed.value) : [];
  const { collector } = reading;
  const locator = collector.locatorOf(reading.document);
  for (const { machine, text } of outputs) {
    // An answer in an answer is nothing that a command prints: it is read as lines.
    if (mayHoldOutput(text)) return false;
    const document = collector.openDocument(`${locator}#${machine.value}`, null);
    collector.sawMachine(document, machine);
    const proof = `Systems Manager ran the command on ${machine.value}`;
    collector.link([machine, soleHost(text)], proof, collector.locatorOf(document));
    readStructuredText({ ...reading, document }, text);
  }
  return outputs.length > 0;
}

/** A log that Rollcall read from a machine is read as a document of it; false for any other value. */
export function readMachineLog(reading: TextReading, value: Json): boolean {
  const log = reading.isOfMachine === true ? null : machineLogOf(value);
  if (log === null) return false;
  const { collector } = reading;
  const locator = collector.locatorOf(reading.document);
  const document = collector.openDocument(locator, null);
  const names = namesOfLog(log);
  for (const name of names) collector.sawMachine(document, name);
  const proof = `read from ${names[0]?.value ?? 'the machine'} itself`;
  collector.link([...names, soleHost(log.text)], proof, locator);
  // journalctl of the kubelet prints UTC.
  if (log.unit !== null) collector.sawZone(document, 0);
  const likely = sourceOfLog(log);
  readStructuredText(
    { ...reading, document, isOfMachine: true, ...(likely === undefined ? {} : { likely }) },
    log.text,
  );
  return true;
}

/** A record that holds texts of several lines is read as a document of each; false for any other. */
function readTexts(reading: TextReading, value: Json): boolean {
  const { collector } = reading;
  const locator = collector.locatorOf(reading.document);
  const texts = textsOfRecord(value);
  for (const { path, text } of texts) {
    const document = collector.openDocument(`${locator}#${path}`, null);
    readStructuredText({ ...reading, document }, text);
  }
  return texts.length > 0;
}

/** What people wrote in a chat is read as a text; false for any other value. */
function readChat(reading: TextReading, value: Json): boolean {
  const text = reading.isOfMachine === true ? null : chatOf(value);
  if (text === null) return false;
  const { collector } = reading;
  const locator = collector.locatorOf(reading.document);
  const document = collector.openDocument(`${locator}#messages`, null);
  readStructuredText({ ...reading, document }, text);
  return true;
}

/** A dashboard or monitor holds no lines of anybody; false for any other value. */
function leaveDefinition({ collector, document, isOfMachine }: TextReading, value: Json): boolean {
  if (isOfMachine === true || !isDefinition(value)) return false;
  const locator = collector.locatorOf(document);
  const what = `${locator} holds dashboards or monitors; give the lines, alerts or events that they show.`;
  collector.loss({ locator, what });
  return true;
}

/** aws-auth is often pasted without its ConfigMap around it, or as `kubectl describe` prints it. */
function readLooseAwsAuth({ collector, document }: PassageReading, lines: readonly string[]): void {
  if (collector.hasFact(document, 'kube/aws-auth')) return;
  const table = awsAuthOfTable(lines);
  const value = table ?? awsAuthOfLines(lines);
  if (value === null) return;
  const locator = collector.locatorOf(document);
  const by =
    table === null ? 'kubectl describe configmap aws-auth' : 'eksctl get iamidentitymapping';
  collector.fact(document, 'kube/aws-auth', value, { by, locator, line: 1, about: [] });
}

/** What lines are by their words, else by what the collector knows of their file. */
export function likelyOf(guess: Likely, given: LineSource | undefined): Likely {
  if (given === undefined || given === guess.source)
    return { source: guess.source, isKnown: guess.isKnown || given !== undefined };
  return guess.source === 'unknown' ? { source: given, isKnown: true } : guess;
}

/** Lines of a paragraph by which its program is known. */
const PARAGRAPH_HEAD = 60;

/** Lines behind a journal by which they are told from it. */
const JOURNAL_TAIL = 20;

/** True for a line at which a journal ends and something else begins without an empty line. */
function endsJournal(lines: readonly string[], index: number): boolean {
  const isTagged = (line: string | undefined): boolean => readPrefix(line ?? '').program !== null;
  if (index === 0 || isTagged(lines[index]) || !isTagged(lines[index - 1])) return false;
  const { source } = documentSource(lines.slice(index, index + JOURNAL_TAIL));
  return source !== 'unknown';
}

/** Where the paragraphs of a text begin; a pasted one holds several, parted by empty lines. */
function paragraphStarts(lines: readonly string[]): readonly number[] {
  const isStart = (index: number): boolean =>
    (lines[index - 1] ?? '').trim() === '' || endsJournal(lines, index);
  return [...lines.keys()].filter((index) => (lines[index] ?? '').trim() !== '' && isStart(index));
}

/** The program behind each line's paragraph. */
function paragraphSources(lines: readonly string[], likely?: LineSource): readonly Likely[] {
  const userDataLines = mimeLineCount(lines);
  const sources = Array.from({ length: lines.length }, () => NOT_KNOWN);
  const starts = paragraphStarts(lines);
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? lines.length;
    const guess = documentSource(lines.slice(start, Math.min(end, start + PARAGRAPH_HEAD)));
    sources.fill(likelyOf(guess, start < userDataLines ? 'user-data' : likely), start, end);
  }
  return sources;
}

interface Open extends Omit<OpenPassage, 'flush'> {
  readonly reading: TextReading;
}

function readSegment(open: Open, segment: Segment, source: Likely): void {
  const { passage, said } = open;
  switch (segment.kind) {
    case 'line':
    case 'joined':
      if (!isCommandEcho(segment.text)) said.push(logLine(passage, segment, source));
      return;
    case 'table':
      return readTable(passage, segment, source);
    case 'describe':
      return readDescribe(passage, segment, source);
    case 'json':
      return readJson(open, segment, source);
    case 'yaml':
      return readYaml(open, segment, source);
  }
}

function rawLines(
  passage: PassageReading,
  said: ReadLine[],
  from: number,
  lines: readonly string[],
  source: Likely,
): void {
  for (const [offset, text] of lines.entries()) {
    if (text.trim() !== '') said.push(logLine(passage, { line: from + offset, text }, source));
  }
}

function parsedJson({ text }: Segment & { kind: 'json' }): Parsed {
  const parsed = parseJson(text);
  if (parsed.ok || text.includes('":')) return parsed;
  const value = parseBareJson(text);
  return value === undefined ? parsed : { ok: true, value, line: 1 };
}

function readJson(
  { passage, said, reading }: Open,
  segment: Segment & { kind: 'json' },
  source: Likely,
): void {
  const parsed = parsedJson(segment);
  if (!parsed.ok) return rawLines(passage, said, segment.line, segment.lines, source);
  const isUnderstood =
    readMachineLog(reading, parsed.value) ||
    leaveDefinition(reading, parsed.value) ||
    readAnswer(passage, parsed.value, segment.line) ||
    readChat(reading, parsed.value) ||
    readTexts(reading, parsed.value);
  if (isUnderstood) return;
  // An unknown object is a log record: printed on one line, as the program meant it.
  const text = segment.lines.map((line) => line.trim()).join(' ');
  said.push(
    logLine(
      passage,
      { line: segment.line, lineEnd: segment.line + segment.lines.length - 1, text },
      source,
    ),
  );
}

/** Kinds of which everything that expressions look for is told from the object. */
const TOLD =
  /^(?:Node|NodeClaim|NodePool|EC2NodeClass|Machine|AWSNodeTemplate|Pod|Event|Lease)(?:List)?$/;

/** An answer of AWS has no kind, and nothing of it or of a collected one is left over either. */
function isTold(value: Json): boolean {
  if (!isObject(value)) return false;
  const kind = textAt(value, 'kind');
  if (kind === null || isOurs(value)) return true;
  return kind === 'List' ? listAt(value, 'items').every(isTold) : TOLD.test(kind);
}

function readYaml(
  { passage, said, reading }: Open,
  segment: Segment & { kind: 'yaml' },
  source: Likely,
): void {
  let isUnderstood = true;
  let isEmpty = true;
  for (const part of parseYamlDocuments(segment.lines, segment.line)) {
    isEmpty = false;
    if (part.ok && leaveDefinition(reading, part.value)) continue;
    if (part.ok) {
      const isRead = readAnswer(passage, part.value, part.line);
      isUnderstood &&= isRead && isTold(part.value);
    } else {
      isUnderstood = false;
      passage.collector.loss({
        locator: `${passage.collector.locatorOf(passage.document)}:${part.line}`,
        what: part.why,
      });
    }
  }
  // What an object says was read from the object; its lines again would be of nobody.
  if (isEmpty || !isUnderstood) rawLines(passage, said, segment.line, segment.lines, source);
}
