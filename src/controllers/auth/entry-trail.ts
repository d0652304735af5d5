import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { pause } from '../../runtime/abort.ts';
import { RecentMap } from '../../runtime/recent-map.ts';
import { type EntryChange, entryEvents, type EntryEvent, isOf } from '../fix/auth/lost-by.ts';
import type { ShutOutRole } from '../fix/auth/targets.ts';

export interface EntryTrailOptions {
  readonly aws: AwsApi;
  readonly clock: Clock;
  /** Each change of the entry of a role whose machines are shut out, once. */
  readonly onChange: (event: EntryEvent, role: ShutOutRole) => void;
  /** CloudTrail could not be asked, and why, or can be again (null). */
  readonly onBlind: (why: string | null) => void;
}

/** By these a role loses what its access entry gave. */
const CHANGES: readonly EntryChange[] = [
  'DeleteAccessEntry',
  'UpdateAccessEntry',
  'DisassociateAccessPolicy',
];
const LOOK_EVERY_MS = 30_000;
/** When it is asked after a role was seen to be shut out: CloudTrail delivers within about 15 min. */
const ASKED_AT_MS = [0, 5 * 60_000, 15 * 60_000];
const ROLES_MAX = 500;
/** Changes that are known to be told: those of all roles, and as many of roles that come back. */
const REPORTED_MAX = 2 * ROLES_MAX;

interface Watched {
  readonly role: ShutOutRole;
  readonly sinceMs: number;
  readonly asked: number;
}

/** Asks CloudTrail who changed the access entries of roles whose machines are shut out. */
export class EntryTrail {
  readonly #options: EntryTrailOptions;
  #watched: ReadonlyMap<string, Watched> = new Map();
  #cluster: string | null = null;
  readonly #reported = new RecentMap<EntryEvent['id']>(REPORTED_MAX);

  constructor(options: EntryTrailOptions) {
    this.#options = options;
  }

  /** Roles whose machines are shut out now; a role that was let in meanwhile is asked about as a new one. */
  setShutOut(roles: readonly ShutOutRole[], cluster: string | null): void {
    const sinceMs = this.#options.clock.monotonicMs();
    const before = this.#watched;
    this.#cluster = cluster;
    this.#watched = new Map(
      roles.slice(0, ROLES_MAX).map((role) => {
        const known = before.get(role.arn) ?? { sinceMs, asked: 0 };
        return [role.arn, { ...known, role }];
      }),
    );
  }

  /** Asks until the signal ends it, a few times for each role. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#pass();
      await pause(this.#options.clock, LOOK_EVERY_MS, stop);
    }
  }

  async #pass(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const cluster = this.#cluster;
    const due = [...this.#watched].filter(([, one]) => isDue(one, nowMs));
    if (due.length === 0 || cluster === null) return;
    // One question answers for all of them.
    const asked = due.map(([arn, one]): [string, Watched] => [
      arn,
      { ...one, asked: one.asked + 1 },
    ]);
    this.#watched = new Map([...this.#watched, ...asked]);
    await this.#ask(
      due.map(([, { role }]) => role),
      cluster,
    );
  }

  /** What is told is kept the longer the later it was asked about. */
  #isNews({ id }: EntryEvent): boolean {
    const isKnown = this.#reported.get(id) !== undefined;
    this.#reported.set(id, id);
    return !isKnown;
  }

  async #ask(roles: readonly ShutOutRole[], cluster: string): Promise<void> {
    const { aws, onBlind, onChange } = this.#options;
    try {
      const events = await entryEvents(aws, CHANGES);
      onBlind(null);
      for (const role of roles) {
        const last = events.find((event) => isOf(event, { cluster, role: role.arn }));
        if (last !== undefined && this.#isNews(last)) onChange(last, role);
      }
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      onBlind(error.message);
    }
  }
}

function isDue({ sinceMs, asked }: Watched, nowMs: number): boolean {
  const atMs = ASKED_AT_MS[asked];
  return atMs !== undefined && nowMs - sinceMs >= atMs;
}
