import type { KubeCondition, KubeNode, KubeTaint } from '../../evidence/kinds.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';
import type { Likely } from '../line/origin.ts';
import { parseAgeMs, parseWhen } from '../line/timestamps.ts';
import { logLine, type PassageReading } from '../passage.ts';
import { describedObject } from './described-object.ts';
import { linesOfNode, namesOfNode, readyOf } from './node.ts';
import { readDescribed } from './object.ts';
import { machineOfEvent, sayEvent } from './table.ts';

export interface DescribePassage {
  readonly line: number;
  readonly lines: readonly string[];
}

/** Lines of the section that starts with `name:` at column 0, its own value first. */
function section(lines: readonly string[], name: string): readonly string[] {
  const start = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^\S/.test(line));
  const own = (lines[start] ?? '').slice(name.length + 1).trim();
  return [own, ...rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim())].filter(
    (line) => line !== '',
  );
}

function value(lines: readonly string[], name: string): string | null {
  const [first] = section(lines, name);
  return first === undefined || first.startsWith('<') ? null : first;
}

function pairs(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines
      .map((line) => line.split(/[=:]\s*/, 2))
      .filter((pair): pair is [string, string] => pair.length === 2),
  );
}

function taintsOf(lines: readonly string[]): readonly KubeTaint[] {
  return section(lines, 'Taints').flatMap((line) => {
    const match = /^([^=:\s]+)(?:=([^:]*))?:(\w+)$/.exec(line);
    return match === null
      ? []
      : [{ key: match[1] ?? '', value: match[2] ?? '', effect: match[3] ?? '', addedMs: null }];
  });
}

const STAMP = '[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} [+-]\\d{4}';
const CONDITION = new RegExp(
  `^(\\w+)\\s+(True|False|Unknown)\\s+(${STAMP})\\s+(${STAMP})\\s+(\\w+)\\s*(.*)$`,
);

function conditionOf(line: string): readonly KubeCondition[] {
  const match = CONDITION.exec(line.trim());
  if (match === null) return [];
  const [, type = '', status = '', beat = '', changed = '', reason = '', message = ''] = match;
  const heartbeatMs = parseWhen(beat)?.ms ?? null;
  return [
    { type, status, reason, message, heartbeatMs, changedMs: parseWhen(changed)?.ms ?? null },
  ];
}

/** A row from which somebody cut the dates; only the line above the rows tells what it is. */
const UNDATED = /^(\w{1,63})\s+(True|False|Unknown)\s+([A-Z]\w{1,100})(?:\s+(.*))?$/;

function undatedOf(line: string): readonly KubeCondition[] {
  const [all, type = '', status = '', reason = '', message = ''] = UNDATED.exec(line.trim()) ?? [];
  if (all === undefined) return [];
  return [{ type, status, reason, message, heartbeatMs: null, changedMs: null }];
}

/** Conditions by their two dates; the line `Conditions:` above them is often cut when pasted. */
function conditionsOf(lines: readonly string[]): readonly KubeCondition[] {
  const own = section(lines, 'Conditions');
  const dated = (own.length === 0 ? lines : own).flatMap(conditionOf);
  return dated.length > 0 ? dated : own.flatMap(undatedOf);
}

function address(lines: readonly string[], type: string): string | null {
  const line = section(lines, 'Addresses').find((entry) => entry.startsWith(`${type}:`));
  return line === undefined ? null : line.slice(type.length + 1).trim();
}

function nodeOf(lines: readonly string[]): KubeNode {
  const conditions = conditionsOf(lines);
  return {
    name: value(lines, 'Name') ?? '',
    uid: null,
    providerId: value(lines, 'ProviderID'),
    internalIp: address(lines, 'InternalIP'),
    hostname: address(lines, 'Hostname'),
    internalDns: address(lines, 'InternalDNS'),
    labels: pairs(section(lines, 'Labels')),
    annotations: pairs(section(lines, 'Annotations')),
    taints: lines.some((line) => line.startsWith('Taints:')) ? taintsOf(lines) : null,
    unschedulable: value(lines, 'Unschedulable') === 'true',
    conditions,
    ready: readyOf(conditions),
    kubeletVersion:
      section(lines, 'System Info')
        .find((line) => line.startsWith('Kubelet Version:'))
        ?.slice(16)
        .trim() ?? null,
    ageMs: null,
    createdMs: parseWhen(value(lines, 'CreationTimestamp') ?? '')?.ms ?? null,
    allocatable: pairs(section(lines, 'Allocatable')),
    capacity: pairs(section(lines, 'Capacity')),
    podCidr: value(lines, 'PodCIDR'),
    machineId: value(lines, 'Machine ID'),
    osImage: value(lines, 'OS Image'),
    taintWriters: [],
    cordonWriters: [],
    deletionAskedMs: null,
  };
}

function isNode(lines: readonly string[]): boolean {
  return lines.some((line) =>
    /^(?:Roles|Unschedulable|ProviderID|PodCIDR|Non-terminated Pods|Lease):/.test(line),
  );
}

/** Reads a `kubectl describe` block of a node, pod or anything else; events become lines. */
export function readDescribe(
  passage: PassageReading,
  block: DescribePassage,
  source: Likely,
): void {
  const node = isNode(block.lines) ? nodeOf(block.lines) : null;
  if (node !== null) readNode(passage, block, node);
  const object = node === null ? describedObject(block.lines) : null;
  if (object !== null) readDescribed(passage, object, block.line);
  const about = node === null ? podNode(block.lines) : classifyName(node.name, 'node');
  for (const [offset, text] of block.lines.entries()) {
    const line = block.line + offset;
    if (EVENT_ROW.test(text)) readEventLine(passage, text, line, about);
    else if (node === null && text.trim() !== '')
      passage.say({ ...logLine(passage, { line, text }, source), line, about });
  }
}

function podNode(lines: readonly string[]): MachineName | null {
  const node = value(lines, 'Node');
  return node === null ? null : classifyName(node.split('/')[0] ?? '', 'node');
}

function readNode(passage: PassageReading, block: DescribePassage, node: KubeNode): void {
  const { collector, document } = passage;
  const about = namesOfNode(node);
  const locator = collector.locatorAt(document, block.line);
  collector.fact(document, 'kube/Node', node, {
    by: 'kubectl describe node',
    extent: 'part',
    locator,
    line: block.line,
    about,
  });
  collector.link(about, `kubectl describe shows them for Node ${node.name}`, locator);
  collector.sawSource(document, 'node-status');
  for (const state of linesOfNode(node)) {
    passage.say({
      ...state,
      source: 'node-status',
      line: block.line,
      when: null,
      host: null,
      about: about[0] ?? null,
      isState: true,
    });
  }
}

const EVENT_ROW = /^\s(?:.*\s)?(?:Normal|Warning)\s+[A-Z]\w+\s/;
const EVENT_AGE = /\s((?:\d+[dhms])+)(?:\s+\(x\d+ over (?:\d+[dhms])+\))?\s/;

/** One row of the Events section of `kubectl describe`. */
export function readEventLine(
  passage: PassageReading,
  text: string,
  line: number,
  about: MachineName | null,
): void {
  const age = parseAgeMs(EVENT_AGE.exec(text)?.[1] ?? '');
  sayEvent(passage, { text, line, age, about: machineOfEvent('', text) ?? about });
}
