import type {
  ForeseenFinding,
  PreflightDocument,
  PreflightSubject,
} from '../../../diagnosis/preflight.ts';
import { counted, shown } from '../../../domain/words.ts';
import { printable } from '../../../evidence/redact.ts';
import { commandRows, marked, paragraph } from './layout.ts';

const KINDS = {
  NodeGroup: 'Node group',
  AutoScalingGroup: 'Auto Scaling group',
  NodePool: 'NodePool',
  Kubeadm: 'kubeadm configuration',
} as const;

/** The answer for people, each row within 100 columns. */
export function preflightPage(document: PreflightDocument): readonly string[] {
  const parts = [
    ...document.subjects.map(subjectLines),
    ...document.plans.flatMap((plan) => planLines(plan, document.subjects)),
    document.losses.flatMap(({ what }) => marked('!', printable(what))),
  ].filter((part) => part.length > 0);
  return parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]));
}

/** Where a quote is from: an address of the plan, or of another that was given beside it. */
export function placeIn(plan: string, locator: string): string {
  return locator.startsWith(`${plan}#`) ? locator.slice(plan.length + 1) : locator;
}

function planLines(
  { locator, resources, isChanging }: PreflightDocument['plans'][number],
  subjects: readonly PreflightSubject[],
): readonly (readonly string[])[] {
  if (subjects.some(({ plan }) => plan === locator)) return [];
  const read = `${shown(locator)}: ${counted(resources, 'resource')}`;
  return [
    paragraph(
      isChanging
        ? `${read}, none of them a group of EKS nodes. Nothing to judge.`
        : `${read}. The plan changes nothing that nodes depend on. Nothing to judge.`,
    ),
  ];
}

function subjectLines(subject: PreflightSubject): readonly string[] {
  const { kind, name, plan, address, cluster, findings, notObservable } = subject;
  const of = cluster === null ? '' : ` of cluster ${shown(cluster)}`;
  const title = `${KINDS[kind]} ${shown(name)}${of} (${shown(address)} in ${shown(plan)}): ${outcomeOf(subject)}`;
  return [
    ...paragraph(title),
    ...findings.flatMap((finding) => findingLines(finding, plan)),
    ...notObservable.flatMap(({ why, collect }) => [
      ...marked('?', `Unknown: ${printable(why)}.`, '  '),
      ...(collect === '' ? [] : commandRows(collect, '      ')),
    ]),
  ];
}

function outcomeOf({ findings, verdict, clear, open }: PreflightSubject): string {
  if (findings.length > 0) return 'its machines will not become usable nodes.';
  if (verdict === 'cannot-tell') return 'cannot tell.';
  const more = open.length === 0 ? '' : `, ${open.length} that the plan does not show`;
  return `nothing found (${counted(clear.length, 'cause')} ruled out${more}).`;
}

function findingLines(finding: ForeseenFinding, plan: string): readonly string[] {
  const { cause, confidence, address, summary, why, evidence, remedy } = finding;
  return [
    '',
    ...marked('!', `${cause} (${confidence}) at ${shown(address)}`, '  '),
    ...paragraph(printable(summary), '    '),
    ...evidence.flatMap(({ locator, excerpt }) =>
      paragraph(`${shown(placeIn(plan, locator))}: ${excerpt}`, '      '),
    ),
    ...paragraph(`Why: ${why}`, '    '),
    ...paragraph('Fix:', '    '),
    ...remedy.flatMap(({ text, command }) => [
      ...marked('-', printable(text), '    '),
      ...(command === null ? [] : commandRows(command, '      ')),
    ]),
  ];
}
