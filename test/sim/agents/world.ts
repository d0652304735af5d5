/** An agent on a simulated machine whose way to instance metadata changes, and what pods truly get. */
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { lookAtMachine } from '../../../src/collection/agent/machine-state.ts';
import { type MachineView, metadataProbe } from '../../../src/collection/agent/metadata.ts';
import { AgentKeeper } from '../../../src/controllers/agent/keeper.ts';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import type { Host } from '../../../src/ports/host.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { Calls } from '../../../src/sim/programs/call.ts';
import { kubeLine } from '../../../src/sim/programs/kube.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import { createFakeHost, type FakeMachine } from '../../ports/fake/host.ts';
import { createCluster, must, nodeObject, type TestCluster } from '../platform/cluster.ts';

const SECOND_MS = 1_000;
const NODE = 'n-1';
const GUARDED = 'rollcall.dev/MetadataGuarded';
const RULES = { successesForTrue: 3, freshnessMs: 60_000, heartbeatMs: 300_000 };
const TIMES = { intervalMs: 10_000, timeoutMs: 5_000 };
/** From a change on the machine until the Node says so, ms. */
const NOTICED_MS = 15 * SECOND_MS;
const WHOLE_MS = 180 * SECOND_MS;
const AGENT_USER = { name: 'agent', groups: ['system:masters', 'system:authenticated'] };

const BASE = 'http://169.254.169.254/latest';
const TO_AGENT = '-d 169.254.169.254/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination';

/** Where a request for instance metadata ends. */
export type End = 'machine' | 'agent';

/** What is so on the machine. */
export interface Way {
  /** Of what the machine itself asks, and of what its pods ask. */
  readonly ofHost: End;
  readonly ofPods: End;
  /** As `iptables-save` prints them. */
  readonly rules: string;
}

const POD_RULE = `-A PREROUTING -i cali+ ${TO_AGENT} 10.0.0.1:8181\n`;
const HOST_RULE = `-A OUTPUT ${TO_AGENT} 10.0.0.1:8181\n`;
const BARE: Way = { ofHost: 'machine', ofPods: 'machine', rules: '' };
const WHOLE: Way = { ofHost: 'agent', ofPods: 'agent', rules: POD_RULE + HOST_RULE };
const FLUSHED: Way = { ofHost: 'agent', ofPods: 'machine', rules: HOST_RULE };
/** For interfaces of another network plugin: no pod comes through it. */
const MISSED: Way = { ...FLUSHED, rules: POD_RULE.replace('cali+', 'eni+') + HOST_RULE };

const CHANGES: readonly (readonly [second: number, way: Way])[] = [
  [0, BARE],
  [20, WHOLE],
  [60, FLUSHED],
  [90, WHOLE],
  [120, MISSED],
  [150, WHOLE],
];

/** What an agent asks, from where it is. */
export interface AgentPorts {
  readonly pods: Host;
  readonly host: Host;
  readonly way: () => Way;
  /** A host whose requests end there. */
  readonly at: (end: End) => Host;
}

/** A mistake of an agent: from where its probes ask, and how. */
export type AgentBug = (ports: AgentPorts) => Host;

function machineOf(end: End, { rules }: Way): FakeMachine {
  const role = end === 'machine' ? 'node' : 'pod';
  return {
    programs: {
      'iptables-save': { stdout: rules },
      'nft -j list ruleset': { stdout: '{"nftables": []}' },
      'conntrack -L -p tcp --orig-dst 169.254.169.254': { stdout: '' },
    },
    files: { '/proc/net/fib_trie': '     |-- 10.0.0.1\n        /32 host LOCAL\n' },
    replies: {
      [`PUT ${BASE}/api/token`]: { body: 'token' },
      [`${BASE}/meta-data/iam/security-credentials/`]: { body: role },
      [`${BASE}/meta-data/spot/instance-action`]: { status: 404 },
      [`${BASE}/meta-data/events/maintenance/scheduled`]: { body: '[]' },
      [`${BASE}/meta-data/events/recommendations/rebalance`]: { status: 404 },
    },
  };
}

type OnDial = (address: string) => void;

/** A machine as it is at each call. */
function hostAt(end: () => End, way: () => Way, onDial: OnDial): Host {
  const now = (): Host => createFakeHost(machineOf(end(), way()));
  return {
    ...now(),
    async request(request) {
      onDial(new URL(request.url).hostname);
      return now().request(request);
    },
    async probe(probe) {
      onDial(probe.host);
      return now().probe(probe);
    },
    run: async (argv, limits) => now().run(argv, limits),
  };
}

