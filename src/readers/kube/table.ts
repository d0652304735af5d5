import type { JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import type { Likely } from '../line/origin.ts';
import { reporterOf } from '../line/reporter.ts';
import { agoIn, parseAgeMs } from '../line/timestamps.ts';
import { type LabelColumn, labelColumns } from './label-columns.ts';
import { linesOfNode } from './node.ts';
import { readPart } from './object.ts';
import { logLine, type PassageReading } from '../passage.ts';

export interface TablePassage {
  readonly line: number;
  readonly above?: string;
  readonly header: string;
  readonly rows: readonly string[];
}

type Row = Readonly<Record<string, string>>;

interface Column {
  readonly name: string;
  readonly start: number;
}

function columnsOf(header: string): readonly Column[] {
  const columns: Column[] = [];
  for (const match of header.matchAll(/\S+(?: \S+)*/g))
    columns.push({ name: match[0], start: match.index });
  return columns;
}

interface Cell {
  readonly text: string;
  readonly start: number;
}

function cellsIn(row: string): readonly Cell[] {
  return [...row.matchAll(/\S+(?: \S+)*/g)].map((match) => ({
    text: match[0],
    start: match.index,
  }));
}

/**
 * Cells by column name. A row with a cell for every column is taken in order, since pasting moves
 * columns; where cells are missing, each goes to the last column that begins at or before it.
 */
function cellsOf(columns: readonly Column[], cells: readonly Cell[]): Row {
  if (cells.length === columns.length) {
    return Object.fromEntries(cells.map((cell, index) => [columns[index]?.name ?? '', cell.text]));
  }
  const byName: Record<string, string> = {};
  let next = 0;
  for (const cell of cells) {
    while (next + 1 < columns.length && (columns[next + 1]?.start ?? 0) <= cell.start + 1) next++;
    byName[columns[next]?.name ?? ''] = cell.text;
    next = Math.min(next + 1, columns.length - 1);
  }
  return byName;
}

/** Reads a `kubectl get` table; nodes become facts, everything becomes lines. */
export function readTable(passage: PassageReading, table: TablePassage, source: Likely): void {
  const columns = columnsOf(table.header);
  const names = columns.map((column) => column.name);
  const isNodes =
    names.includes('NAME') &&
    names.includes('STATUS') &&
    (names.includes('ROLES') || names.includes('VERSION'));
  const isDaemonSets = names.includes('DESIRED') && names.includes('UP-TO-DATE');
  const isEvents = names.some((name) => /^(?:LAST ?SEEN|FIRST ?SEEN)$/.test(name));
  const space = / (?:-n|--namespace)[= ]([a-z0-9][a-z0-9-]{0,62})(?= |$)/.exec(
    table.above ?? '',
  )?.[1];
  const labels = isNodes ? labelColumns(names, table.above ?? '') : [];
  for (const [offset, text] of table.rows.entries()) {
    const line = table.line + 1 + offset;
    if (isNodes) {
      const cells = unshifted(columns, cellsIn(text));
      const row = cellsOf(columns, cells);
      const node = nodeOf(row, labels, areAligned(columns, cells));
      readNodeRow(passage, node, { line, status: row['STATUS'] ?? '' });
    } else if (isEvents) readEventRow(passage, cellsOf(columns, cellsIn(text)), text, line);
    else passage.say({ ...logLine(passage, { line, text }, source), line });
    // What a daemon set wants where is read beside its row.
    if (isDaemonSets) readPart(passage, daemonSetOf(cellsOf(columns, cellsIn(text)), space), line);
  }
  const { collector, document } = passage;
  if (isNodes) collector.listing('kube/Node', 'kubectl get nodes', collector.locatorOf(document));
  collector.sawSource(document, isEvents ? 'event' : isNodes ? 'node-status' : 'client-output');
}

/** The cells of a Node below their titles where only another length of its name has moved them. */
function unshifted(columns: readonly Column[], cells: readonly Cell[]): readonly Cell[] {
  const shift = (cells[1]?.start ?? 0) - (columns[1]?.start ?? 0);
  const moved = cells.map((cell, index) =>
    index === 0 ? cell : { ...cell, start: cell.start - shift },
  );
  return areAligned(columns, moved) ? moved : cells;
}

/** True where each cell begins below a title, so that what stands below none is empty. */
function areAligned(columns: readonly Column[], cells: readonly Cell[]): boolean {
  return cells.every(({ start }) => columns.some((column) => column.start === start));
}

/** The labels of `--show-labels`: `key=value,key=`. */
function labelsIn(cell: string): Readonly<Record<string, string>> {
  const pairs = cell.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
}

/** The labels that columns show, and those of which the cell is empty. */
function labelsBelow(
  row: Row,
  columns: readonly LabelColumn[],
  isAligned: boolean,
): Pick<KubeNode, 'labels' | 'absentLabels'> {
  const shown = columns.flatMap(({ title, key }) => {
    const cell = row[title];
    return cell === undefined || cell.startsWith('<') ? [] : [[key, cell] as const];
  });
  const all = row['LABELS'];
  if (all !== undefined) return { labels: { ...labelsIn(all), ...Object.fromEntries(shown) } };
  const empty = columns.filter(({ title, isAsked }) => isAsked && row[title] === undefined);
  return {
    labels: Object.fromEntries(shown),
    absentLabels: isAligned ? empty.map(({ key }) => key) : [],
  };
}

function nodeOf(row: Row, columns: readonly LabelColumn[], isAligned: boolean): KubeNode {
  const status = (row['STATUS'] ?? '').split(',');
  const known = (text: string | undefined): string | null =>
    text === undefined || text === '' || text.startsWith('<') ? null : text;
  return {
    name: row['NAME'] ?? '',
    uid: null,
    providerId: null,
    internalIp: known(row['INTERNAL-IP']),
    hostname: null,
    internalDns: null,
    ...labelsBelow(row, columns, isAligned),
    annotations: {},
    taints: null,
    unschedulable: status.includes('SchedulingDisabled'),
    conditions: [],
    ready: status.includes('Ready') ? true : status.includes('NotReady') ? false : null,
    kubeletVersion: known(row['VERSION']),
    ageMs: parseAgeMs(row['AGE'] ?? ''),
    createdMs: null,
    allocatable: {},
    capacity: {},
    podCidr: null,
    machineId: null,
    osImage: null,
    taintWriters: [],
    cordonWriters: [],
    deletionAskedMs: null,
  };
}

/** Amounts of a daemon set by their columns. */
const AMOUNTS: readonly (readonly [column: string, member: string])[] = [
  ['DESIRED', 'desiredNumberScheduled'],
  ['CURRENT', 'currentNumberScheduled'],
  ['READY', 'numberReady'],
  ['AVAILABLE', 'numberAvailable'],
];

function daemonSetOf(row: Row, asked: string | undefined): JsonObject {
  const amounts = AMOUNTS.filter(([column]) => /^\d{1,6}$/.test(row[column] ?? ''));
  const namespace = row['NAMESPACE'] ?? asked;
  const nodeSelector = labelsIn(row['NODE SELECTOR'] ?? '');
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: row['NAME'] ?? '', ...(namespace === undefined ? {} : { namespace }) },
    ...(Object.keys(nodeSelector).length > 0
      ? { spec: { template: { spec: { nodeSelector } } } }
      : {}),
    status: Object.fromEntries(
      amounts.map(([column, member]) => [member, Number(row[column] ?? '')]),
    ),
  };
}

