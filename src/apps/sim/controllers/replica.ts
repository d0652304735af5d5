import { lookOf } from '../../../collection/recording/look.ts';
import { Recording } from '../../../collection/recording/recording.ts';
import { SeenCluster } from '../../../collection/recording/seen.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import { Logger } from '../../../runtime/log/logger.ts';
import { MetricsRegistry } from '../../../runtime/metrics/registry.ts';
import type { ApiUser } from '../../../sim/kube/contract.ts';
import type { KubeApiServer } from '../../../sim/kube/server.ts';
import type { Kernel } from '../../../sim/kernel/kernel.ts';
import { awsLine } from '../../../sim/programs/aws.ts';
import type { Calls } from '../../../sim/programs/call.ts';
import { type KubeLine, kubeLine } from '../../../sim/programs/kube.ts';
import type { LedgerEntry } from '../../../sim/programs/ledger.ts';
import type { ReadHow } from '../../../sim/programs/rules.ts';
import { SimulatedProgram } from '../../../sim/programs/program.ts';
import { recorderPort, type SimulatedRecords } from '../../../sim/programs/records.ts';
import {
  Controller,
  type ControllerState,
  type StandingRecorder,
} from '../../controller/program.ts';
import type { ControllerBug } from './planted.ts';

/** Who hears what replicas do. */
export interface ReplicaListener {
  readonly onWrite: (entry: LedgerEntry) => void;
  readonly onRead: (program: string, plural: string, how: ReadHow) => void;
  readonly onSaid: (program: string, line: string) => void;
}

export interface ReplicaScene {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly user: ApiUser;
  readonly aws: AwsApi | null;
  readonly cluster: string;
  readonly records: SimulatedRecords;
  readonly calls: Calls;
  readonly listener: ReplicaListener;
  readonly bug: ControllerBug | null;
  readonly isDryRun: boolean;
  readonly keepReportsMs: number;
  /** The longest that a request or an event is on its way, ms. */
  readonly delayMostMs: number;
}

/** The namespace of the Lease. */
export const NAMESPACE = 'kube-system';
const LIMITS = { keepMs: 30 * 86_400_000, bytesMax: 1e9 };
const PAUSE_MS = 270_000;

interface Life {
  readonly program: SimulatedProgram;
  readonly line: KubeLine;
  readonly controller: Controller;
  readonly stop: AbortController;
}

/** One replica of `rollcall controller`: a Pod that is started again when its program is gone. */
export class Replica {
  readonly name: string;
  readonly #scene: ReplicaScene;
  #life: Life | null = null;
  #starts = 0;

  constructor(scene: ReplicaScene, name: string) {
    this.#scene = scene;
    this.name = name;
  }

  /** Starts it with empty memory; nothing happens while it runs. */
  start(): void {
    if (this.isRunning()) return;
    this.#starts++;
    const { kernel } = this.#scene;
    const program = new SimulatedProgram(kernel, `${this.name}.${this.#starts}`);
    const life = this.#born(program);
    this.#life = life;
    kernel.log(program.name, 'starts');
    kernel.spawn(program.name, async () => life.controller.run(life.stop.signal));
  }

  get starts(): number {
    return this.#starts;
  }

  isRunning(): boolean {
    return this.#life !== null && !this.#life.program.isGone() && !this.#life.stop.signal.aborted;
  }

  /** null while it does not run. */
  running(): Life | null {
    return this.isRunning() ? this.#life : null;
  }

  state(): ControllerState | null {
    return this.running()?.controller.state() ?? null;
  }

  kill(): void {
    this.running()?.program.kill();
  }

  /** As SIGTERM does. */
  stop(): void {
    this.running()?.stop.abort();
  }

  #born(program: SimulatedProgram): Life {
    const scene = this.#scene;
    const { kernel, calls, listener, records, bug } = scene;
    const random = kernel.random(`${program.name}/program`);
    const way = kernel.random(`${program.name}/way`);
    const line = kubeLine({
      ...scene,
      program,
      delayMs: () => 1 + way.below(scene.delayMostMs),
      onWrite: listener.onWrite,
      onRead: (plural, how) => listener.onRead(program.name, plural, how),
    });
    const own = {
      kube: line.api,
      writes: line.writes,
      recorder: recorderPort(records, program, calls),
    };
    const ports = { ...own, ...bug?.ports(own, program) };
    const aws = scene.aws === null ? null : awsLine(scene.aws, program, calls);
    const controller = new Controller(
      {
        cluster: scene.cluster,
        namespace: NAMESPACE,
        identity: program.name,
        writesReports: true,
        writesEvents: true,
        auth: 'off',
        live: () => ({ keepReportsMs: scene.keepReportsMs, isDryRun: scene.isDryRun }),
      },
      {
        clients: { kube: ports.kube, aws, described: null, refusals: [], clock: program.clock },
        writes: ports.writes,
        recorder: ports.recorder,
        random,
        log: new Logger({
          clock: program.clock,
          level: () => 'info',
          format: () => 'text',
          write: (text) => listener.onSaid(program.name, text),
        }),
        registry: new MetricsRegistry(),
        webhook: null,
        janitor: null,
        awsEvents: null,
        recording: recordingOf(ports.recorder, scene.cluster, (text) =>
          listener.onSaid(program.name, text),
        ),
      },
    );
    return { program, line, controller, stop: new AbortController() };
  }
}

function recordingOf(
  recorder: Recorder,
  cluster: string,
  say: (line: string) => void,
): StandingRecorder {
  const seen = new SeenCluster();
  const recording = new Recording({ recorder, limits: LIMITS, pauseMs: PAUSE_MS, say });
  return {
    listener: seen,
    take: async (standing) => recording.take(lookOf(standing, seen.take(), cluster)),
  };
}
