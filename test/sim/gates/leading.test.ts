/** A gate that follows NodeReadinessRules and stands still before a write, in a simulated world. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { NODE_GATE_KIND } from '../../../src/apps/gate/policy-kinds.ts';
import { GateProgram } from '../../../src/apps/gate/program.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { NODE_READINESS_RULES } from '../../../src/controllers/gate/policies/node-readiness-rule.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { definitionOf } from '../../../src/sim/platform/running/custom-kinds.ts';
import { type Call, Calls, type Fate } from '../../../src/sim/programs/call.ts';
import { kubeLine } from '../../../src/sim/programs/kube.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import type { RuleListener } from '../../../src/sim/programs/rules.ts';
import { WRITE_RULES } from '../../../src/sim/programs/write-rules.ts';
import { shareOf, tellShare } from '../../share.ts';
import { GATE_BUGS, type GateBug } from './bugs.ts';
import { createCluster, Kubelets, must, type TestCluster } from '../platform/cluster.ts';

const SECOND_MS = 1_000;
const WHOLE_MS = 60 * SECOND_MS;
const SHARES = 4;
const RULES = ['net', 'storage', 'security'];
const GATE_USER = { name: 'gate', groups: ['system:masters', 'system:authenticated'] };

interface Played {
  readonly calls: readonly Call[];
  readonly violations: readonly string[];
  readonly evaluations: number;
}

function ruleOf(name: string): JsonObject {
  return {
    apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
    kind: 'NodeReadinessRule',
    metadata: { name },
    spec: {
      conditions: [{ type: 'example.com/Ready', requiredStatus: 'True' }],
      enforcementMode: 'continuous',
      taint: { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' },
      nodeSelector: { matchLabels: { group: 'workers' } },
    },
  };
}

/** Nodes and rules come, one rule goes. */
function script(cluster: TestCluster): void {
  const { admin, kernel } = cluster;
  const kubelets = new Kubelets(cluster);
  for (const kind of [NODE_GATES, NODE_READINESS_RULES]) must(admin.create(definitionOf(kind)));
  must(admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rollcall' } }));
  kernel.after(5 * SECOND_MS, () => kubelets.join('n-1', { labels: { group: 'workers' } }));
  for (const name of RULES) kernel.after(8 * SECOND_MS, () => must(admin.create(ruleOf(name))));
  kernel.after(20 * SECOND_MS, () => kubelets.join('n-2', { labels: { group: 'workers' } }));
  kernel.after(30 * SECOND_MS, () => void admin.delete('NodeReadinessRule', 'net'));
}

/** A rule of writes by true time, and what it found. */
function watched(
  cluster: TestCluster,
  records: SimulatedRecords,
  wanted: string,
): RuleListener & Played {
  const violations: string[] = [];
  const seen = { evaluations: 0 };
  const rule = WRITE_RULES.find((one) => one.rule === wanted) ?? assert.fail(wanted);
  const listener = rule.start({
    kernel: cluster.kernel,
    people: cluster.admin,
    records,
    keepReportsMs: 0,
    isDryRun: false,
    violated: (subject, what) => violations.push(`${subject}: ${what}`),
    evaluated: () => seen.evaluations++,
  });
  return {
    ...listener,
    calls: [],
    violations,
    get evaluations() {
      return seen.evaluations;
    },
  };
}

interface Plan {
  readonly fate?: Fate;
  readonly rule?: string;
  readonly bug?: GateBug;
}

async function play({ fate, rule = 'I-16', bug }: Plan = {}): Promise<Played> {
  return overTripwires(async () => {
    const cluster = createCluster();
    const { kernel, server } = cluster;
    const startMs = kernel.nowMs();
    script(cluster);
    const calls: Call[] = [];
    const counted = new Calls((call) => {
      calls.push(call);
      return fate?.(call) ?? null;
    });
    const records = new SimulatedRecords(() => kernel.nowMs());
    const rules = watched(cluster, records, rule);
    const program = new SimulatedProgram(kernel, 'r1');
    const line = kubeLine({
      server,
      user: GATE_USER,
      program,
      calls: counted,
      delayMs: () => 20,
      onWrite: (entry) => rules.onWrite?.(entry),
      onRead: () => undefined,
    });
    const gate = new GateProgram(
      {
        namespace: 'rollcall',
        identity: program.name,
        isDryRun: false,
        policyKinds: [NODE_GATE_KIND],
        fixed: [],
        rulesNamespace: 'rollcall',
        isReplacement: false,
      },
      {
        api: line.api,
        writes: bug?.writes(line.writes, program.clock) ?? line.writes,
        leaseApi: line.api,
        leaseWrites: line.writes,
        recorder: recorderPort(records, program, counted),
        clock: program.clock,
        random: kernel.random('r1/program'),
        say: (text) => kernel.log('r1', text),
      },
    );
    kernel.spawn('r1', async () => gate.run(program.gone));
    await runUntil(kernel, startMs + WHOLE_MS, settle);
    program.kill();
    const { violations, evaluations } = rules;
    return { calls, violations, evaluations };
  });
}

let quiet: Played;
before(async () => {
  quiet = await play();
});

test('I-16: a quiet world with rules writes Nodes and rules while it leads', () => {
  assert.deepEqual(quiet.violations, []);
  assert.ok(quiet.evaluations > 8, `${quiet.evaluations}`);
  const written = quiet.calls.filter(({ kind }) => kind === 'write').map(({ what }) => what);
  for (const word of ['patch nodes', 'patch nodereadinessrules'])
    assert.ok(
      written.some((what) => what.startsWith(word)),
      written.join('\n'),
    );
});

test('I-16: a gate that stands still between a decision and its write sends it no more', async () => {
  const all = quiet.calls.filter(({ kind }) => kind === 'append');
  const chosen = shareOf(all, SHARES);
  tellShare('records before which the gate stands still', chosen.length, all.length);
  for (const call of chosen) {
    const fate: Fate = ({ kind, ordinal }) =>
      kind === call.kind && ordinal === call.ordinal ? 'stands' : null;
    const { violations } = await play({ fate });
    assert.deepEqual(violations, [], `${call.ordinal} ${call.what}`);
  }
});

describe('a planted mistake is caught:', () => {
  for (const bug of GATE_BUGS)
    for (const rule of bug.caughtBy)
      test(`${bug.id} by ${rule}`, async () => {
        const plan = (): Plan => (bug.fate === undefined ? { rule } : { rule, fate: bug.fate() });
        assert.deepEqual((await play(plan())).violations, []);
        const { violations } = await play({ ...plan(), bug });
        assert.notEqual(violations.length, 0);
      });
});
