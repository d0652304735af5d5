import type { ReportedSlipIn, SlipInReport } from '../../../controllers/slip-ins/report.ts';

function slipInLines(slipIn: ReportedSlipIn): readonly string[] {
  const { namespace, pod, node, madeBy, gate, says, next } = slipIn;
  const made = madeBy === null ? '' : ` of ${madeBy}`;
  return [`Pod ${namespace}/${pod}${made} on ${node}`, `  ${gate}: ${says}`, `  ${next}`, ''];
}

function headOf({ slipIns, nodesLookedAt }: SlipInReport): string {
  const nodes = `${nodesLookedAt} ${nodesLookedAt === 1 ? 'node' : 'nodes'}`;
  if (slipIns.length === 0) return `No Pod slipped in on ${nodes}`;
  return `${slipIns.length} ${slipIns.length === 1 ? 'Pod' : 'Pods'} slipped in on ${nodes}`;
}

/** The page of `rollcall gate slip-ins`. */
export function slipInPage(report: SlipInReport): readonly string[] {
  const { slipIns, replaced, notRead } = report;
  const told = replaced.map(({ at, says }) => `  ${at === null ? '' : `${at}  `}${says}`);
  return [
    headOf(report),
    '',
    ...slipIns.flatMap(slipInLines),
    ...(told.length === 0 ? [] : ['Replaced by the controller:', ...told, '']),
    ...notRead.map((why) => `Not read: ${why}`),
  ];
}
