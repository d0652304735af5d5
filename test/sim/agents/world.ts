/** An agent on a simulated machine whose way to instance metadata changes, and what pods truly get. */
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { lookAtMachine } from '../../../src/collection/agent/machine-state.ts';
import { type MachineView, metadataProbe } from '../../../src/collection/agent/metadata.ts';
import { AgentKeeper } from '../../../src/controllers/agent/keeper.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { Host } from '../../../src/ports/host.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { Calls } from '../../../src/sim/programs/call.ts';
import { kubeLine } from '../../../src/sim/programs/kube.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import type { Program } from '../../../src/sim/machines/programs/program.ts';
import { AGENT_ACCOUNT, refusedBy } from '../platform/shipped-admission.ts';
import { type Answer, redirectedMachine } from './redirects.ts';
import { createFakeHost, type FakeMachine } from '../../ports/fake/host.ts';
import {
  createCluster,
  must,
  nodeObject,
  readyCondition,
  type TestCluster,
} from '../platform/cluster.ts';

const SECOND_MS = 1_000;
const NODE = 'n-1';
const GUARDED = 'rollcall.dev/MetadataGuarded';
const RULES = { successesForTrue: 3, freshnessMs: 60_000, heartbeatMs: 300_000 };
const TIMES = { intervalMs: 10_000, timeoutMs: 5_000 };
/** From a change on the machine until the Node says so, ms. */
const NOTICED_MS = 15 * SECOND_MS;
const WHOLE_MS = 180 * SECOND_MS;
const AGENT_USER = { name: AGENT_ACCOUNT, groups: ['system:masters', 'system:authenticated'] };

const BASE = 'http://169.254.169.254/latest';
const TO_AGENT = '-d 169.254.169.254/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination';

/** Where a request for instance metadata ends. */
export type End = Answer;

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

/** Where a redirect leads that nobody listens behind. */
const SILENT = { failure: 'unreachable', message: 'connect: connection refused' } as const;

function repliesOf(end: End): FakeMachine['replies'] & object {
  if (end === 'nobody') return { [`PUT ${BASE}/api/token`]: SILENT };
  const role = end === 'machine' ? 'node' : 'pod';
  return {
    [`PUT ${BASE}/api/token`]: { body: 'token' },
    [`${BASE}/meta-data/iam/security-credentials/`]: { body: role },
    [`${BASE}/meta-data/spot/instance-action`]: { status: 404 },
    [`${BASE}/meta-data/events/maintenance/scheduled`]: { body: '[]' },
    [`${BASE}/meta-data/events/recommendations/rebalance`]: { status: 404 },
  };
}

