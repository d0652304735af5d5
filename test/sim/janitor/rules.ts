/** What must hold of deletions of interfaces, seen past all that the janitor is told. */
import { paceOf } from '../../../src/controllers/eni-janitor/janitor.ts';
import { textAt } from '../../../src/evidence/json.ts';
import type { AwsCall } from '../../../src/ports/aws-api.ts';
import { isDryRun, type LedgerEntry } from '../../../src/sim/programs/ledger.ts';
import { isOfLease } from '../../../src/sim/programs/rules.ts';
import type { SimulatedRecords } from '../../../src/sim/programs/records.ts';
import type { AwsEntry } from './aws-lines.ts';
import { CLUSTER, type InterfaceWorld, type MadeInterface } from './interface-world.ts';
import { RENEW_MS } from './leases.ts';
import { LookBook } from './looks.ts';
import type { JanitorPlan, Violation } from './plan.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const AGE_MS = 30 * MINUTE_MS;
/** How old the last reading may be, and how long a request may be on its way besides. */
const READ_MS = 10 * SECOND_MS;
/** A stamp has whole seconds. */
const STAMP_MS = SECOND_MS;
/** What was read shows nothing of what began so short a time before; EC2 refuses it by itself. */
const LAG_MS = 3 * MINUTE_MS;
const FULL_STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Rules that are looked at here. */
export const JANITOR_RULES = [
  'I-15',
  'I-16',
  'I-20',
  'I-21',
  'I-22',
  'I-30',
  'I-33',
  'I-35',
  'I-40',
  'L-06',
] as const;
type RuleId = (typeof JANITOR_RULES)[number];

/** Hears what programs do, and says which rules do not hold. */
export class JanitorRules {
  readonly looks: LookBook;
  readonly violations: Violation[] = [];
  readonly evaluations = new Map<string, number>();
  deletions = 0;
  readonly #world: InterfaceWorld;
  readonly #plan: JanitorPlan;
  readonly #records: SimulatedRecords;
  readonly #ledUntilMs = new Map<string, number>();
  readonly #deletedMs: number[] = [];
  readonly #asked = new Map<string, number>();

  constructor(world: InterfaceWorld, plan: JanitorPlan, records: SimulatedRecords) {
    this.#world = world;
    this.#plan = plan;
    this.#records = records;
    this.looks = new LookBook(() => world.kernel.nowMs());
  }

