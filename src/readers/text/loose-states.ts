import { isObject, type Json, textAt } from '../../evidence/json.ts';
import type { LineSource } from '../../evidence/source.ts';
import { isoMs } from '../../evidence/time.ts';
import type { PassageReading } from '../passage.ts';
import type { ReadLine } from '../quotes.ts';
import { parseYamlDocuments } from './parse.ts';

const CONDITION_ITEM =
  /^(\s*)- "?(?:lastTransitionTime|lastHeartbeatTime|lastProbeTime|message|observedGeneration|reason|status|type)"?:\s/;
const BLOCK_LINES_MAX = 400;

/** Conditions that only objects of this kind have. */
const OF_CLAIM = /^(?:Launched|Registered|Initialized|Consolidatable|Drifted|InstanceTerminating)$/;
const OF_POOL = /^(?:NodeClassReady|NodeRegistrationHealthy)$/;
const OF_CLASS =
  /^(?:AMIsReady|SubnetsReady|SecurityGroupsReady|InstanceProfileReady|CapacityReservationsReady)$/;
const OF_NODE = /^(?:MemoryPressure|DiskPressure|PIDPressure|NetworkUnavailable)$/;
const OWNERS: readonly (readonly [RegExp, string, LineSource])[] = [
  [OF_CLAIM, 'NodeClaim', 'node-claim'],
  [OF_POOL, 'NodePool', 'node-claim'],
  [OF_CLASS, 'EC2NodeClass', 'node-claim'],
  [OF_NODE, 'Node', 'node-status'],
];

interface Block {
  /** From 0. */
  readonly start: number;
  readonly lines: readonly string[];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The lines of a list whose first item begins at this line. */
function listAt(lines: readonly string[], start: number): Block {
  const indent = indentOf(lines[start] ?? '');
  let end = start + 1;
  while (end < lines.length && end - start < BLOCK_LINES_MAX) {
    const line = lines[end] ?? '';
    const isMore = indentOf(line) > indent || (indentOf(line) === indent && /^\s*- /.test(line));
    if (line.trim() === '' || !isMore) break;
    end++;
  }
  return { start, lines: lines.slice(start, end).map((line) => line.slice(indent)) };
}

function blocksIn(lines: readonly string[], loose: ReadonlySet<number>): readonly Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (!loose.has(index + 1) || !CONDITION_ITEM.test(lines[index] ?? '')) continue;
    const block = listAt(lines, index);
    blocks.push(block);
    index += block.lines.length - 1;
  }
  return blocks;
}

function entriesOf({ lines, start }: Block): readonly Json[] {
  const [parsed] = parseYamlDocuments(lines, start + 1);
  return parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
}

/** Says the conditions of an object of which only this part was pasted, where they tell its kind. */
function sayConditions(passage: PassageReading, block: Block): void {
  const entries = entriesOf(block).filter(isObject);
  const types = entries.map((entry) => textAt(entry, 'type') ?? '');
  const owner = OWNERS.find(([pattern]) => types.some((type) => pattern.test(type)));
  if (owner === undefined) return;
  const [, kind, source] = owner;
  for (const entry of entries) {
    const [type, status, reason, message] = ['type', 'status', 'reason', 'message'].map(
      (name) => textAt(entry, name) ?? '',
    );
    const text = `${kind}  condition ${type}=${status} ${reason} ${message}`;
    const sinceMs = isoMs(textAt(entry, 'lastTransitionTime') ?? '');
    const line = block.start + 1;
    passage.say({
      text,
      source,
      line,
      when: null,
      host: null,
      about: null,
      isState: true,
      sinceMs,
    });
  }
}

const COMMAND =
  /^\s*"?command"?:\s*"?((?:\S*[/\\])?(?:aws|aws-iam-authenticator|heptio-authenticator-aws)(?:\.exe)?)"?,?\s*$/;
const ARGUMENTS = /^\s{0,100}"?args"?:\s{0,4}\[?\s{0,4}$/;
const ARGUMENT = /^\s*(?:- )?(?:"([^"]*)"|'([^']*)'|([^\s,\]]+)),?\s*$/;
const ARGUMENTS_MAX = 30;
/** Between the command of a credential plugin and its arguments are a few other fields. */
const FIELDS_BETWEEN_MAX = 6;

function argumentsBelow(lines: readonly string[], start: number): readonly string[] {
  const words: string[] = [];
  for (const line of lines.slice(start + 1, start + 1 + ARGUMENTS_MAX)) {
    const match = ARGUMENT.exec(line);
    if (match === null || line.trim() === ']' || (!/^\s*- /.test(line) && !/["']/.test(line)))
      break;
    words.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return words;
}

function commandNear(lines: readonly string[], from: number, to: number): string | null {
  const near = lines.slice(Math.max(0, from - FIELDS_BETWEEN_MAX), to + FIELDS_BETWEEN_MAX);
  return near.map((line) => COMMAND.exec(line)?.[1]).find((word) => word !== undefined) ?? null;
}

/** Says how a kubeconfig calls its credential plugin, as one command line. */
function sayPluginCall(passage: PassageReading, lines: readonly string[], index: number): void {
  const words = argumentsBelow(lines, index);
  const command = commandNear(lines, index, index + 1 + words.length);
  if (words.length === 0 || command === null) return;
  const shown = words.map((word) => (word === '' || /\s/.test(word) ? `"${word}"` : word));
  passage.say({
    text: `kubeconfig runs ${command} ${shown.join(' ')}`,
    source: 'host-file',
    line: index + 1,
    when: null,
    host: null,
    about: null,
    isState: true,
  });
}

/**
 * Says the state that parts of objects and files show which nobody reads as a whole: conditions
 * without their object, and the credential plugin of a kubeconfig.
 *
 * @param said what was read as plain lines
 */
export function readLooseStates(
  passage: PassageReading,
  lines: readonly string[],
  said: readonly ReadLine[],
): void {
  const loose = new Set(said.filter((one) => !one.isState).map(({ line }) => line));
  for (const block of blocksIn(lines, loose)) sayConditions(passage, block);
  for (const index of lines.keys())
    if (ARGUMENTS.test(lines[index] ?? '')) sayPluginCall(passage, lines, index);
}
