import { KUBE_LISTS } from '../../../collection/resources.ts';
import { observe } from '../../../collection/observe.ts';
import { reportName, statusOf } from '../../../controllers/node-reports/report.ts';
import type { RollCallRow } from '../../../diagnosis/roll-call/document.ts';
import { rollCallOf } from '../../../diagnosis/roll-call/roll-call.ts';
import { at, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Kernel } from '../../../sim/kernel/kernel.ts';
import { kubePort } from '../../../sim/kube/port.ts';
import type { LedgerEntry } from '../../../sim/programs/ledger.ts';
import type { ReadHow } from '../../../sim/programs/rules.ts';
import { isOfEvent, isOfLease } from '../../../sim/programs/rules.ts';
import type { ControllerStage } from './stage.ts';

/** Writes are over, and requests as few as ever, for so long before the end, ms. */
const QUIET_MS = 15_000;

/** What is looked at when the calm ends; L-10 where there is a twin. */
export const END_RULES = ['I-32', 'L-02', 'L-07', 'L-08', 'L-09', 'L-10'] as const;

export interface LoadBook {
  readonly wrote: (entry: LedgerEntry) => void;
  readonly asked: (how: ReadHow) => void;
  /** True times of writes of objects that are acted on, and of requests, ms. */
  readonly writes: readonly (readonly [number, string])[];
  readonly requests: readonly number[];
}

export function startLoadBook(kernel: Kernel): LoadBook {
  const writes: [number, string][] = [];
  const requests: number[] = [];
  return {
    writes,
    requests,
    wrote(entry) {
      const { request, program } = entry;
      // An Event tells what is new, and a report goes once, when its time is over.
      if (isOfLease(entry) || isOfEvent(entry) || entry.request.verb === 'delete') return;
      writes.push([
        kernel.nowMs(),
        `${program} ${request.verb} ${request.path.plural} ${request.path.name ?? ''}`,
      ]);
    },
    asked(how) {
      if (how !== 'event' && how !== 'listed' && how !== 'refused') requests.push(kernel.nowMs());
    },
  };
}

/** What is left at the end. */
export interface CalmReport {
  /** Of machines that are there, by name, without what differs with each run. */
  readonly reports: Readonly<Record<string, JsonObject>>;
  /** Requests in the quiet time. */
  readonly requests: number;
}

interface CalmScene {
  readonly evaluated: () => void;
  readonly violatedRule: (rule: string, subject: string, what: string) => void;
}

interface CalmPlan {
  readonly isDryRun: boolean;
  /** Deletions that may still be unheard, as a watch has lost them against its contract. */
  readonly unheardMost: number;
}

/** Judges the end of the calm: liveness, and whether what is kept is what there is. */
export async function endOf(
  stage: ControllerStage,
  load: LoadBook,
  scene: CalmScene,
  { isDryRun, unheardMost }: CalmPlan,
): Promise<CalmReport> {
  const rows = await freshRows(stage);
  checkStores(stage, rows, scene, unheardMost);
  checkLeader(stage, scene);
  if (!isDryRun) checkReports(stage, rows, scene);
  const fromMs = stage.kernel.nowMs() - QUIET_MS;
  scene.evaluated();
  const first = load.writes.find(([atMs]) => atMs > fromMs);
  if (first !== undefined && !isDryRun)
    scene.violatedRule('L-09', 'writes', `${first[1]}: still written in the calm`);
  return {
    reports: reportsOf(stage),
    requests: load.requests.filter((atMs) => atMs > fromMs).length,
  };
}

function frozenClock(nowMs: number): Clock {
  return {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    sleep: async () => new Promise(() => undefined),
  };
}

/** What somebody with all rights sees who looks now. */
async function freshRows({ kernel, server }: ControllerStage): Promise<readonly RollCallRow[]> {
  const nowMs = kernel.nowMs();
  const clock = frozenClock(nowMs);
  const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
  const kube = kubePort({ server, user, clock });
  const { observations, document } = await observe(
    { kube, aws: null, described: null, refusals: [], clock },
    { cluster: 'small', asked: [], isDeep: false, timeoutMs: 60_000, progress: () => undefined },
  );
  return rollCallOf({ document, observations, nowMs, expected: [] }).rows;
}

