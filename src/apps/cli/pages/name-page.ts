import { pageOf, unseenLines } from './capacity-page.ts';
import { columns, commandRows, marked, paragraph } from './layout.ts';
import { counted, shown } from '../../../domain/words.ts';
import { disagreeing, type NamingDocument } from '../../../capacity/naming/document.ts';
import type { PinnedWorkload } from '../../../domain/naming/pinned-workloads.ts';
import { acceptanceLines, effectLines, namesLines, nodeNameLines } from './name-report.ts';

function titleLines({ instanceId, node, ready }: NamingDocument): readonly string[] {
  if (node === null && instanceId === null) return [];
  const machine = instanceId === null ? 'This machine' : shown(instanceId);
  if (node === null) return paragraph(`${machine} has no Node.`);
  const state = ready === true ? 'Ready' : 'not Ready';
  return paragraph(`${machine} is registered as Node ${shown(node)}, ${state}.`);
}

/** Of a Node that is Ready the name is known; what the rules leave open is whether it stays. */
function ruleLines({ name, ready }: NamingDocument): readonly string[] {
  const rows = nodeNameLines(name);
  if (name.state !== 'unknown' || ready !== true) return rows;
  return ['Unknown whether it keeps that name when its kubelet restarts.', ...rows.slice(1)];
}

function twinLines({ twin }: NamingDocument): readonly string[] {
  if (twin === null) return [];
  return marked(twin.confidence === 'definite' ? '!' : '?', twin.sentence);
}

function pinnedLines(pinned: readonly PinnedWorkload[]): readonly string[] {
  if (pinned.length === 0) return [];
  return [
    ...paragraph('Workloads pinned to it by name, with the command that moves each to the label:'),
    ...pinned.flatMap((one) => [
      ...paragraph(
        `${one.kind} ${shown(one.namespace)}/${shown(one.name)} (${one.by}: ${shown(one.value)})`,
        '  ',
      ),
      ...commandRows(one.command),
    ]),
  ];
}

/** The page of one machine, each row within 100 columns. */
export function machinePage(document: NamingDocument): readonly string[] {
  const { acceptance, names, effects, pinned, notObservable } = document;
  const isSeen = names.some(({ value }) => value !== null);
  return pageOf([
    titleLines(document),
    ruleLines(document),
    acceptance === null ? [] : acceptanceLines(acceptance),
    isSeen ? namesLines(names) : [],
    twinLines(document),
    effects === null ? [] : effectLines(effects),
    pinnedLines(pinned),
    unseenLines(notObservable),
  ]);
}

function nameText({ name, node }: NamingDocument): string {
  if (name.state === 'none') return '(no Node)';
  if (name.state === 'unknown') return '?';
  return name.name === node ? 'the same' : shown(name.name);
}

function verdictText(document: NamingDocument): string {
  const wrong = disagreeing(document);
  if (document.twin !== null) return `also ${shown(document.twin.node)}`;
  if (wrong.length > 0) return wrong.map(({ title }) => title).join(', ');
  return document.acceptance?.state === 'refused' ? 'cloud controller finds no instance' : 'agree';
}

/** All machines in one table. */
export function machinesPage(
  documents: readonly NamingDocument[],
  unseen: NamingDocument['notObservable'],
): readonly string[] {
  const rows = documents.map((one) => [
    shown(one.instanceId ?? '-'),
    shown(one.node ?? '-'),
    nameText(one),
    verdictText(one),
  ]);
  const table = columns([['INSTANCE', 'NODE', 'BY THE RULES', 'NAMES'], ...rows]);
  const hint = `${counted(documents.length, 'machine')}; all names of one machine: rollcall name INSTANCE`;
  return pageOf([
    documents.length === 0 ? ['No machines seen.'] : table,
    [hint],
    unseenLines(unseen),
  ]);
}
