/** What must hold of gates, seen by what is true of the machines. */
import { at, isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { isDryRun, type LedgerEntry } from '../../../src/sim/programs/ledger.ts';
import type { TestCluster } from '../platform/cluster.ts';
import { bystandersOf } from './bystanders.ts';
import type { Machine, Machines, Work } from './machines.ts';
import type { GateResult, Violation } from './plan.ts';
import { DWELL_MS, GATES, regressKey, type SceneGate, startupKey } from './scene.ts';

/** How long what has happened may be on its way to a program that decides, ms. */
const ON_ITS_WAY_MS = 1_500;
/** How often what we have nothing to do with is looked at, ms. */
const BYSTANDERS_MS = 5_000;
/** From the loss of a proof until its node is shut again, ms. */
const REGRESS_MS = 15_000;
/** After its dwell a well node is open within, ms. */
const OPENS_MS = 5_000;
/** From a restart of the kubelet until a node is shut by a gate for which it counts, ms. */
const RESTART_MS = 7_000;

export const GATE_RULES = [
  'I-01',
  'I-02',
  'I-03',
  'I-04',
  'I-05',
  'I-07',
  'I-08',
  'I-32',
  'I-36',
  'I-40',
  'L-01',
] as const;
type GateRule = (typeof GATE_RULES)[number];

export interface WatchedGates {
  readonly onWrite: (entry: LedgerEntry) => void;
  /** @param known Nodes of each gate of which a program keeps something */
  readonly onEnd: (known: ReadonlyMap<string, number>) => void;
  readonly result: () => Pick<GateResult, 'violations' | 'evaluations' | 'opened'>;
  /** A policy of admission of ours refused a write of others. */
  readonly onBlocked: (what: string) => void;
  readonly onStart: (program: string) => void;
  /** A clock was set. */
  readonly onStep: () => void;
}

type Node = JsonObject | null;

function taintKeys(node: Node): readonly string[] {
  return listAt(node ?? {}, 'spec.taints').map((taint) => textAt(taint, 'key') ?? '');
}

function groupOf(node: Node): string | null {
  return textAt(node ?? {}, 'metadata.labels.group');
}

function isForGate(node: Node): boolean {
  return GATES.some(({ group }) => group === groupOf(node));
}

function keysOf({ name }: SceneGate): readonly string[] {
  return [startupKey(name), regressKey(name)];
}

const OWN_KEYS = new Set(GATES.flatMap(keysOf));

/** Whether its agent worked for the whole dwell at some moment that the program may still see. */
function isDeep(works: readonly Work[], gate: SceneGate, until: Until): boolean {
  const { atMs, leewayMs, setUid, nodeUid, bootId, kubeletSinceMs } = until;
  const isNews = atMs - kubeletSinceMs <= Math.min(leewayMs, RESTART_MS);
  const countsMs = gate.countsKubelets === true && !isNews ? kubeletSinceMs : 0;
  return works.some((work) => {
    const isOfNow = work.nodeUid === nodeUid && work.bootId === bootId;
    const endMs = Math.min(work.untilMs ?? atMs, atMs);
    const isLong = endMs >= atMs - leewayMs && endMs - Math.max(work.fromMs, countsMs) >= DWELL_MS;
    return isOfNow && work.set === gate.set && work.setUid === setUid && isLong;
  });
}

type Opening = Pick<LedgerEntry, 'calledMs' | 'program'>;

interface Until {
  readonly atMs: number;
  readonly leewayMs: number;
  readonly setUid: string | null;
  readonly nodeUid: string | null;
  readonly bootId: string | null;
  readonly kubeletSinceMs: number;
}

class GateWatch {
  readonly violations: Violation[] = [];
  readonly evaluations = new Map<string, number>();
  readonly opened: string[] = [];
  readonly #cluster: TestCluster;
  readonly #machines: Machines;
  /** Gates and UIDs of Nodes that were opened at their start, with their boot. */
  readonly #once = new Set<string>();
  /** UIDs of Nodes that a gate was for at some time. */
  readonly #everOurs = new Set<string>();
  readonly #movedMs = new Map<string, number>();
  /** How long the write that opened a Node was on its way, as of a program that stood still, ms. */
  readonly #lateMs = new Map<string, number>();
  /** When each program began, and the Nodes that one opened which began after their last boot. */
  readonly #startedMs = new Map<string, number>();
  readonly #openedBlindly = new Set<string>();
  /** From when until when a program stood still at a write. */
  readonly #stood: {
    readonly program: string;
    readonly fromMs: number;
    readonly untilMs: number;
  }[] = [];
  /** Gates that were held when they were deleted, so that their taints can go first. */
  readonly #releasing = new Set<string>();
  #steppedMs = -Infinity;

  constructor(cluster: TestCluster, machines: Machines) {
    this.#cluster = cluster;
    this.#machines = machines;
    this.#followNodes();
    this.#followBindings();
    this.#followGates();
    cluster.kernel.every(BYSTANDERS_MS, () => this.#lookAtBystanders());
  }

  started(program: string): void {
    this.#startedMs.set(program, this.#cluster.kernel.nowMs());
  }

  stepped(): void {
    this.#steppedMs = this.#cluster.kernel.nowMs();
  }

  wrote({ before, after, calledMs, atMs, program }: LedgerEntry): void {
    const name = textAt(after ?? {}, 'metadata.name') ?? '';
    this.#lateMs.set(name, atMs - calledMs);
    if (atMs - calledMs > ON_ITS_WAY_MS)
      this.#stood.push({ program, fromMs: calledMs, untilMs: atMs });
    const [were, are] = [taintKeys(before), taintKeys(after)];
    const others = (keys: readonly string[]): string =>
      keys.filter((key) => !OWN_KEYS.has(key)).join();
    this.check('I-05', others(were) === others(are), `${program}: ${name}: others' taints`);
    const isFor = GATES.some(({ group }) => group === groupOf(before));
    const isJustMoved = calledMs - (this.#movedMs.get(name) ?? -Infinity) < ON_ITS_WAY_MS;
    this.check('I-08', isFor || isJustMoved, `${program}: ${name} is no node of a gate`);
    for (const gate of GATES) {
      const isWith = (keys: readonly string[]): boolean =>
        keysOf(gate).some((key) => keys.includes(key));
      if (isWith(were) && !isWith(are)) this.#opens(gate, before, { calledMs, program });
      if (!isWith(were) && isWith(are)) this.#shuts(gate, before);
    }
  }

  /** What holds once nothing more happens. */
  ended(known: ReadonlyMap<string, number>): void {
    const { admin } = this.#cluster;
    for (const gate of GATES) {
      const nodes = admin.list('Node').filter((node) => groupOf(node) === gate.group);
      const count = known.get(gate.name) ?? 0;
      const text = `${gate.name}: ${count} nodes are kept of ${nodes.length}`;
      this.check('I-32', count <= nodes.length, text);
      for (const node of nodes) this.#mustBeOpen(gate, node);
    }
  }

  check(rule: GateRule, isWell: boolean, what: string): void {
    this.evaluations.set(rule, (this.evaluations.get(rule) ?? 0) + 1);
    if (!isWell) this.violations.push({ rule, what });
  }

  #lookAtBystanders(): void {
    // One that leaves the selector is not touched any more, and keeps what it has.
    const isOurs = (node: JsonObject): boolean =>
      isForGate(node) || this.#everOurs.has(textAt(node, 'metadata.uid') ?? '');
    for (const { name, why } of bystandersOf(this.#cluster, isOurs, OWN_KEYS))
      this.check('I-36', why === null, `${name}, which no gate is for, ${why ?? ''}`);
  }

  #mustBeOpen(gate: SceneGate, node: JsonObject): void {
    const name = textAt(node, 'metadata.name') ?? '';
    const isGivenUp = this.#releasing.has(gate.name);
    const atMs = this.#cluster.kernel.nowMs() - OPENS_MS;
    const isWell = gate.unreadable === undefined && this.#isDeep(gate, node, atMs, 0);
    const isShut = keysOf(gate).some((key) => taintKeys(node).includes(key));
    if (isWell || isGivenUp) this.check('L-01', !isShut, `${name} is shut by ${gate.name}`);
  }

  #isDeep(gate: SceneGate, node: Node, atMs: number, leewayMs: number): boolean {
    const name = textAt(node ?? {}, 'metadata.name') ?? '';
    const machine: Machine | null = this.#machines.get(name);
    const set = this.#cluster.admin.get('DaemonSet', gate.set);
    return isDeep(machine?.works ?? [], gate, {
      atMs,
      leewayMs,
      setUid: textAt(set ?? {}, 'metadata.uid'),
      nodeUid: textAt(node ?? {}, 'metadata.uid'),
      bootId: machine?.bootId ?? null,
      kubeletSinceMs: machine?.kubeletSinceMs ?? 0,
    });
  }

  /** Whether there is a Pod of it on the node that says anything of its containers. */
  #isSeen({ set }: SceneGate, name: string): boolean {
    const uid = textAt(this.#cluster.admin.get('DaemonSet', set) ?? {}, 'metadata.uid');
    const pods = this.#cluster.admin.list('Pod', { fieldSelector: `spec.nodeName=${name}` });
    return pods.some((pod) => {
      const [owner] = listAt(pod, 'metadata.ownerReferences');
      const isOfSet = uid !== null && textAt(owner, 'uid') === uid;
      return isOfSet && listAt(pod, 'status.containerStatuses').length > 0;
    });
  }

  /** A program that began after a boot, or stood still at it, cannot know what a Pod said before. */
  #isBlind(program: string, name: string): boolean {
    const bootedMs = this.#machines.get(name)?.bootedAgainMs ?? null;
    if (bootedMs === null) return false;
    const stood = this.#stood.some(
      (one) => one.program === program && one.fromMs <= bootedMs && bootedMs <= one.untilMs,
    );
    return stood || (this.#startedMs.get(program) ?? 0) > bootedMs;
  }

  #opens(gate: SceneGate, node: Node, { calledMs, program }: Opening): void {
    const name = textAt(node ?? {}, 'metadata.name') ?? '';
    const uid = textAt(node ?? {}, 'metadata.uid') ?? '';
    const what = `${gate.name} opens ${name}`;
    this.#cluster.kernel.log('rules', what);
    if (!isAskedOf(gate, this.#cluster.admin.get('NodeGate', gate.name))) return;
    this.opened.push(`${gate.name} ${name}`);
    if (gate.isOnlyAtStart === true) this.#once.add(this.#onceKey(gate, name, uid));
    this.check('I-04', gate.unreadable === undefined, `${what}, and cannot be read`);
    this.check('I-03', this.#isSeen(gate, name), `${what} on what is not known`);
    if (this.#isBlind(program, name)) return void this.#openedBlindly.add(name);
    const isWell = this.#isDeep(gate, node, calledMs, ON_ITS_WAY_MS);
    this.check('I-02', isWell, `${what} before its agent worked for its dwell`);
    const isSoon = calledMs - this.#steppedMs < DWELL_MS;
    if (isSoon) this.check('I-40', isWell, `${what} early as a clock was set`);
  }

  #shuts(gate: SceneGate, node: Node): void {
    const name = textAt(node ?? {}, 'metadata.name') ?? '';
    const uid = textAt(node ?? {}, 'metadata.uid') ?? '';
    this.#cluster.kernel.log('rules', `${gate.name} shuts ${name}`);
    const wasOpened = this.#once.has(this.#onceKey(gate, name, uid));
    this.check('I-07', !wasOpened, `${gate.name} shuts ${name}, which it is done with`);
  }

  #onceKey({ name: gate }: SceneGate, name: string, uid: string): string {
    return `${gate} ${uid} ${this.#machines.get(name)?.bootId ?? ''}`;
  }

  #followNodes(): void {
    this.#cluster.admin.follow('Node', (type, node, before) => {
      if (isForGate(node)) this.#everOurs.add(textAt(node, 'metadata.uid') ?? '');
      if (type !== 'MODIFIED' || groupOf(node) === groupOf(before)) return;
      this.#movedMs.set(textAt(node, 'metadata.name') ?? '', this.#cluster.kernel.nowMs());
    });
  }

  #followGates(): void {
    this.#cluster.admin.follow('NodeGate', (type, gate) => {
      if (type === 'ADDED') this.#releasing.delete(textAt(gate, 'metadata.name') ?? '');
      if (type === 'MODIFIED' && !isAsked(gate))
        this.#releasing.add(textAt(gate, 'metadata.name') ?? '');
    });
  }

  /** Pods of the shop tolerate no gate. */
  #followBindings(): void {
    const { admin, kernel } = this.#cluster;
    admin.follow('Pod', (type, pod, before) => {
      const name = textAt(pod, 'spec.nodeName');
      const isBound = textAt(before ?? undefined, 'spec.nodeName') === null && name !== null;
      const [owner] = listAt(pod, 'metadata.ownerReferences');
      const isOfShop = textAt(owner, 'name') === 'shop';
      if (type === 'DELETED' || !isBound || !isOfShop || this.#openedBlindly.has(name)) return;
      const node = admin.get('Node', name);
      for (const gate of GATES) {
        if (gate.group !== groupOf(node) || !isAskedOf(gate, admin.get('NodeGate', gate.name)))
          continue;
        const leewayMs = REGRESS_MS + (this.#lateMs.get(name) ?? 0);
        const isWell = this.#isDeep(gate, node, kernel.nowMs(), leewayMs);
        this.check('I-01', isWell, `a Pod is bound to ${name}, not proven to ${gate.name}`);
      }
    });
  }
}

/** Whether it asks for anything, or is on its way out. */
function isAsked(gate: JsonObject | null): boolean {
  return isObject(gate ?? undefined) && at(gate ?? {}, 'metadata.deletionTimestamp') === undefined;
}

/** Whether it asks for anything of the nodes of its group. */
function isAskedOf({ group }: SceneGate, gate: JsonObject | null): boolean {
  return isAsked(gate) && textAt(gate ?? {}, 'spec.nodeSelector.matchLabels.group') === group;
}

/** Watches what a gate writes, and what it leads to. */
export function watchGates(cluster: TestCluster, machines: Machines): WatchedGates {
  const watch = new GateWatch(cluster, machines);
  const { violations, evaluations, opened } = watch;
  return {
    onWrite(entry) {
      const { path } = entry.request;
      if (path.plural === 'nodes' && entry.code < 300 && !isDryRun(entry.request))
        watch.wrote(entry);
    },
    onEnd: (known) => watch.ended(known),
    onBlocked: (what) => watch.check('I-36', false, what),
    onStart: (program) => watch.started(program),
    onStep: () => watch.stepped(),
    result: () => ({ violations, evaluations, opened }),
  };
}
