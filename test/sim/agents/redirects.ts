/** Agents that take over instance metadata on a simulated machine, and who lets Pods in meanwhile. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { Kernel } from '../../../src/sim/kernel/kernel.ts';
import { FaultBoard, type Host as MachineHost } from '../../../src/sim/machines/host.ts';
import { MetadataWay } from '../../../src/sim/machines/network/metadata.ts';
import { MachineNetwork } from '../../../src/sim/machines/network/network.ts';
import { kiamAgent } from '../../../src/sim/machines/programs/kiam.ts';
import type { Program, ProgramRun } from '../../../src/sim/machines/programs/program.ts';

const SECOND_MS = 1_000;
/** Its container starts, the service network works, it is stopped, and started once more. */
const STARTS_MS = 10 * SECOND_MS;
const NETWORK_MS = 45 * SECOND_MS;
const STOPS_MS = 100 * SECOND_MS;
const STARTS_AGAIN_MS = 115 * SECOND_MS;
/** Before a container that ended is started again. */
const BACK_OFF_MS = 5 * SECOND_MS;

/** What a Pod that asks now gets: the node's role, its own, or no answer that it can use. */
export type Answer = 'machine' | 'agent' | 'nobody';

/** A machine whose redirect is made and undone by a program. */
export interface RedirectedMachine {
  readonly answer: () => Answer;
  readonly hasRule: () => boolean;
  /** Whether the Pod of the DaemonSet is ready, as the kubelet says it. */
  readonly isReady: () => boolean;
}

/**
 * As an agent should do it: it is not ready before it reaches its server, redirects then, and leaves
 * its redirect behind, so that Pods get no answer rather than that of the machine.
 */
export const patientAgent: Program = (run) => {
  let isServing = false;
  const agent = {
    program: 'kiam',
    hostInterface: 'cali+',
    answer: () =>
      isServing
        ? ({ ok: true, identity: 'own-role', tookMs: 40, lifetimeMs: 900_000 } as const)
        : ({ ok: false, error: 'connect: connection refused', tookMs: 2 } as const),
  } as const;
  run.health({ isReady: false });
  const dial = (): void => {
    if (run.network.serviceWay(true) !== 'delivered') return void run.after(SECOND_MS, dial);
    isServing = true;
    run.metadata.redirect(agent);
    run.health({ isReady: true });
  };
  run.after(0, dial);
  return () => {
    isServing = false;
  };
};

/** P6: the program of kiam as it is, which the world has. */
export const hastyAgent: Program = kiamAgent;

interface Container {
  isRunning: boolean;
  isReady: boolean;
  end: ReturnType<Program>;
}

function hostOf(kernel: Kernel): MachineHost {
  const instance = {
    roleArn: 'arn:aws:iam::123456789012:role/nodes',
    metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
  };
  const host: unknown = {
    faults: new FaultBoard(),
    instance: () => instance,
    nowMs: () => kernel.nowMs(),
    trueMs: () => kernel.nowMs(),
    after: (delayMs: number, task: () => void) => kernel.after(delayMs, task),
  };
  return host as MachineHost;
}

const CONTAINER: JsonObject = { args: ['--host-interface=cali+'] };

type Place = Pick<ProgramRun, 'host' | 'network' | 'metadata'>;

/** A container that is started again whenever it ended, but while it is stopped. */
class Restarted {
  readonly container: Container = { isRunning: false, isReady: false, end: () => undefined };
  readonly #kernel: Kernel;
  readonly #program: Program;
  readonly #place: Place;
  #runs = 0;

  constructor(kernel: Kernel, program: Program, place: Place) {
    this.#kernel = kernel;
    this.#program = program;
    this.#place = place;
    kernel.after(STARTS_MS, () => this.#start());
    kernel.after(STOPS_MS, () => this.#ended('stopped'));
    kernel.after(STARTS_AGAIN_MS, () => this.#start());
  }

  #start(): void {
    const own = ++this.#runs;
    const { container } = this;
    Object.assign(container, { isRunning: true, isReady: true });
    const run: unknown = {
      ...this.#place,
      container: CONTAINER,
      pod: { key: 'kube-system/kiam-agent' },
      nodeName: 'n-1',
      neighbours: {
        running: () => ({ isOnHost: true, nodeName: 'n-0' }),
        pod: () => null,
        annotation: () => '.*',
      },
      print: () => undefined,
      health: (change: { readonly isReady?: boolean }) => Object.assign(container, change),
      exit: () => {
        this.#ended('exited');
        this.#kernel.after(BACK_OFF_MS, () => this.#start());
      },
      after: (delayMs: number, task: () => void) =>
        this.#kernel.after(delayMs, () => {
          if (own === this.#runs && container.isRunning) task();
        }),
    };
    container.end = this.#program(run as ProgramRun);
  }

  #ended(how: 'stopped' | 'exited'): void {
    const { container } = this;
    if (!container.isRunning) return;
    Object.assign(container, { isRunning: false, isReady: false });
    container.end(how);
  }
}

/** The life of such a program on a machine whose service network is a black hole at first. */
export function redirectedMachine(kernel: Kernel, program: Program): RedirectedMachine {
  const host = hostOf(kernel);
  const network = new MachineNetwork(host);
  const metadata = new MetadataWay(host, network);
  kernel.after(NETWORK_MS, () => network.translateServices(true));
  const { container } = new Restarted(kernel, program, { host, network, metadata });
  let asked = 0;
  return {
    hasRule: () => metadata.rule() !== null,
    isReady: () => container.isReady,
    answer() {
      // Another Pod each time, which has no connection from before.
      const pod = { pod: 'shop/cart', podUid: `${asked++}`, address: '10.1.0.9' };
      const got = metadata.ask({ ...pod, isHostNetwork: false });
      if (!got.ok) return 'nobody';
      return got.identity === 'own-role' ? 'agent' : 'machine';
    },
  };
}
