import type { MixRow, SpotDocument } from '../../../capacity/spot/document.ts';
import type { TypeRow } from '../../../capacity/spot/why.ts';
import { counted, grouped, percentText } from '../../../domain/words.ts';
import { printable } from '../../../evidence/redact.ts';
import { columns, marked, paragraph } from './layout.ts';

function signed(share: number | null): string {
  if (share === null) return 'unknown';
  const text = percentText(Math.abs(share));
  return text === '0 %' ? text : `${share > 0 ? '+' : '-'}${text}`;
}

const HEADING = [
  'TYPE',
  'ZONE',
  'NODES',
  'SHARE',
  '$/H',
  'WEEK',
  'VARIES',
  'INTERRUPTED',
  'SCORE',
  'PODS',
];

function cells(row: MixRow): readonly string[] {
  const rate = row.interruptionsPerThousandHours;
  return [
    row.type,
    row.zone,
    grouped(row.nodes),
    percentText(row.share, 0),
    row.price.toFixed(4),
    signed(row.trendPerWeek),
    percentText(row.volatility),
    rate === null ? 'unknown' : `${rate.toFixed(1)}/1000 h`,
    row.placementScore === null ? 'unknown' : String(row.placementScore),
    grouped(row.pods),
  ];
}

function summary({ totals, costPerHour, loss }: SpotDocument): readonly string[] {
  if (totals === null || costPerHour === null || loss === null) return [];
  const { nodes, vcpus, memoryGiB, gpus, pods } = totals;
  const gives = [
    counted(nodes, 'node'),
    `${grouped(vcpus)} vCPUs`,
    `${grouped(Math.floor(memoryGiB))} GiB for pods`,
    gpus > 0 ? `${grouped(gpus)} GPUs` : null,
    `${grouped(pods)} pods`,
  ].filter((one) => one !== null);
  return [
    ...paragraph(`${gives.join(', ')}: $${costPerHour.toFixed(4)} an hour.`),
    ...paragraph(
      `When EC2 takes one pool away: ${percentText(loss.expectedShare, 0)} of the capacity is lost on average, ${percentText(loss.worstShare, 0)} at worst.`,
    ),
  ];
}

function proofLines({ proof, loss }: SpotDocument): readonly string[] {
  if (proof === null || loss === null) return [];
  const { objective, bound, isProven } = proof;
  const objectiveText = `Objective: planned price plus $${loss.dollarsForAll.toFixed(4)} an hour times the square of each pool's share`;
  const gap = percentText(1 - bound / objective);
  const proofText = isProven
    ? `no mix within the rules is more than ${percentText(0.001)} better.`
    : `the search ended early; a better mix may be up to ${gap} better.`;
  return paragraph(`${objectiveText}; ${proofText}`);
}

/** Types that are shown when many are out. */
const OUT_MAX = 20;

function typeLines(types: readonly TypeRow[]): readonly string[] {
  const shown = [
    ...types.filter(({ isIn }) => isIn),
    ...types.filter(({ isIn }) => !isIn).slice(0, OUT_MAX),
  ];
  const rest = types.length - shown.length;
  return [
    ...shown.flatMap(({ type, isIn, why }) =>
      marked(isIn ? 'in ' : 'out', `${type}: ${why}`, '  '),
    ),
    ...(rest > 0 ? [`  and ${grouped(rest)} more out; list them: -o json`] : []),
  ];
}

/** The answer for people, each row within 100 columns. */
export function spotPage(document: SpotDocument): readonly string[] {
  const { mix, asOf, historyDays, impossible, types, unknown } = document;
  const parts = [
    impossible === null
      ? columns([HEADING, ...mix.map(cells)])
      : paragraph(`No mix. ${impossible}`),
    [...summary(document), ...proofLines(document)],
    ['Types:', ...typeLines(types)],
    unknown.flatMap((one) => marked('?', printable(one))),
    paragraph(`Prices as of ${asOf}, history of ${counted(historyDays, 'day')}.`),
  ].filter((part) => part.length > 0 && part.join('') !== 'Types:');
  return parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]));
}