function textOf(rows: readonly RollCallRow[]): string {
  return rows
    .map((row) => `${row.name} ${row.verdict} ${row.stage} ${row.headline?.cause}`)
    .toSorted()
    .join('; ');
}

/** Objects of the kinds that a resident follows. */
function countOf({ server, people }: ControllerStage): number {
  const served = new Set(server.kinds().map(({ plural }) => plural));
  const counts = KUBE_LISTS.filter(({ resource }) => served.has(resource.plural)).map(
    ({ resource, namespace }) =>
      people.list(resource.kind, namespace === null ? {} : { namespace }).length,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function checkStores(
  stage: ControllerStage,
  rows: readonly RollCallRow[],
  { evaluated, violatedRule }: CalmScene,
  unheardMost: number,
): void {
  const { replicas } = stage;
  const there = countOf(stage);
  for (const replica of replicas) {
    evaluated();
    const state = replica.state();
    const kept = state?.rollCall?.rows ?? [];
    const objects = state?.resident.objects ?? 0;
    if (objects > there + unheardMost)
      violatedRule('I-32', replica.name, `keeps ${objects} objects, and there are ${there}`);
    if (textOf(kept) !== textOf(rows))
      violatedRule('L-08', replica.name, `keeps ${textOf(kept)}, and there is ${textOf(rows)}`);
  }
}

/** A leader that is gone is followed within its Lease and two tries. */
function checkLeader({ replicas }: ControllerStage, { evaluated, violatedRule }: CalmScene): void {
  evaluated();
  const leading = replicas.filter((one) => one.state()?.election.phase === 'leading');
  if (leading.length !== 1)
    violatedRule(
      'L-07',
      'Lease',
      `${leading.length} of ${replicas.length} replicas lead in the calm`,
    );
}

function checkReports(
  { people }: ControllerStage,
  rows: readonly RollCallRow[],
  { evaluated, violatedRule }: CalmScene,
): void {
  const reports = new Map(
    people.list('NodeReport').map((one) => [textAt(one, 'metadata.name') ?? '', one]),
  );
  for (const row of rows) {
    evaluated();
    const name = reportName(row) ?? '';
    const report = reports.get(name);
    reports.delete(name);
    const wrong = Object.entries(statusOf(row)).filter(
      ([key, value]) => (at(report, `status.${key}`) ?? null) !== value,
    );
    if (report === undefined || wrong.length > 0)
      violatedRule(
        'L-02',
        name,
        `${row.name} is ${row.verdict}; its report has another ${wrong.map(([key]) => key).join(', ')}`,
      );
    else if (textAt(report, 'status.goneSince') !== null)
      violatedRule('L-02', name, `${row.name} is there, and its report says that it is gone`);
  }
  for (const [name, report] of reports) {
    evaluated();
    if (textAt(report, 'status.goneSince') === null)
      violatedRule('L-02', name, `the report of a machine that is gone does not tell so`);
  }
}

const OF_EACH_RUN = new Set(['since', 'goneSince', 'ofNewerRelease']);

function reportsOf({ people }: ControllerStage): Readonly<Record<string, JsonObject>> {
  // Of a machine that came and went while nobody led there is none.
  const there = people.list('NodeReport').filter((one) => textAt(one, 'status.goneSince') === null);
  const named = there.map((report): readonly [string, JsonObject] => {
    const status = (at(report, 'status') ?? {}) as JsonObject;
    const kept = Object.entries(status).filter(([key]) => !OF_EACH_RUN.has(key));
    return [textAt(report, 'metadata.name') ?? '', Object.fromEntries(kept.toSorted(byName))];
  });
  return Object.fromEntries(named.toSorted(byName));
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
