/** One machine that joins under `rollcall join`, and each call of its ports that goes wrong once. */
import { textAt } from '../../../src/evidence/json.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { JoinTools } from '../../../src/controllers/join/supervisor.ts';
import type { JoinBug } from './join-bugs.ts';
import { canGoWrong, type JoinPort, JoinPorts, type OneCall, WRONGS } from './join-ports.ts';
import { JoinRuleWatch, type TrueNode } from './join-rules.ts';
import { startJoin, wrongWith } from './join-worlds.ts';
import { type Lab, openLab } from './lab.ts';

/** What stands in the way of the one machine. */
export interface LaneWorld {
  readonly name: string;
  readonly says: string;
  /** EC2 does not list the instance before this second; 0 where it does at once. */
  readonly listedS: number;
  readonly podNetworkS: number;
  /** The machine does not reach the API server between these seconds. */
  readonly awayS: readonly [from: number, to: number] | null;
  /** The API server does not know the kubelet's credentials between these seconds, or until a reset. */
  readonly refusedS: readonly [from: number, to: number] | null;
}

const CALM = { listedS: 0, podNetworkS: 20, awayS: null, refusedS: null };

export const LANE_WORLDS: readonly LaneWorld[] = [
  { ...CALM, name: 'late', says: 'EC2 lists the instance late', listedS: 60 },
  {
    ...CALM,
    name: 'unreachable',
    says: 'COMMAND fails, as the API server cannot be reached',
    awayS: [0, 330],
  },
  {
    ...CALM,
    name: 'away',
    says: 'the API server is away after the join',
    podNetworkS: 60,
    awayS: [32, 55],
  },
  {
    ...CALM,
    name: 'refused',
    says: 'the API server refuses the credentials for a while',
    podNetworkS: 60,
    refusedS: [32, 55],
  },
  {
    ...CALM,
    name: 'refused-long',
    says: 'the API server refuses the credentials until they are replaced',
    refusedS: [32, 300],
  },
];

export interface JoinCase extends OneCall {
  readonly world: string;
  readonly port: JoinPort;
}

export interface LaneEnd {
  readonly calls: readonly JoinPort[];
  /** Runs of COMMAND. */
  readonly runs: number;
  /** Second at which it said that it has joined; null when it did not. */
  readonly saidAtS: number | null;
  readonly violations: readonly string[];
}

const NAME = 'rollcall-0';
const SEED = 11;
/** The limit of a join, and a boot. */
const END_S = 1000;
const RESTART_S = { kill: 0.2, reboot: 40 } as const;
/** `RestartSec` of the unit, for a join that has failed. */
const UNIT_RESTART_S = 60;

function settingOf({ podNetworkS }: LaneWorld): JsonObject {
  return {
    cluster: {
      kind: 'kubeadm',
      version: '1.34.3',
      cloudController: '1.34',
      podNetwork: 'calico',
      podNetworkWarmUp: `${podNetworkS}s`,
    },
    groups: [{ name: 'rollcall', joinedBy: 'rollcall', count: 1, type: 'c6i.large', boot: '5s' }],
    workloads: [],
  };
}

export function worldNamed(name: string): LaneWorld {
  const found = LANE_WORLDS.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`no such world: ${name}`);
  return found;
}

/** Plays a join to its end, with one call that goes wrong or a mistake in its ports. */
export async function playLane(
  world: LaneWorld,
  chosen: OneCall | null,
  bug: JoinBug | null = null,
): Promise<LaneEnd> {
  const play = new LanePlay(world, chosen, bug);
  return play.run();
}

class LanePlay {
  readonly #world: LaneWorld;
  readonly #bug: JoinBug | null;
  readonly #ports: JoinPorts;
  readonly #rules: JoinRuleWatch;
  #lab: Lab | null = null;
  #saidAtS: number | null = null;
  #isReplaced = false;

