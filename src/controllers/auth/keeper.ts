import { type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { pause, whenAborted } from '../../runtime/abort.ts';
import { readAwsAuth } from '../fix/auth/config-map.ts';
import { fixMap } from '../fix/auth/fix-map.ts';
import type { MapEditor } from '../fix/auth/map-editor.ts';
import type { ShutOutRole } from '../fix/auth/targets.ts';
import { rolePartsOf } from '../fix/auth/node-mapping.ts';
import type { FixStep, FixTools } from '../fix/fix.ts';
import { lastWriteOf } from '../fix/last-writer.ts';
import { decide, withRestored } from './decide.ts';
import type { AuthMemory, AuthRules, AuthSight, LostMapping, ShutOut } from './facts.ts';
import { type BothClocks, joined, memoryIn, memoryNote } from './memory-note.ts';

/** `report`: reads and writes nothing. */
export const AUTH_MODES = ['off', 'report', 'restore'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

export interface AuthKeeperOptions {
  readonly mode: Exclude<AuthMode, 'off'>;
  /** Names this start of the program in records. */
  readonly identity: string;
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly editor: MapEditor;
  readonly isDryRun: () => boolean;
  /** Where what is remembered outlives the program. */
  readonly notes: AuthNotes;
  /** What a restoration works with; each write asks `isAllowed` right before it is sent. */
  readonly toolsFor: (id: string, isAllowed: () => boolean) => FixTools;
  /** All that is gone now, after each reading. */
  readonly onLost: (lost: readonly LostMapping[], uid: string | null) => void;
  /** What became of a restoration. */
  readonly onEnd: (lost: LostMapping, step: FixStep, uid: string | null) => void;
  /** aws-auth could not be read, and why, or can be again (null). */
  readonly onBlind: (why: string | null) => void;
  /** What is remembered could not be kept or read, and why, or can be again (null). */
  readonly onUnnoted: (why: string | null) => void;
}

/** Keeps one JSON text; where nobody records, it is forgotten with the program. */
export interface AuthNotes {
  /** @throws PortError */
  readonly read: () => Promise<Json | undefined>;
  /** @throws PortError */
  readonly write: (body: Json) => Promise<void>;
}

/** As a leader has it; another may lead as soon as it is over. */
export interface MayRestore {
  readonly signal: AbortSignal;
  /** Asked right before each write. */
  readonly isLeading: () => boolean;
}

const MINUTE_MS = 60_000;
const EVERY_MS = MINUTE_MS / 2;
const HOUR_MS = 60 * MINUTE_MS;
/** So often a note is written again, so that a later start knows how long nobody looked. */
const NOTED_MS = 10 * MINUTE_MS;
/** Tools that replace aws-auth do so within seconds; four roles an hour are a cluster's. */
export const AUTH_RULES: AuthRules = {
  settleMs: MINUTE_MS,
  restMs: HOUR_MS,
  forgetMs: 24 * HOUR_MS,
  most: 4,
};

interface Read {
  readonly sight: AuthSight;
  readonly uid: string | null;
}

/** `terraform at 2026-03-01T12:00:00Z`; null where managed fields are not shown. */
function writerOf(configMap: JsonObject): string | null {
  const last = lastWriteOf(configMap, 'data');
  if (last === null) return null;
  return excerptOf(last.at === null ? last.manager : `${last.manager} at ${last.at}`);
}

/** Notices that aws-auth lost a mapping of nodes, and puts it back where that is asked for. */
export class AuthKeeper {
  readonly #options: AuthKeeperOptions;
  #memory: AuthMemory = new Map();
  #shutOut: ShutOut = new Map();
  #may: MayRestore | null = null;
  #restorations = 0;
  /** True once it is known what a former start remembered. */
  #hasRead = false;
  #noted = '';
  #notedMs = -Infinity;

  constructor(options: AuthKeeperOptions) {
    this.#options = options;
  }

  /** Roles whose machines are shut out, by the judgement of now; none where nobody knows. */
  setShutOut(roles: readonly ShutOutRole[]): void {
    this.#shutOut = new Map(
      roles.map(({ arn, machines }) => [(rolePartsOf(arn)?.plain ?? arn).toLowerCase(), machines]),
    );
  }

  /** Reads until the signal ends it; every replica does, so that the next leader remembers. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!stop.aborted) {
      await this.#pass();
      await pause(clock, EVERY_MS, stop);
    }
  }

  /** Lets it write until the signal ends it. */
  async lead(may: MayRestore): Promise<void> {
    this.#may = may;
    // Whoever led before may have put something back that was not seen from here.
    this.#hasRead = false;
    await whenAborted(may.signal);
    if (this.#may === may) this.#may = null;
  }

  async #read(): Promise<Read> {
    const { kube, editor } = this.#options;
    const configMap = await readAwsAuth(kube);
    if (configMap === null) return { sight: { state: 'absent' }, uid: null };
    const uid = textAt(configMap, 'metadata.uid');
    const roles = editor.readRoles(textAt(configMap, 'data.mapRoles') ?? '');
    if (!roles.ok) {
      const why = `mapRoles of aws-auth, line ${roles.line}: ${roles.why}`;
      return { sight: { state: 'malformed', why }, uid };
    }
    const version = textAt(configMap, 'metadata.resourceVersion') ?? '';
    const writer = writerOf(configMap);
    return { sight: { state: 'seen', entries: roles.entries, version, writer }, uid };
  }

  async #pass(): Promise<void> {
    const { clock, mode, onBlind, onLost } = this.#options;
    try {
      await this.#remember();
      const { sight, uid } = await this.#read();
      onBlind(sight.state === 'malformed' ? sight.why : null);
      const nowMs = clock.monotonicMs();
      const rules = { ...AUTH_RULES, nowMs };
      const { memory, lost } = decide(sight, this.#memory, this.#shutOut, rules);
      this.#memory = memory;
      if (sight.state !== 'malformed') onLost(lost, uid);
      if (sight.state !== 'malformed') await this.#isNoted(memory);
      const due = mode === 'restore' ? lost.filter(({ verdict }) => verdict === 'restore') : [];
      for (const one of due) await this.#restore(one, uid);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      onBlind(error.message);
    }
  }

  async #restore(lost: LostMapping, uid: string | null): Promise<void> {
    const { clock, editor, identity, isDryRun, onEnd, toolsFor } = this.#options;
    const may = this.#may;
    const isAllowed = (): boolean => may !== null && may.isLeading() && !may.signal.aborted;
    if (!isAllowed()) return;
    this.#restorations += 1;
    const id = `auth-${identity}-${this.#restorations}`;
    const { mapping, machines, by } = lost;
    const text = `${mapping.arn} was mapped as a node and is not any more${by === null ? '' : `, last written by ${by}`}; ${machines.join(', ')} are shut out.`;
    const why = { kind: 'finding', name: 'node-role-not-in-aws-auth', text } as const;
    const order = {
      id,
      isDryRun: isDryRun(),
      why,
      mapping,
      editor,
      askedBy: 'auth',
      isMissing: true,
    };
    // A start after one that was killed right here must not put it back a second time.
    const restored = withRestored(this.#memory, mapping.arn, clock.monotonicMs());
    if (!isDryRun() && !(await this.#isNoted(restored))) return;
    const step = await fixMap(order, toolsFor(id, isAllowed));
    const isMade = step.outcome !== 'refused' && step.outcome !== 'conflict';
    if (isMade) this.#memory = restored;
    onEnd(lost, step, uid);
    await this.#isNoted(this.#memory);
  }

  #clocks(): BothClocks {
    const { clock } = this.#options;
    return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  }

  /**
   * Takes in what former starts and other replicas noted. What this start has seen itself counts
   * more, but for when a mapping was put back.
   */
  async #remember(): Promise<void> {
    if (this.#hasRead) return;
    const { notes } = this.#options;
    await this.#orUnnoted(async () => {
      const before = memoryIn(await notes.read(), this.#clocks(), AUTH_RULES.forgetMs);
      this.#hasRead = true;
      this.#memory = joined(before, this.#memory);
    });
  }

  /** The replica that writes keeps the notes, when something changed or they become old. */
  async #isNoted(memory: AuthMemory): Promise<boolean> {
    const { mode, notes, clock, isDryRun } = this.#options;
    if (isDryRun() || (mode === 'restore' && this.#may?.isLeading() !== true)) return true;
    if (!this.#hasRead) return false;
    const text = JSON.stringify([...memory]);
    const nowMs = clock.monotonicMs();
    if (text === this.#noted && nowMs - this.#notedMs < NOTED_MS) return true;
    return await this.#orUnnoted(async () => {
      await notes.write(memoryNote(memory, this.#clocks()));
      this.#noted = text;
      this.#notedMs = nowMs;
    });
  }

  async #orUnnoted(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#options.onUnnoted(null);
      return true;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#options.onUnnoted(error.message);
      return false;
    }
  }
}
