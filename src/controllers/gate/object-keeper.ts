import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { Alarm } from '../../runtime/alarm.ts';
import { perform, type Performed, type PerformTools } from '../../runtime/perform.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';
import type { LeadOptions } from './keeper.ts';
import { OwnWrites, type Versioned } from './own-writes.ts';

export interface KeeperTools extends PerformTools {
  readonly api: KubeApi;
  readonly random: Random;
  /** True to have the server check every write and store nothing. */
  readonly isDryRun: boolean;
  /** True once every node was looked at, so that what no node has is known. */
  readonly isReady: () => boolean;
  readonly onPerformed: (action: Action, performed: Performed) => void;
}

export interface ObjectKeeperOptions<T> extends KeeperTools {
  readonly resource: KubeResource;
  readonly project: (object: JsonObject) => T | null;
  /** The one write that an object needs now; null for none. */
  readonly decide: (object: T) => Action | null;
  /** Told of all objects before they are decided about. */
  readonly onRound: (all: readonly T[]) => void;
}

/** Between two rounds, so that a storm of joins is not one of statuses too, ms. */
const REST_MS = 2_000;
const AT_ONCE = 8;
const AFTER_FAILURE_MS = 5_000;
const ROUND_MS = 60_000;

/** Follows the objects of one kind, and writes what each of them needs; nothing at rest. */
export class ObjectKeeper<T extends Versioned> {
  readonly #options: ObjectKeeperOptions<T>;
  readonly #objects: Reflector<T>;
  readonly #due: Alarm;
  readonly #own: OwnWrites;
  /** What was checked in a dry run, by object: the same is not checked again. */
  readonly #checked = new Map<string, string>();

  constructor(options: ObjectKeeperOptions<T>) {
    const { api, clock, random, resource, project } = options;
    this.#options = options;
    this.#due = new Alarm(clock);
    this.#own = new OwnWrites(clock);
    const onChange = (): void => this.#due.ring();
    this.#objects = new Reflector<T>({ api, clock, random, resource, project, onChange });
  }

  /** Something changed on which decisions depend. */
  ring(): void {
    this.#due.ring();
  }

  /** Writes while it leads. @throws what is a bug and no failure of the API server */
  async lead({ stop, lost, isLeading }: LeadOptions): Promise<void> {
    const signal = AbortSignal.any([stop, lost]);
    await Promise.all([this.#objects.run(signal), this.#keep(signal, isLeading)]);
  }

  async #keep(signal: AbortSignal, isLeading: LeadOptions['isLeading']): Promise<void> {
    let restMs = 0;
    for (;;) {
      await this.#due.pause(restMs, ROUND_MS, signal);
      if (signal.aborted) return;
      this.#due.answer();
      restMs = (await this.#round(signal, isLeading)) ? REST_MS : AFTER_FAILURE_MS;
    }
  }

  /** False when a write failed. */
  async #round(signal: AbortSignal, isLeading: LeadOptions['isLeading']): Promise<boolean> {
    const { isReady, onRound, decide } = this.#options;
    if (!isReady() || !this.#objects.state().isSynced) return true;
    const all = [...this.#objects.values()];
    onRound(all);
    const due = all.flatMap((object) => {
      const action = this.#own.isAwaited(object) ? null : decide(object);
      return action === null || this.#isChecked(action) ? [] : [{ object, action }];
    });
    let isWell = true;
    for (let at = 0; at < due.length && !signal.aborted; at += AT_ONCE) {
      const batch = due.slice(at, at + AT_ONCE);
      const ends = await Promise.all(
        batch.map((one) => this.#perform(one.object, one.action, isLeading)),
      );
      isWell &&= ends.every(Boolean);
    }
    return isWell;
  }

  #isChecked({ object, id }: Action): boolean {
    return this.#options.isDryRun && this.#checked.get(object.name) === id;
  }

  async #perform(object: T, action: Action, isAllowed: LeadOptions['isLeading']): Promise<boolean> {
    const { isDryRun, onPerformed } = this.#options;
    const performed = await perform(action, this.#options, { isDryRun, isAllowed });
    if (isDryRun) this.#checked.set(object.name, action.id);
    else if (performed.outcome === 'done')
      this.#own.written(object, textAt(performed.object ?? {}, 'metadata.resourceVersion'));
    onPerformed(action, performed);
    return performed.outcome === 'done' || performed.outcome === 'conflict';
  }
}