  #check(rule: RuleId, isWell: boolean, what: string): void {
    this.evaluations.set(rule, (this.evaluations.get(rule) ?? 0) + 1);
    if (!isWell) this.violations.push({ rule, what });
  }

  /** Requests to AWS within any minute stay within what a few passes need. */
  onAsked(program: string, call: AwsCall, how: 'began' | 'whole' | 'failed'): void {
    this.looks.asked(program, call, how);
    if (how !== 'began') return;
    const minute = Math.floor(this.#world.kernel.nowMs() / MINUTE_MS);
    const key = `${program} ${minute}`;
    const count = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, count);
    const most = 20 + 12 * paceOf(this.#plan.hourly).most;
    this.#check('I-33', count <= most, `${program}: ${count} calls of AWS in a minute`);
  }

  onKubeWrite(entry: LedgerEntry): void {
    const { program, calledMs, code, after, request } = entry;
    if (!isOfLease(entry)) return this.#check('I-20', false, `${program}: writes to Kubernetes`);
    const holder = textAt(after ?? {}, 'spec.holderIdentity');
    const isHeld = code < 300 && !isDryRun(request) && holder === program;
    if (isHeld) this.#ledUntilMs.set(program, calledMs + RENEW_MS);
  }

  onAwsWrite(entry: AwsEntry, skewMs: number): void {
    const { call, isCopy, program } = entry;
    const nowMs = this.#world.kernel.nowMs();
    const isKnown = call.operation === 'DeleteNetworkInterface';
    if (!isKnown) return this.#check('I-20', false, `${program}: sends ${call.operation}`);
    const id = textAt(call.input, 'NetworkInterfaceId') ?? '';
    if (!isCopy) this.#sent(entry, id, skewMs);
    if (!entry.isDone || entry.isDryRun) return;
    const hour = this.#deletedMs.filter((atMs) => nowMs - atMs < HOUR_MS);
    this.#check('I-20', hour.length < this.#plan.hourly, `deletes ${hour.length + 1} in an hour`);
    this.#deletedMs.push(nowMs);
    this.deletions += 1;
  }

  #sent(entry: AwsEntry, id: string, skewMs: number): void {
    const { program, calledMs } = entry;
    const { isDryRun: mayOnlyCheck, mode } = this.#plan;
    const isDry = mayOnlyCheck && entry.isDryRun;
    this.#check('I-35', mode === 'delete' && (isDry || !mayOnlyCheck), `${id}: ${mode} deletes`);
    const untilMs = this.#ledUntilMs.get(program) ?? -Infinity;
    this.#check('I-16', calledMs <= untilMs, `${program}: ${calledMs - untilMs} ms too late`);
    const isRecorded = this.#records.rows.some(
      ({ program: by, event }) =>
        by === program && event.kind === 'action-intended' && event.subject === id,
    );
    this.#check('I-30', isRecorded, `${program}: ${id} is not recorded before`);
    const reading = this.looks.takeReading(program, id);
    this.#check('I-15', reading !== 'sent', `${program}: ${id} is sent again unread`);
    const isRead = typeof reading === 'number' && calledMs - reading <= READ_MS;
    this.#check('I-20', isRead, `${program}: ${id} was not read right before`);
    this.#check('I-22', this.looks.isWhole(program), `${program}: the last look was not whole`);
    const made = this.#world.made.get(id);
    if (made === undefined) return this.#check('I-20', false, `${id} is somebody else's`);
    this.#proven(id, made, entry, skewMs);
  }

  #proven(id: string, made: MadeInterface, { program, calledMs }: AwsEntry, skewMs: number): void {
    const { story, tags, createdMs } = made;
    const stamp = tags.get('node.k8s.amazonaws.com/createdAt') ?? '';
    this.#check('I-21', FULL_STAMP.test(stamp), `${id}: its stamp is ${JSON.stringify(stamp)}`);
    const ageMs = calledMs - createdMs + STAMP_MS;
    this.#check(skewMs > 0 ? 'I-40' : 'I-20', ageMs >= AGE_MS, `${id} is ${ageMs} ms old`);
    this.#check('I-20', isOurs(made), `${id} is not ours: ${story}`);
    const why = this.#usedBy(made);
    this.#check('I-20', why === null, `${id}: ${why ?? ''}`);
    const usedMs = this.#world.uses.sinceMs.get(id) ?? calledMs;
    this.#check('I-20', calledMs - usedMs <= LAG_MS, `${id} is used for ${calledMs - usedMs} ms`);
    const apartMs = this.looks.apartMs(program, createdMs + AGE_MS - STAMP_MS);
    const { everyMs } = paceOf(this.#plan.hourly);
    this.#check('I-20', apartMs >= everyMs, `${id}: two looks ${apartMs} ms apart`);
  }

  #usedBy({ instanceId, node }: MadeInterface): string | null {
    const { cloud, people } = this.#world;
    const state = cloud.instance(instanceId)?.state ?? 'terminated';
    if (state !== 'terminated') return `its instance is ${state}`;
    return node !== null && people.get('Node', node) !== null ? `${node} names its instance` : null;
  }

  /** What has been leaked for long enough is gone, and all else is there. */
  onEnd(): void {
    const { cloud, kernel, made, uses } = this.#world;
    const { mode, isDryRun: mayOnlyCheck, hourly, behindMs } = this.#plan;
    const isDeleting = mode === 'delete' && !mayOnlyCheck;
    for (const [id, one] of made) {
      if (cloud.controls.account.interfaces.get(id) === undefined) continue;
      const sinceMs = Math.max(one.createdMs + AGE_MS + behindMs, uses.lastMs.get(id) ?? 0);
      const { everyMs } = paceOf(hourly);
      const isDue = kernel.nowMs() - sinceMs > 4 * everyMs && this.#usedBy(one) === null;
      const hasStamp = FULL_STAMP.test(one.tags.get('node.k8s.amazonaws.com/createdAt') ?? '');
      const isLeaked = isDue && hasStamp && isOurs(one);
      this.#check('L-06', !isDeleting || !isLeaked, `${id} is left: ${one.story}`);
    }
  }
}

function isOurs({ tags, description, instanceId }: MadeInterface): boolean {
  const clusters = [...tags.keys()].filter((key) => key.startsWith('kubernetes.io/cluster/'));
  return (
    clusters.length === 0 &&
    tags.get('cluster.k8s.amazonaws.com/name') === CLUSTER &&
    tags.get('eks:eni:owner') === 'amazon-vpc-cni' &&
    !tags.has('node.k8s.amazonaws.com/no_manage') &&
    description === `aws-K8S-${instanceId}`
  );
}
