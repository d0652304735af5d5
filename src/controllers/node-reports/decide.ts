import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { isoMs, isoTime } from '../../evidence/time.ts';
import type { Action, ActionObject, ActionWrite } from '../../ports/action.ts';
import {
  type KnownReport,
  NODE_REPORTS,
  reportName,
  type ReportStatus,
  statusOf,
} from './report.ts';

export interface ReportsInput {
  /** By name. */
  readonly reports: ReadonlyMap<string, KnownReport>;
  readonly rows: readonly RollCallRow[];
  /** False where a machine may be missing in the rows: none of them counts as gone then. */
  readonly areWhole: boolean;
  readonly nowMs: number;
  /** How long a machine is gone, by its report's name and the stamp in it, ms. */
  readonly goneForMs: (name: string, goneSinceMs: number) => number;
  /** How long the report of a machine stays that is gone, ms. */
  readonly keepMs: number;
  /** Writes at most, so that a change of all machines does not become a flood. */
  readonly actionsMax: number;
}

/** Who asks for these writes. */
const CONTROLLER = 'node-reports';

function timeOf(ms: number): string {
  return isoTime({ ms, yearless: false, clock: 'utc' }) ?? '';
}

function actionOf(
  name: string,
  seen: ActionObject['seen'],
  write: ActionWrite,
  text: string,
): Action {
  return {
    id: `${CONTROLLER}/${name}/${write.verb}/${seen?.resourceVersion ?? 'new'}`,
    object: { resource: NODE_REPORTS, namespace: null, name, seen },
    write,
    why: { kind: 'rule', name: CONTROLLER, text },
    askedBy: CONTROLLER,
    undo: null,
  };
}

function created(name: string): Action {
  const { group, version, kind } = NODE_REPORTS;
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name } };
  return actionOf(name, null, { verb: 'create', object }, `${name} has no report yet`);
}

function seenOf({ uid, resourceVersion }: KnownReport): NonNullable<ActionObject['seen']> {
  return { uid, resourceVersion };
}

function patched(report: KnownReport, status: ReportStatus, text: string): Action {
  const change: JsonObject = { status: { ...status } };
  const patch = { type: 'merge', change } as const;
  const write = { verb: 'patch', patch, requires: 'same-version', subresource: 'status' } as const;
  return actionOf(report.name, seenOf(report), write, text);
}

/** What tells a change of verdict from other words about the same one. */
function isSameStanding(
  one: ReportStatus,
  other: Omit<ReportStatus, 'since' | 'goneSince'>,
): boolean {
  return one.verdict === other.verdict && one.stage === other.stage && one.cause === other.cause;
}

function isSameStatus(one: ReportStatus, other: ReportStatus): boolean {
  const keys = Object.keys(other) as (keyof ReportStatus)[];
  return keys.every((key) => one[key] === other[key]);
}

function ofRow(report: KnownReport, row: RollCallRow, nowMs: number): readonly Action[] {
  const { status: known } = report;
  const status = statusOf(row);
  const isSame = known !== null && isSameStanding(known, status);
  const next = { ...status, since: isSame ? known.since : timeOf(nowMs), goneSince: null };
  if (known !== null && isSameStatus(known, next)) return [];
  return [patched(report, next, `${row.name} is ${row.verdict}`)];
}

function ofGone(
  report: KnownReport,
  { nowMs, goneForMs, keepMs }: ReportsInput,
): readonly Action[] {
  const { status, name } = report;
  const goneMs = isoMs(status?.goneSince);
  if (status !== null && goneMs === null)
    return [patched(report, { ...status, goneSince: timeOf(nowMs) }, `${name} is gone`)];
  if (goneMs !== null && goneForMs(name, goneMs) < keepMs) return [];
  const write = { verb: 'delete', requires: 'same-version' } as const;
  return [actionOf(name, seenOf(report), write, `${name} is gone for ${keepMs / 60_000} min`)];
}

/**
 * One write for each report that is not as it should be: none at rest. Rows that share a name keep
 * the first, which is the worst.
 */
export function decide(input: ReportsInput): readonly Action[] {
  const { reports, rows, areWhole, nowMs, actionsMax } = input;
  const byName = new Map<string, RollCallRow>();
  for (const row of rows) {
    const name = reportName(row);
    if (name !== null && !byName.has(name)) byName.set(name, row);
  }
  const ofRows = [...byName].flatMap(([name, row]) => {
    const report = reports.get(name);
    return report === undefined ? [created(name)] : ofRow(report, row, nowMs);
  });
  const gone = areWhole ? [...reports.values()].filter(({ name }) => !byName.has(name)) : [];
  return [...ofRows, ...gone.flatMap((report) => ofGone(report, input))].slice(0, actionsMax);
}
