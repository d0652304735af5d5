/** What must hold of writes to aws-auth, seen at the API server. */
import { at, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { AwsAuthEntry } from '../../../src/evidence/kinds.ts';
import { readRoles } from '../../../src/readers/kube/aws-auth-edit.ts';
import {
  hasChanged,
  isDryRun,
  type LedgerEntry,
  placeOf,
  versionNeeded,
} from '../../../src/sim/programs/ledger.ts';
import { isOfLease } from '../../../src/sim/programs/rules.ts';
import type { SimulatedRecords } from '../../../src/sim/programs/records.ts';
import { mappingOf } from '../../../src/controllers/fix/auth/node-mapping.ts';
import { ROLE } from '../../controllers/fix/scene.ts';
import type { AuthPlan, Violation } from './plan.ts';

/** How long a leader leads after its last renewal, ms. */
export const RENEW_MS = 40_000;
/** Within so long a mapping that machines miss is back, ms. */
const RESTORED_MS = 120_000;
const REST_MS = 3_600_000;
const WANTED = mappingOf(ROLE, 'linux');

/** Rules that are looked at here. */
export const AUTH_SIM_RULES = ['I-15', 'I-16', 'I-17', 'I-18', 'I-30', 'I-35', 'L-05'] as const;
type RuleId = (typeof AUTH_SIM_RULES)[number];

function rolesIn(object: JsonObject | null): readonly AwsAuthEntry[] | null {
  const read = readRoles(textAt(object ?? undefined, 'data.mapRoles') ?? '');
  return read.ok ? read.entries : null;
}

function inOrder({ arn, username, groups }: AwsAuthEntry): AwsAuthEntry {
  return { arn, username, groups };
}

/** Hears what programs write, and says which rules do not hold. */
export class AuthSimRules {
  readonly violations: Violation[] = [];
  readonly evaluations = new Map<string, number>();
  restorations = 0;
  readonly #plan: AuthPlan;
  readonly #records: SimulatedRecords;
  readonly #ledUntilMs = new Map<string, number>();
  /** By whichever start of whichever replica: they remember it in the records. */
  #restoredMs = -Infinity;

  constructor(plan: AuthPlan, records: SimulatedRecords) {
    this.#plan = plan;
    this.#records = records;
  }

  #check(rule: RuleId, isWell: boolean, what: string): void {
    this.evaluations.set(rule, (this.evaluations.get(rule) ?? 0) + 1);
    if (!isWell) this.violations.push({ rule, what });
  }

  onKubeWrite(entry: LedgerEntry): void {
    const { program, request, calledMs, code } = entry;
    if (isOfLease(entry)) {
      if (code < 300 && textAt(entry.after ?? undefined, 'spec.holderIdentity') === program)
        this.#ledUntilMs.set(program, calledMs + RENEW_MS);
      return;
    }
    if (request.path.plural !== 'configmaps') return;
    const isOurs = placeOf(request) === 'configmaps kube-system/aws-auth';
    this.#check('I-18', isOurs, `${program} writes ${placeOf(request)}`);
    this.#check(
      'I-35',
      isDryRun(request) === this.#plan.isDryRun,
      `${program} writes in a dry run`,
    );
    const untilMs = this.#ledUntilMs.get(program) ?? -Infinity;
    this.#check('I-16', calledMs <= untilMs, `${program}: ${calledMs - untilMs} ms too late`);
    this.#guarded(entry);
    if (!isDryRun(request) && hasChanged(entry)) this.#changed(entry);
  }

  /** By its version; made only where there is none; never over what nobody can read. */
  #guarded({ program, request, before, isCopy }: LedgerEntry): void {
    const isCreate = request.verb === 'create';
    this.#check('I-18', !isCreate || before === null || isCopy, `${program} creates what is there`);
    const isGuarded = isCreate || versionNeeded(request) !== null;
    this.#check('I-18', isGuarded, `${program} writes without a version`);
    this.#check('I-18', rolesIn(before) !== null, `${program} writes over an unreadable text`);
    const isRecorded = this.#records.rows.some(
      ({ program: by, event }) => by === program && event.kind === 'action-intended',
    );
    this.#check('I-30', isRecorded, `${program} has recorded nothing before`);
  }

  #changed({ program, before, after, atMs }: LedgerEntry): void {
    this.restorations += 1;
    const sinceMs = atMs - this.#restoredMs;
    this.#check('I-15', sinceMs >= REST_MS, `${program} restores it again`);
    this.#restoredMs = atMs;
    const [former, now] = [rolesIn(before), rolesIn(after)];
    const wanted = [...(former ?? []), WANTED];
    const isExactly = JSON.stringify(now) === JSON.stringify(wanted.map(inOrder));
    this.#check('I-17', isExactly, `${program}: ${JSON.stringify(now)}`);
    const text = textAt(after ?? undefined, 'data.mapRoles') ?? '';
    const lines = (textAt(before ?? undefined, 'data.mapRoles') ?? '').split('\n');
    const lost = lines.filter((line) => !text.includes(line));
    this.#check('I-17', lost.length === 0, `${program} loses ${JSON.stringify(lost)}`);
    const others = (object: JsonObject | null): string | null =>
      textAt(at(object ?? undefined, 'data') ?? undefined, 'mapUsers');
    this.#check('I-17', before === null || others(before) === others(after), 'mapUsers changed');
  }

  /** Machines are shut out for so long, ms, where nothing keeps the mapping away. */
  onShutOut(sinceMs: number): void {
    const { restores, isDryRun: isDry } = this.#plan;
    if (restores && !isDry)
      this.#check('L-05', sinceMs <= RESTORED_MS, `not back after ${sinceMs} ms`);
  }
}
