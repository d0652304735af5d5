import type { PolicyKind } from '../../controllers/gate/caches.ts';
import { GateKeeper, type GateWrite, type GateWritten } from '../../controllers/gate/keeper.ts';
import { nidhoggNote, ruleNotes } from '../../controllers/gate/foreign-notes.ts';
import type { Look } from '../../controllers/gate/look.ts';
import { type Happened, happenedBy, noteOf, subjectOf } from '../../controllers/gate/notes.ts';
import type { GatePolicy, PolicyReading } from '../../controllers/gate/policy.ts';
import { timeText } from '../../controllers/gate/record.ts';
import { NodeGateKeeper } from '../../controllers/gate/node-gates/keeper.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { Aside } from '../../runtime/aside.ts';
import { LeaderElection } from '../../runtime/election/election.ts';
import type { ElectionState, Leading } from '../../runtime/election/election-options.ts';
import type { EventNote } from '../../runtime/events/event-correlator.ts';
import { EventPublisher } from '../../runtime/events/event-publisher.ts';
import { cacheChecks, type HealthCheck } from '../../runtime/health/health.ts';
import { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import type { ReflectorLimits } from '../../runtime/reflector/reflector-options.ts';
import {
  declareNidhoggMetrics,
  declareRuleMetrics,
  type ForeignMetrics,
} from './foreign-metrics.ts';
import { declareGateMetrics } from './metrics.ts';
import { RulePart } from './rule-part.ts';
import { SlipInPart } from './slip-in-part.ts';
import type { GateTools } from './tools.ts';

export interface GateSettings {
  readonly namespace: string;
  readonly identity: string;
  readonly isDryRun: boolean;
  readonly policyKinds: readonly PolicyKind[];
  readonly fixed: readonly PolicyReading[];
  /** Namespace of the Lease of the Node Readiness Controller; null to follow none of its rules. */
  readonly rulesNamespace: string | null;
  /**
   * True to do what the other program did and no more: no NodeGates, no Pods that came too early,
   * no condition that tells of trouble, for none of which it had rights.
   */
  readonly isReplacement: boolean;
  /** Times of what follows the cluster; the usual ones when not given. */
  readonly limits?: Partial<ReflectorLimits>;
}

const LEASE = 'rollcall-gate';

/** Each dialect tells what happened in its own Events, as those who watch for them expect. */
function notesOf(look: Look, happened: readonly Happened[], nowMs: number): readonly EventNote[] {
  const own = happened.filter(({ policy }) => policy.source.kind === 'NodeGate');
  const notes = [noteOf(look.node, own), nidhoggNote(look, timeText(nowMs))];
  return [...notes.filter((note) => note !== null), ...ruleNotes(look)];
}

/** The gate controller: every replica looks, the one that leads writes. */
export class GateProgram {
  readonly #settings: GateSettings;
  readonly #tools: GateTools;
  readonly #keeper: GateKeeper;
  readonly #gates: NodeGateKeeper | null;
  readonly #rules: RulePart | null;
  readonly #slipIns: SlipInPart | null;
  readonly #foreign: readonly ForeignMetrics[];
  readonly #events: EventPublisher;
  /** What is told of writes, so that the next write comes first. */
  readonly #aside: Aside;
  readonly registry = new MetricsRegistry();
  readonly #metrics = declareGateMetrics(this.registry, {
    caches: () => this.#keeper.caches.health(),
    policies: () => this.#keeper.caches.policies(),
  });
  #election: LeaderElection;
  #refused = new Set<string>();

  constructor(settings: GateSettings, tools: GateTools) {
    this.#settings = settings;
    this.#tools = tools;
    const { writes, clock, random } = tools;
    this.#aside = new Aside(clock);
    const source = { component: LEASE, instance: settings.identity };
    this.#events = new EventPublisher({ writes, clock, random, source });
    this.#gates = this.#nodeGateKeeper();
    this.#rules = this.#rulePart();
    this.#slipIns = this.#slipInPart();
    this.#keeper = this.#gateKeeper();
    this.#foreign = this.#foreignMetrics();
    this.#election = this.#candidate();
  }

  election(): ElectionState {
    return this.#election.state();
  }

  /** Ready once every list is there that decisions are made of, and while each is current. */
  readyChecks(): readonly HealthCheck[] {
    const { caches } = this.#keeper;
    const why = caches.isReady() ? null : 'not every list was read yet';
    return [{ name: 'gate-lists', why }, ...cacheChecks(caches.health())];
  }

  /** Runs until the signal ends it. @throws what is a bug and no failure of a source */
  async run(stop: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const either = AbortSignal.any([stop, ending.signal]);
    // Before the Events that are left are written.
    either.addEventListener('abort', () => this.#aside.finish(), { once: true });
    const parts = [this.#keeper.run(either), this.#events.run(either), this.#leadAgain(either)];
    try {
      await Promise.all(parts);
    } finally {
      ending.abort();
      await Promise.allSettled(parts);
      this.#aside.finish();
    }
  }

  #nodeGateKeeper(): NodeGateKeeper | null {
    const { isDryRun, isReplacement } = this.#settings;
    if (isReplacement) return null;
    return new NodeGateKeeper({
      ...this.#tools,
      cluster: '',
      isDryRun,
      isReady: () => this.#keeper.caches.isReady(),
      policies: () => this.#keeper.caches.policies(),
      nodeCount: () => this.#keeper.caches.nodeNames().length,
      onPerformed: ({ object }, { outcome, why }) => {
        if (outcome !== 'done' && outcome !== 'conflict')
          this.#tools.say(`NodeGate ${object.name}: ${why}`);
      },
    });
  }

  #rulePart(): RulePart | null {
    const { rulesNamespace: namespace, identity, isDryRun } = this.#settings;
    if (namespace === null) return null;
    return new RulePart({
      ...this.#tools,
      namespace,
      identity,
      isDryRun,
      isReady: () => this.#keeper.caches.isReady(),
      policies: () => this.#keeper.caches.policies(),
      onTurn: () => this.#keeper.caches.turn(),
      publish: (note) => this.#events.publish(note),
    });
  }

  #slipInPart(): SlipInPart | null {
    if (this.#settings.isReplacement) return null;
    return new SlipInPart({
      ...this.#tools,
      registry: this.registry,
      isDryRun: this.#settings.isDryRun,
      peek: (name) => this.#keeper.peek(name),
      isCurrent: () => this.readyChecks().every(({ why }) => why === null),
      publish: (note) => this.#events.publish(note),
    });
  }

  /** Metrics of other programs are there where their policies are. */
  #foreignMetrics(): readonly ForeignMetrics[] {
    const { fixed } = this.#settings;
    const policies = (): readonly GatePolicy[] => this.#keeper.caches.policies();
    const rules = this.#rules;
    return [
      ...(fixed.length === 0 ? [] : [declareNidhoggMetrics(this.registry)]),
      ...(rules === null
        ? []
        : [
            declareRuleMetrics(this.registry, {
              policies,
              evaluations: (uid) => rules.evaluationsOf(uid),
            }),
          ]),
    ];
  }

  #gateKeeper(): GateKeeper {
    const { policyKinds, fixed, isDryRun, isReplacement, limits = {} } = this.#settings;
    const rules = this.#rules;
    return new GateKeeper({
      ...this.#tools,
      cluster: '',
      limits,
      policyKinds: rules === null ? policyKinds : [...policyKinds, rules.kind],
      fixed,
      isDryRun,
      tellsTrouble: !isReplacement,
      onLook: (look, tookMs) => {
        this.#metrics.look(look);
        for (const metrics of this.#foreign) metrics.looked(look, tookMs);
        this.#gates?.look(look);
        rules?.look(look);
        this.#slipIns?.look(look);
      },
      onPerformed: (write, performed) => this.#performed(write, performed),
      onGone: (name) => {
        this.#metrics.gone(name);
        this.#gates?.gone(name);
        rules?.gone(name);
        this.#slipIns?.gone(name);
      },
      onPolicies: (readings) => this.#tellRefusals(readings),
    });
  }

  /** Each sentence once, for as long as it holds. */
  #tellRefusals(readings: readonly PolicyReading[]): void {
    const now = readings
      .flatMap(({ refusals, warnings }) => [...refusals, ...warnings])
      .map(({ source, why }) => `${source.kind} ${source.name}: ${why}`);
    for (const line of now) if (!this.#refused.has(line)) this.#tools.say(line);
    this.#refused = new Set(now);
  }

  #performed(write: GateWrite, written: GateWritten): void {
    const { outcome, why, tookMs } = written;
    this.#metrics.wrote(write, outcome, tookMs);
    this.#rules?.performed(write, written);
    if (!this.#settings.isDryRun)
      for (const metrics of this.#foreign) metrics.wrote(write, outcome, this.#tools.clock.nowMs());
    const { node } = write.look;
    if (outcome !== 'done') {
      if (outcome !== 'conflict') this.#tools.say(`${node.name}: ${why}`);
      return;
    }
    if (this.#settings.isDryRun)
      return this.#tools.say(`${node.name}: would be: ${write.action.why.text}`);
    const atMs = this.#tools.clock.nowMs();
    this.#aside.add(() => {
      if (write.isOfTaints) this.#tellHappened(write, atMs);
      else this.#tellTrouble(write);
    });
  }

  #tellHappened({ look }: GateWrite, atMs: number): void {
    const { node } = look;
    const happened = happenedBy(look);
    const ageMs = node.createdMs === null ? null : Math.max(0, atMs - node.createdMs);
    for (const one of happened) {
      this.#metrics.happened(one, ageMs);
      this.#tools.say(`${node.name}: ${one.what}: ${one.text}`);
    }
    for (const note of notesOf(look, happened, atMs)) this.#events.publish(note);
  }

  #tellTrouble({ look: { node }, action }: GateWrite): void {
    const { name, text } = action.why;
    const type = name === 'GateWell' ? 'Normal' : 'Warning';
    this.#tools.say(`${node.name}: ${text}`);
    this.#events.publish({ about: subjectOf(node), type, reason: name, message: text });
  }

  #candidate(): LeaderElection {
    const { leaseApi, leaseWrites, clock, random, say } = this.#tools;
    const { namespace, identity } = this.#settings;
    return new LeaderElection({
      api: leaseApi,
      writes: leaseWrites,
      clock,
      random,
      lease: { namespace, name: LEASE },
      identity,
      lead: async (leading) => await this.#lead(leading),
      onChange: ({ phase, holder, lastError }) => {
        this.#metrics.lead(phase === 'leading');
        if (lastError !== null) say(`Lease ${namespace}/${LEASE}: ${lastError.message}`);
        else if (phase === 'leading') say(`leads as ${identity}`);
        else if (holder !== null && holder !== identity) say(`${excerptOf(holder)} leads`);
      },
    });
  }

  async #lead(leading: Leading): Promise<void> {
    await Promise.all([
      this.#keeper.lead(leading),
      this.#gates?.lead(leading),
      this.#rules?.lead(leading),
      this.#slipIns?.lead(leading),
    ]);
  }

  /** A Lease that was lost is another's; it is waited for again. */
  async #leadAgain(stop: AbortSignal): Promise<void> {
    for (;;) {
      const end = await this.#election.run(stop);
      if (end === 'stopped') return;
      this.#tools.say('lost the Lease; nothing is written until it leads again');
      this.#election = this.#candidate();
    }
  }
}
