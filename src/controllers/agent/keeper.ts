import { type JsonObject, textAt } from '../../evidence/json.ts';
import { redact } from '../../evidence/redact.ts';
import type { Action } from '../../ports/action.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import type { NodeProbe } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { pause, whenAborted } from '../../runtime/abort.ts';
import { Alarm } from '../../runtime/alarm.ts';
import { perform, type Performed } from '../../runtime/perform.ts';
import { agentConditions, conditionObject, type NodeCondition } from './conditions.ts';
import {
  adopted,
  type AgentMoment,
  decide,
  looked,
  type ProbeMemory,
  type ProbeRules,
  unproven,
} from './decide.ts';
import { ProbeLooker } from './looking.ts';

export const NODES: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};

/** One way to the API server. */
export interface AgentRoute {
  /** `through the service address`. */
  readonly words: string;
  readonly api: Pick<KubeApi, 'get'>;
  readonly writes: KubeWrites;
}

export interface AgentKeeperOptions {
  /** The name of its own Node. */
  readonly node: string;
  readonly probes: readonly NodeProbe[];
  readonly rules: ProbeRules;
  /** In the order in which they are tried; asked again for each write. */
  readonly routes: () => readonly AgentRoute[];
  readonly recorder: Pick<Recorder, 'append'>;
  readonly clock: Clock;
  readonly random: Random;
  /** When the machine booted, by the wall clock, ms. */
  readonly bootedMs: number;
  /** False to look and tell only; the API server is not asked then. */
  readonly writesConditions: boolean;
  readonly isDryRun: boolean;
  /** One line for a person who reads the log. */
  readonly say: (line: string) => void;
}

/** What an agent knows of itself. */
export interface AgentState {
  readonly probes: readonly ProbeMemory[];
  /** Since the last write that the server took, or since the start before the first, ms. */
  readonly unwrittenMs: number;
  readonly isWritten: boolean;
  /** How long the probe that has not looked for longest has not, ms. */
  readonly unlookedMs: number;
  /** Why the last write failed; null when it did not. */
  readonly failure: string | null;
}

interface OwnNode {
  readonly uid: string;
  readonly resourceVersion: string;
  /** By the monotonic clock. */
  readonly seenMs: number;
  readonly written: ReadonlyMap<string, NodeCondition>;
}

/** The first looks of many Nodes that start together are spread over this, ms. */
const START_SPREAD_MS = 1_000;
/** From look to look while a row of them is not complete, and while the answer is no, ms. */
const PROVING_MS = 1_000;
const FAILING_MS = 5_000;
/** Whoever waits for several probes is woken by the last of those that end together. */
const SETTLE_MS = 100;
const ROUND_MS = 5_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;
/** The kubelet writes its Node too: what was seen longer ago is read again before a write, ms. */
const SEEN_MS = 5_000;
const CONFLICTS_MAX = 3;
const AGENT = 'rollcall agent';

/** Looks with every probe and keeps the conditions of its own Node. */
export class AgentKeeper {
  readonly #options: AgentKeeperOptions;
  readonly #lookers: readonly ProbeLooker[];
  readonly #memories = new Map<string, ProbeMemory>();
  readonly #lookedMs = new Map<string, number>();
  readonly #due: Alarm;
  #node: OwnNode | null = null;
  #writtenMs: number;
  #isWritten = false;
  #failures = 0;
  #failure: string | null = null;

  constructor(options: AgentKeeperOptions) {
    const { clock, probes } = options;
    this.#options = options;
    this.#due = new Alarm(clock, SETTLE_MS);
    this.#lookers = probes.map((probe) => new ProbeLooker(probe, clock));
    this.#writtenMs = clock.monotonicMs();
    for (const { condition, says } of probes) {
      this.#memories.set(condition, unproven(condition, says));
      this.#lookedMs.set(condition, this.#writtenMs);
    }
  }

