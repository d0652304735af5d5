/** The keeper of aws-auth on a simulated API server, led by a Lease, beside people who write it. */
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { createAuthKeeper } from '../../../src/apps/controller/auth.ts';
import { MachineNotes } from '../../../src/controllers/auth/machine-notes.ts';
import type { AuthKeeper } from '../../../src/controllers/auth/keeper.ts';
import type { KubeApi } from '../../../src/ports/kube-api.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { LeaderElection } from '../../../src/runtime/election/election.ts';
import { Logger } from '../../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../../src/runtime/metrics/registry.ts';
import { createKernel, type Kernel, runUntil } from '../../../src/sim/kernel/kernel.ts';
import { createApiServer, type KubeApiServer } from '../../../src/sim/kube/server.ts';
import { type Call, Calls } from '../../../src/sim/programs/call.ts';
import { type KubeLine, kubeLine } from '../../../src/sim/programs/kube.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import { ROLE } from '../../controllers/fix/scene.ts';
import { type People, peopleOf } from './people.ts';
import type { AuthPlan, AuthPorts, AuthResult } from './plan.ts';
import { AuthSimRules, RENEW_MS } from './rules.ts';

const START_MS = 1_772_442_000_000;
const MINUTE_MS = 60_000;
const USER = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
const LEASE = { namespace: 'kube-system', name: 'rollcall-controller' };
/** Longer than the controller's, so that hours take a second. */
const LIMITS = { leaseMs: 60_000, renewMs: RENEW_MS, retryMs: 20_000, tryMs: 3_000 };
const DELAY_MOST_MS = 150;
const RESTART_MS = 30_000;
/** An answer of the authenticator is remembered for so long. */
const LET_IN_FOR_MS = 2 * MINUTE_MS;

interface Scene {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly plan: AuthPlan;
  readonly records: SimulatedRecords;
  readonly calls: Calls;
  readonly rules: AuthSimRules;
}

interface Life {
  readonly program: SimulatedProgram;
  readonly line: KubeLine;
  readonly keeper: AuthKeeper;
}

function keeperOf(
  scene: Scene,
  program: SimulatedProgram,
  { api, writes, recorder }: Pick<AuthPorts, 'api' | 'writes' | 'recorder'>,
): AuthKeeper {
  const { kernel, plan } = scene;
  const { clock, name: identity } = program;
  return createAuthKeeper(
    { mode: 'restore', identity, kube: api, clock, isDryRun: () => plan.isDryRun },
    {
      writes,
      random: kernel.random(`${identity}/keeper`),
      recorder,
      log: new Logger({
        clock,
        level: () => 'info',
        write: (text) => kernel.log(identity, text.trimEnd()),
      }),
      machineNotes: new MachineNotes(),
      registry: new MetricsRegistry(),
      publish: () => undefined,
    },
  );
}

/** As the controller leads. */
async function leads(life: Life, kernel: Kernel): Promise<void> {
  const { keeper, program, line } = life;
  const random = kernel.random(`${program.name}/lease`);
  const never = new AbortController().signal;
  for (;;) {
    const election = new LeaderElection({
      api: line.api,
      writes: line.writes,
      clock: program.clock,
      random,
      identity: program.name,
      lease: LEASE,
      limits: LIMITS,
      lead: async ({ stop, lost, isLeading }) =>
        keeper.lead({ signal: AbortSignal.any([stop, lost]), isLeading }),
    });
    if ((await election.run(never)) === 'stopped') return;
  }
}

function deniedAt(api: KubeApi, { plan: { denied }, kernel }: Scene): KubeApi {
  const isDenied = (): boolean => {
    const sinceMs = kernel.nowMs() - START_MS - (denied?.atMs ?? Infinity);
    return denied !== null && sinceMs >= 0 && sinceMs < denied.lastsMs;
  };
  return {
    ...api,
    get: async (...words) => {
      if (!isDenied()) return api.get(...words);
      throw new PortError({ failure: 'denied', message: 'aws-auth is not for you.' });
    },
  };
}