export const AGENT_RULES = ['I-02', 'I-39', 'L-01'] as const;

/** Loopback and instance metadata; the API server is reached by a port of its own. */
const MAY_DIAL = /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|169\.254\.169\.254|\[?fd00:ec2::254\]?)$/;

export interface Violation {
  readonly rule: (typeof AGENT_RULES)[number];
  readonly what: string;
}

export interface AgentResult {
  readonly violations: readonly Violation[];
  readonly evaluations: number;
  /** As the Node said it, in its order. */
  readonly statuses: readonly string[];
}

/** Compares each second what the Node says with what a pod gets. */
class Watch {
  readonly violations: Violation[] = [];
  readonly statuses: string[] = [];
  evaluations = 0;
  #ofPods: End | null = null;
  #sinceMs = 0;

  dial(address: string): void {
    this.evaluations++;
    if (!MAY_DIAL.test(address))
      this.violations.push({ rule: 'I-39', what: `the agent dials ${address}` });
  }

  look({ admin, kernel }: TestCluster, { ofPods }: Way): void {
    const nowMs = kernel.nowMs();
    if (this.#ofPods !== ofPods) this.#sinceMs = nowMs;
    this.#ofPods = ofPods;
    const conditions = listAt(admin.get('Node', NODE) ?? {}, 'status.conditions');
    const guarded = conditions.find((one) => textAt(one, 'type') === GUARDED);
    const status = textAt(guarded, 'status') ?? 'none';
    if (this.statuses.at(-1) !== status) this.statuses.push(status);
    this.evaluations++;
    if (nowMs - this.#sinceMs <= NOTICED_MS) return;
    const reason = textAt(guarded, 'reason') ?? '';
    if (ofPods === 'machine' && status === 'True')
      this.violations.push({ rule: 'I-02', what: `pods get the node's role: ${reason}` });
    if (ofPods === 'agent' && status !== 'True')
      this.violations.push({ rule: 'L-01', what: `pods are kept from the node's role: ${reason}` });
  }
}

interface AgentScene {
  readonly way: () => Way;
  readonly bug: AgentBug;
  readonly onDial: OnDial;
}

function keeperOf(
  cluster: TestCluster,
  program: SimulatedProgram,
  { way, bug, onDial }: AgentScene,
): AgentKeeper {
  const { server, kernel } = cluster;
  const calls = new Calls(() => null);
  const records = new SimulatedRecords(() => kernel.nowMs());
  const line = kubeLine({
    server,
    user: AGENT_USER,
    program,
    calls,
    delayMs: () => 20,
    onWrite: () => undefined,
    onRead: () => undefined,
  });
  const { clock } = program;
  const at = (end: End): Host => hostAt(() => end, way, onDial);
  const pods = hostAt(() => way().ofPods, way, onDial);
  const host = hostAt(() => way().ofHost, way, onDial);
  const view: MachineView = async () => lookAtMachine({ host, root: null }, clock.nowMs());
  // As the machine's own requests are redirected too, it cannot tell.
  const expected = { nodeRole: 'node', isSilenceExpected: false };
  const tools = { host: bug({ pods, host, way, at }), clock };
  return new AgentKeeper({
    node: NODE,
    probes: [metadataProbe(tools, view, expected, TIMES)],
    rules: RULES,
    routes: () => [{ words: 'directly', api: line.api, writes: line.writes }],
    recorder: recorderPort(records, program, calls),
    clock,
    random: kernel.random('agent'),
    bootedMs: kernel.nowMs(),
    writesConditions: true,
    isDryRun: false,
    say: (text) => kernel.log('agent', text),
  });
}

/** Plays the machine's life with an agent that asks as pods do, or as the bug has it. */
export async function playAgent(bug: AgentBug = ({ pods }) => pods): Promise<AgentResult> {
  return overTripwires(async () => {
    const cluster = createCluster();
    const { admin, kernel } = cluster;
    const startMs = kernel.nowMs();
    must(admin.create(nodeObject(NODE, startMs)));
    let way: Way = BARE;
    for (const [second, next] of CHANGES)
      kernel.after(second * SECOND_MS, () => {
        way = next;
      });
    const watch = new Watch();
    kernel.every(SECOND_MS, () => watch.look(cluster, way));
    const program = new SimulatedProgram(kernel, 'agent');
    const onDial: OnDial = (address) => watch.dial(address);
    const keeper = keeperOf(cluster, program, { way: () => way, bug, onDial });
    kernel.spawn('agent', async () => keeper.run(program.gone));
    await runUntil(kernel, startMs + WHOLE_MS, settle);
    program.kill();
    return watch;
  });
}