  state(): AgentState {
    const nowMs = this.#options.clock.monotonicMs();
    return {
      probes: [...this.#memories.values()],
      unwrittenMs: nowMs - this.#writtenMs,
      isWritten: this.#isWritten,
      unlookedMs: nowMs - Math.min(nowMs, ...this.#lookedMs.values()),
      failure: this.#failure,
    };
  }

  /** Looks and writes until the signal ends it. @throws what is a bug and no failure of a port */
  async run(stop: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const either = AbortSignal.any([stop, ending.signal]);
    const parts = [
      ...this.#lookers.map(async (looker) => this.#follow(looker, either)),
      this.#options.writesConditions ? this.#keep(either) : whenAborted(either),
    ];
    try {
      await Promise.all(parts);
    } finally {
      ending.abort();
      await Promise.allSettled(parts);
    }
  }

  async #follow(looker: ProbeLooker, stop: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    await pause(clock, random.next() * START_SPREAD_MS, stop);
    while (!stop.aborted) {
      await this.#look(looker, stop);
      // Nodes that started together do not ask together for ever.
      const jitter = 0.9 + 0.2 * random.next();
      await pause(clock, this.#restMs(looker.probe) * jitter, stop);
    }
  }

  async #look(looker: ProbeLooker, stop: AbortSignal): Promise<void> {
    const { clock, rules } = this.#options;
    const { condition } = looker.probe;
    try {
      const result = await looker.look(stop);
      const before = this.#memoryOf(looker.probe);
      const monotonicMs = clock.monotonicMs();
      this.#lookedMs.set(condition, monotonicMs);
      this.#remember(looked(before, result, { monotonicMs, rules }), before);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  }

  #memoryOf({ condition, says }: NodeProbe): ProbeMemory {
    return this.#memories.get(condition) ?? unproven(condition, says);
  }

  #remember(memory: ProbeMemory, before: ProbeMemory): void {
    const { type, status, reason, message } = memory;
    this.#memories.set(type, memory);
    if (status !== before.status || reason !== before.reason)
      this.#options.say(`${type} ${status} (${reason}): ${redact(message)}`);
    this.#due.ring();
  }

  #restMs({ condition, says, intervalMs }: NodeProbe): number {
    const memory = this.#memories.get(condition);
    if (memory?.status === 'True' || says === 'notice') return intervalMs;
    return Math.min(intervalMs, (memory?.successes ?? 0) > 0 ? PROVING_MS : FAILING_MS);
  }

  async #keep(stop: AbortSignal): Promise<void> {
    let restMs = 0;
    for (;;) {
      await this.#due.pause(restMs, Math.max(restMs, ROUND_MS), stop);
      if (stop.aborted) return;
      this.#due.answer();
      restMs = (await this.#round(stop)) ? 0 : this.#retryMs();
    }
  }

  #retryMs(): number {
    const mostMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(this.#failures - 1, 8));
    return mostMs * (0.5 + 0.5 * this.#options.random.next());
  }

  /** False when the server could not be asked or did not take the write. */
  async #round(stop: AbortSignal): Promise<boolean> {
    try {
      for (let conflicts = 0; ; conflicts += 1) {
        const performed = await this.#writeDue(stop);
        if (performed === null || performed.outcome === 'done') break;
        this.#node = null;
        if (performed.outcome !== 'conflict' || conflicts === CONFLICTS_MAX)
          throw failureOf(performed);
      }
      this.#failures = 0;
      this.#failure = null;
      return true;
    } catch (error) {
      if (stop.aborted) return false;
      if (!(error instanceof PortError)) throw error;
      this.#fail(error);
      return false;
    }
  }

  /** null when nothing is due. */
  async #writeDue(stop: AbortSignal): Promise<Performed | null> {
    const known = this.#node ?? (await this.#readNode(stop));
    if (this.#decided(known).length === 0) return null;
    const isOld = this.#options.clock.monotonicMs() - known.seenMs >= SEEN_MS;
    const node = isOld ? await this.#readNode(stop) : known;
    const conditions = this.#decided(node);
    return conditions.length === 0 ? null : this.#write(node, conditions);
  }

  #fail({ message }: PortError): void {
    if (message !== this.#failure) this.#options.say(redact(message));
    this.#failure = message;
    this.#failures += 1;
  }