  constructor(world: LaneWorld, chosen: OneCall | null, bug: JoinBug | null) {
    this.#world = world;
    this.#bug = bug;
    this.#ports = new JoinPorts(chosen, (how) => this.#crash(how));
    this.#rules = new JoinRuleWatch(
      () => this.#truth(),
      () => this.#open.simulated.kernel.nowMs(),
    );
  }

  get #open(): Lab {
    if (this.#lab === null) throw new RangeError('the world is not open');
    return this.#lab;
  }

  async run(): Promise<LaneEnd> {
    const joinTools = (tools: JoinTools): JoinTools => this.#turned(tools);
    this.#lab = await openLab(settingOf(this.#world), SEED, { joinTools });
    await this.#lab.until(0);
    this.#hide();
    let endS = END_S;
    for (let second = 1; second <= endS; second++) {
      this.#obstruct(second);
      await this.#lab.until(second);
      this.#rules.observe();
      if (this.#saidAtS !== null) endS = Math.min(endS, this.#saidAtS + AFTER_S);
    }
    const { violations, runs } = this.#rules;
    const lost = [
      ...(this.#saidAtS === null ? ['L-04: the join did not end well'] : []),
      ...this.#truth().wrong.map((what) => `L-04: in the end ${what}`),
    ];
    return {
      calls: this.#ports.calls,
      runs,
      saidAtS: this.#saidAtS,
      violations: [...violations, ...lost],
    };
  }

  #turned(tools: JoinTools): JoinTools {
    const watched = this.#rules.watched(this.#refused(tools));
    const heard: JoinTools = {
      ...this.#ports.counted(watched),
      say: (event) => {
        if (event.event === 'joined') this.#saidAtS ??= this.#second();
        watched.say(event);
        if (event.event === 'failed') this.#startIn(UNIT_RESTART_S);
      },
    };
    return this.#bug?.tools(heard) ?? heard;
  }

  #second(): number {
    const { kernel, setting } = this.#open.simulated;
    return Math.ceil((kernel.nowMs() - setting.startMs) / 1000);
  }

  #hasCredentials(): boolean {
    const machine = this.#open.simulated.machineOf(NAME);
    return machine?.files().has('/etc/kubernetes/kubelet.conf') === true;
  }

  #isRefused(): boolean {
    if (this.#isReplaced) return false;
    const [from = 0, to = 0] = this.#world.refusedS ?? [];
    return this.#second() >= from && this.#second() < to;
  }

  #refused(tools: JoinTools): JoinTools {
    return {
      ...tools,
      reset: async () => {
        const exitCode = await tools.reset();
        this.#isReplaced = true;
        return exitCode;
      },
      look: async (wants) => {
        const seen = await tools.look(wants);
        if (!this.#isRefused() || seen.node.state === 'unknown') return seen;
        const node = { state: 'unknown', why: 'unauthenticated', message: 'Unauthorized' } as const;
        return { ...seen, node };
      },
    };
  }

  #hide(): void {
    const { simulated } = this.#open;
    const { listedS } = this.#world;
    const instanceId = simulated.instanceOf(NAME);
    if (instanceId !== null && listedS > 0)
      simulated.cloud.controls.hideInstance(instanceId, listedS * 1000);
  }

  #undo: (() => void) | null = null;

  #obstruct(second: number): void {
    const [from = 0, to = 0] = this.#world.awayS ?? [];
    const machine = this.#open.simulated.machineOf(NAME);
    if (machine === null) return;
    const isAway = second >= from && second < to;
    if (isAway) this.#undo ??= machine.break({ kind: 'black-hole', destination: 'api-server' });
    else {
      this.#undo?.();
      this.#undo = null;
    }
  }

  #truth(): TrueNode {
    const node = this.#open.simulated.machineOf(NAME) === null ? null : this.#open.node(NAME);
    return {
      uid: node === null ? null : textAt(node, 'metadata.uid'),
      wrong: wrongWith(node),
      isKnown: !this.#isRefused() && this.#hasCredentials(),
    };
  }

  /** The unit of the join starts it again. */
  #crash(how: 'kill' | 'reboot'): void {
    if (how === 'reboot') {
      this.#rules.rebooted();
      this.#open.machine(NAME).reboot();
    }
    this.#startIn(RESTART_S[how]);
  }

  #startIn(seconds: number): void {
    const { simulated } = this.#open;
    simulated.kernel.after(seconds * 1000, () => startJoin(simulated, NAME));
  }
}

/** A node that goes again at once is lost. */
const AFTER_S = 30;

/** Every call of a quiet run, in every way in which it can go wrong. */
export function casesOf(world: string, { calls }: LaneEnd): readonly JoinCase[] {
  return calls.flatMap((port, index) =>
    WRONGS.filter((wrong) => canGoWrong(port, wrong)).map((wrong) => ({
      world,
      port,
      wrong,
      call: index + 1,
    })),
  );
}

/** What does not hold of a case; empty where it ends as the quiet run does. */
export async function wrongInCase(chosen: JoinCase, quiet: LaneEnd): Promise<readonly string[]> {
  const end = await playLane(worldNamed(chosen.world), chosen);
  const more = end.runs - quiet.runs;
  return more > 1 ? [...end.violations, `COMMAND ran ${more} times more`] : end.violations;
}

export function caseName({ world, call, port, wrong }: JoinCase): string {
  return `${world}: ${port} ${call} ${wrong}`;
}