function readNodeRow(
  passage: PassageReading,
  node: KubeNode,
  { line, status }: { readonly line: number; readonly status: string },
): void {
  const { collector, document } = passage;
  const about = [
    classifyName(node.name, 'node'),
    node.internalIp === null ? null : classifyName(node.internalIp, 'ip'),
  ];
  if (about[0] === null) return;
  const locator = collector.locatorAt(document, line);
  const origin = { by: 'kubectl get nodes', extent: 'row', locator, line, about } as const;
  collector.fact(document, 'kube/Node', node, origin);
  collector.link(about, `kubectl get nodes shows them in one row`, locator);
  const ready = node.ready === null ? 'Unknown' : node.ready ? 'True' : 'False';
  const text = `Node ${node.name} condition Ready=${ready} (${status})`;
  for (const state of [...linesOfNode(node), { text, sinceMs: null }]) {
    passage.say({
      ...state,
      source: 'node-status',
      line,
      when: null,
      host: null,
      about: about[0] ?? null,
      isState: true,
    });
  }
}

/** The machine of an event row: its object, or the kubelet that reported it. */
export function machineOfEvent(object: string, text: string): MachineName | null {
  const node = /^(?:node|Node)\/(\S+)/.exec(object)?.[1];
  return node === undefined ? reporterOf(text) : classifyName(node, 'node');
}

function readEventRow(passage: PassageReading, row: Row, text: string, line: number): void {
  const age = parseAgeMs((row['LAST SEEN'] ?? row['LASTSEEN'] ?? '').split(' ')[0] ?? '');
  const object = row['OBJECT'] ?? (row['KIND'] === 'Node' ? `node/${row['NAME'] ?? ''}` : '');
  sayEvent(passage, { text, line, age, about: machineOfEvent(object, text) });
}

interface EventLine {
  readonly text: string;
  readonly line: number;
  /** ms; null where the row tells none. */
  readonly age: number | null;
  readonly about: MachineName | null;
}

/** Says what an event tells that happened its age ago. */
export function sayEvent(passage: PassageReading, { text, line, age, about }: EventLine): void {
  const when = age === null ? null : agoIn(passage.document, age);
  passage.say({ text, source: 'event', line, when, host: null, about, isState: false });
}