  #now(): AgentMoment {
    const { clock } = this.#options;
    return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  }

  #decided({ written }: OwnNode): readonly NodeCondition[] {
    const { rules } = this.#options;
    const probes = [...this.#memories.values()];
    return decide({ ...this.#now(), probes, written, rules });
  }

  /** Takes over what the Node's conditions still prove. */
  async #readNode(stop: AbortSignal): Promise<OwnNode> {
    const { bootedMs, rules, node: name } = this.#options;
    const node = await this.#onRoutes(async ({ api }) => api.get(NODES, { name }, stop));
    const known = ownNode(node, this.#options.clock.monotonicMs());
    const now = { ...this.#now(), bootedMs, rules };
    for (const [type, memory] of this.#memories)
      this.#memories.set(type, adopted(memory, known.written.get(type), now));
    this.#node = known;
    return known;
  }

  async #write(node: OwnNode, conditions: readonly NodeCondition[]): Promise<Performed> {
    const { clock, recorder, isDryRun } = this.#options;
    const action = this.#actionOf(node, conditions);
    const performed = await this.#onRoutes(async ({ api, writes }) => {
      const tools = { api, writes, recorder, clock, cluster: '' };
      return reached(await perform(action, tools, { isDryRun }));
    });
    if (performed.outcome === 'done') this.#wrote(node, conditions, performed);
    return performed;
  }

  #wrote(node: OwnNode, conditions: readonly NodeCondition[], { object }: Performed): void {
    const { clock, isDryRun } = this.#options;
    const isAnswered = !isDryRun && object !== null;
    this.#writtenMs = clock.monotonicMs();
    this.#isWritten = true;
    this.#node = isAnswered
      ? ownNode(object, this.#writtenMs)
      : { ...node, written: byType(conditions, node.written) };
  }

  #actionOf({ uid, resourceVersion }: OwnNode, conditions: readonly NodeCondition[]): Action {
    const { node: name } = this.#options;
    const change: JsonObject = { status: { conditions: conditions.map(conditionObject) } };
    const text = conditions.map(({ type, status }) => `${type} is ${status}`).join(', ');
    return {
      id: `agent/${name}/${this.#options.clock.nowMs()}`,
      object: { resource: NODES, namespace: null, name, seen: { uid, resourceVersion } },
      write: {
        verb: 'patch',
        patch: { type: 'strategic', change },
        requires: 'same-version',
        subresource: 'status',
      },
      why: { kind: 'rule', name: 'agent', text },
      askedBy: AGENT,
      undo: null,
    };
  }

  /** The first way that leads to the API server. @throws PortError of the first */
  async #onRoutes<T>(call: (route: AgentRoute) => Promise<T>): Promise<T> {
    let first: PortError | null = null;
    for (const route of this.#options.routes()) {
      try {
        return await call(route);
      } catch (error) {
        if (!(error instanceof PortError)) throw error;
        first ??= error;
        if (!leadsNowhere(error)) break;
      }
    }
    throw first ?? new PortError({ failure: 'not-configured', message: 'No API server is known.' });
  }
}

function leadsNowhere({ failure }: PortError): boolean {
  return failure === 'unreachable' || failure === 'timeout' || failure === 'unclear';
}

/** @throws PortError where the server was not reached, so that another way can be tried */
function reached(performed: Performed): Performed {
  const error = failureOf(performed);
  if (performed.outcome !== 'done' && leadsNowhere(error)) throw error;
  return performed;
}

function failureOf({ why, failure }: Performed): PortError {
  return new PortError({ failure: failure ?? 'unavailable', message: why });
}

function byType(
  conditions: readonly NodeCondition[],
  before: OwnNode['written'] = new Map(),
): OwnNode['written'] {
  return new Map([...before, ...conditions.map((one) => [one.type, one] as const)]);
}

function ownNode(object: JsonObject, seenMs: number): OwnNode {
  return {
    uid: textAt(object, 'metadata.uid') ?? '',
    resourceVersion: textAt(object, 'metadata.resourceVersion') ?? '',
    seenMs,
    written: byType(agentConditions(object)),
  };
}