function machineOf(end: End, { rules }: Way): FakeMachine {
  return {
    programs: {
      'iptables-save': { stdout: rules },
      'nft -j list ruleset': { stdout: '{"nftables": []}' },
      'conntrack -L -p tcp --orig-dst 169.254.169.254': { stdout: '' },
    },
    files: { '/proc/net/fib_trie': '     |-- 10.0.0.1\n        /32 host LOCAL\n' },
    replies: repliesOf(end),
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

export const AGENT_RULES = ['I-01', 'I-02', 'I-36', 'I-39', 'L-01'] as const;

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

/** Whether the gate is open, told whether the condition of the agent is `True`. */
type IsOpen = (isGuarded: boolean) => boolean;

/** Compares each second what the Node says with what a pod gets. */
class Watch {
  readonly violations: Violation[] = [];
  readonly statuses: string[] = [];
  evaluations = 0;
  #ofPods: End | null = null;
  #sinceMs = 0;
  /** When a Pod that asked got its own role last. */
  #deepMs = -Infinity;

  dial(address: string): void {
    this.evaluations++;
    if (!MAY_DIAL.test(address))
      this.violations.push({ rule: 'I-39', what: `the agent dials ${address}` });
  }

  /** A write of others was asked about. @param policy of ours that refuses it; null for none */
  admitted(policy: string | null, what: string): void {
    this.evaluations++;
    if (policy !== null) this.violations.push({ rule: 'I-36', what: `${policy} refuses ${what}` });
  }

  /** A Pod comes whenever the gate is open; what was lost just now is on its way to be known. */
  #letIn(ofPods: End, nowMs: number, isOpen: boolean): void {
    if (ofPods === 'agent') this.#deepMs = nowMs;
    if (!isOpen) return;
    this.evaluations++;
    if (nowMs - this.#deepMs > NOTICED_MS)
      this.violations.push({ rule: 'I-01', what: `a Pod comes, and gets ${ofPods}'s answer` });
  }

  look({ admin, kernel }: TestCluster, { ofPods }: Way, isOpen: IsOpen): void {
    const nowMs = kernel.nowMs();
    if (this.#ofPods !== ofPods) this.#sinceMs = nowMs;
    this.#ofPods = ofPods;
    const conditions = listAt(admin.get('Node', NODE) ?? {}, 'status.conditions');
    const guarded = conditions.find((one) => textAt(one, 'type') === GUARDED);
    const status = textAt(guarded, 'status') ?? 'none';
    this.#letIn(ofPods, nowMs, isOpen(status === 'True'));
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

export interface AgentPlan {
  /** How our agent asks; as pods do when it is not given. */
  readonly bug?: AgentBug;
  /** What makes the redirect, in place of the usual changes, and by what the gate is opened. */
  readonly redirect?: { readonly program: Program; readonly gate: 'daemonset' | 'condition' };
  /** Policies of admission that cannot be evaluated for a while. */
  readonly outage?: readonly JsonObject[];
}

/** When no policy can be evaluated, and when a machine registers that is none of ours. */
const OUTAGE_MS = { from: 35 * SECOND_MS, until: 55 * SECOND_MS };
const OTHER_MS = 40 * SECOND_MS;
const KUBELET_MS = 4 * SECOND_MS;

interface Life {
  readonly way: () => Way;
  readonly isOpen: IsOpen;
}

/** The rule is taken away and put back by people. */
function changedByPeople({ kernel }: TestCluster): Life {
  let way: Way = BARE;
  for (const [second, next] of CHANGES)
    kernel.after(second * SECOND_MS, () => {
      way = next;
    });
  return { way: () => way, isOpen: (isGuarded) => isGuarded };
}

function lifeOf(cluster: TestCluster, { redirect }: AgentPlan): Life {
  if (redirect === undefined) return changedByPeople(cluster);
  const machine = redirectedMachine(cluster.kernel, redirect.program);
  const way = (): Way => ({
    ofPods: machine.answer(),
    ofHost: 'machine',
    rules: machine.hasRule() ? POD_RULE : '',
  });
  const isOpen: IsOpen = (isGuarded) =>
    redirect.gate === 'condition' ? isGuarded : machine.isReady();
  return { way, isOpen };
}

/** Kubelets of this machine and of one that joins, which are none of our business. */
function othersWrite({ admin, kernel }: TestCluster, startMs: number): void {
  kernel.after(OTHER_MS, () => must(admin.create(nodeObject('n-2', startMs))));
  const conditions = [readyCondition(true, startMs)];
  kernel.every(KUBELET_MS, () =>
    must(admin.patch('Node', NODE, 'strategic', { status: { conditions } }, 'status')),
  );
}

/** Plays the machine's life with an agent that asks as pods do, or as the bug has it. */
export async function playAgent(plan: AgentPlan = {}): Promise<AgentResult> {
  return overTripwires(async () => {
    const watch = new Watch();
    const { bug = ({ pods }) => pods, outage = [] } = plan;
    const cluster = createCluster({
      admit(object, question) {
        const atMs = kernel.nowMs() - startMs;
        const isOut = atMs >= OUTAGE_MS.from && atMs < OUTAGE_MS.until;
        if (isOut && question.user.name !== AGENT_ACCOUNT && question.kind.kind === 'Node')
          watch.admitted(refusedBy(outage, object, question), question.name);
        return object;
      },
    });
    const { admin, kernel } = cluster;
    const startMs = kernel.nowMs();
    must(admin.create(nodeObject(NODE, startMs)));
    othersWrite(cluster, startMs);
    const { way, isOpen } = lifeOf(cluster, plan);
    kernel.every(SECOND_MS, () => watch.look(cluster, way(), isOpen));
    const program = new SimulatedProgram(kernel, 'agent');
    const onDial: OnDial = (address) => watch.dial(address);
    const keeper = keeperOf(cluster, program, { way, bug, onDial });
    kernel.spawn('agent', async () => keeper.run(program.gone));
    await runUntil(kernel, startMs + WHOLE_MS, settle);
    program.kill();
    return watch;
  });
}