function lifeOf(scene: Scene, identity: string): Life {
  const { kernel, server, plan, calls, rules, records } = scene;
  const program = new SimulatedProgram(kernel, identity);
  const way = kernel.random(`${identity}/way`);
  const line = kubeLine({
    server,
    user: USER,
    program,
    calls,
    delayMs: () => 1 + way.below(DELAY_MOST_MS),
    onWrite: (entry) => rules.onKubeWrite(entry),
    onRead: () => undefined,
  });
  const sleep = async (ms: number): Promise<void> => program.clock.sleep(ms);
  const own: AuthPorts = {
    api: deniedAt(line.api, scene),
    writes: line.writes,
    recorder: recorderPort(records, program, calls),
    sleep,
  };
  const keeper = keeperOf(scene, program, { ...own, ...plan.bug?.(own) });
  const life = { program, line, keeper };
  kernel.spawn(identity, async () => keeper.run(new AbortController().signal));
  kernel.spawn(identity, async () => leads(life, kernel));
  return life;
}

/** Replicas, each started again whenever it was killed. @returns those that run */
function keepReplicas(scene: Scene): () => readonly Life[] {
  const lives = new Map<string, Life>();
  for (let one = 1; one <= scene.plan.replicas; one++) {
    let starts = 0;
    const born = (): void => {
      if (lives.get(`r${one}`)?.program.isGone() === false) return;
      starts += 1;
      lives.set(`r${one}`, lifeOf(scene, `r${one}.${starts}`));
    };
    born();
    scene.kernel.every(RESTART_MS, born);
  }
  return () => [...lives.values()].filter(({ program }) => !program.isGone());
}

/** Machines of the role are shut out a little after their mapping is gone, and let in as soon as it is back. */
function watchMachines(
  { kernel, rules }: Scene,
  people: People,
  lives: () => readonly Life[],
): void {
  let goneMs: number | null = null;
  kernel.every(10_000, () => {
    kernel.spawn('machines', async () => {
      const isMapped = ((await people.mapRoles()) ?? '').includes(
        `${ROLE}\n  username: system:node`,
      );
      goneMs = isMapped ? null : (goneMs ?? kernel.nowMs());
      const outMs = goneMs === null ? -1 : kernel.nowMs() - goneMs - LET_IN_FOR_MS;
      const isOut = outMs >= 0;
      if (isOut) rules.onShutOut(outMs);
      const roles = isOut ? [{ arn: ROLE, type: 'linux', machines: ['i-1'] } as const] : [];
      for (const { keeper } of lives()) keeper.setShutOut(roles);
    });
  });
}

/** Plays the world to its end. */
export async function playAuth(plan: AuthPlan): Promise<AuthResult> {
  return overTripwires(async () => {
    const kernel = createKernel({
      seed: plan.seed,
      startMs: START_MS,
      ...(plan.onLine === undefined ? {} : { onLine: plan.onLine }),
    });
    const server = createApiServer({ kernel });
    const people = peopleOf(kernel, server);
    const seen: Call[] = [];
    const calls = new Calls((call) => {
      if (!/leases/.test(call.what)) seen.push(call);
      return plan.fate(call);
    });
    const records = new SimulatedRecords(() => kernel.nowMs());
    const rules = new AuthSimRules(plan, records);
    kernel.spawn('people', async () => people.start());
    const scene = { kernel, server, plan, records, calls, rules };
    const lives = keepReplicas(scene);
    watchMachines(scene, people, lives);
    for (const { atMs, move } of plan.moves)
      kernel.after(atMs, () => kernel.spawn('people', async () => people.move(move)));
    for (const { atMs, failure, lastsMs } of plan.refusals)
      kernel.after(atMs, () => {
        const ends = lives().map(({ line }) => line.wire.refuse(failure));
        kernel.after(lastsMs, () => ends.forEach((end) => end()));
      });
    await runUntil(kernel, START_MS + plan.wholeMs, settle);
    for (const { program } of lives()) program.kill();
    const { violations, evaluations, restorations } = rules;
    return { violations, evaluations, restorations, calls: seen };
  });
}
