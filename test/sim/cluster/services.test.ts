/** What machines and the control plane say through services of AWS, where all of it is set up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeCluster } from '../../../src/apps/sim/observe-cluster.ts';
import { readingDocument } from '../../../src/collection/reading-document.ts';
import { policyOf } from '../../../src/collection/permissions.ts';
import type { SubjectReport } from '../../../src/diagnosis/document.ts';
import { type JsonObject, listAt } from '../../../src/evidence/json.ts';
import { buildCluster, type SimulatedCluster } from '../../../src/sim/cluster/simulated-cluster.ts';
import { readScenario } from '../../../src/sim/stories/scenario.ts';

const MANAGED = 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore';
const GROUP = { image: 'al2023', boot: '5s' };

function pass({ kernel }: SimulatedCluster, durationMs: number): void {
  const until = kernel.nowMs() + durationMs;
  while ((kernel.nextAtMs() ?? Number.POSITIVE_INFINITY) <= until) kernel.step();
  kernel.passTo(until);
}

/** A cluster in which one machine never reaches the API server. */
function clusterWithLonely(): SimulatedCluster {
  const read = readScenario({
    story: 'lonely',
    title: 'A machine that does not reach the API server',
    until: '30m',
    world: {
      cluster: { kind: 'eks', podNetwork: 'vpc-cni' },
      groups: [
        { ...GROUP, name: 'old' },
        { ...GROUP, name: 'new' },
      ],
    },
  });
  assert.ok(read.ok);
  const simulated = buildCluster({ setting: read.scenario.world, seed: 3 });
  let machine = simulated.machineOf('new-0');
  for (; machine === null; machine = simulated.machineOf('new-0')) pass(simulated, 50);
  machine.break({ kind: 'black-hole', destination: 'api-server' });
  pass(simulated, 20 * 60_000);
  return simulated;
}

interface Seen {
  readonly report: SubjectReport;
  readonly losses: readonly string[];
}

async function look(simulated: SimulatedCluster): Promise<Seen> {
  const { document } = await observeCluster(simulated, { onRequest: new Set(['ssm']) });
  const report = document.subjects.find(({ verdict }) => verdict === 'not-usable');
  assert.ok(report);
  return { report, losses: document.losses.map(({ what }) => what) };
}

function answer(
  { cloud, admin }: SimulatedCluster,
  operation: string,
  input: JsonObject,
): ReturnType<SimulatedCluster['cloud']['answer']> {
  return cloud.answer(admin.identity, { service: 'ssm', operation, input });
}

function createDocument(simulated: SimulatedCluster): void {
  const Content = JSON.stringify(readingDocument());
  const made = answer(simulated, 'CreateDocument', { Name: 'Rollcall-ReadLogs', Content });
  assert.ok(made.ok);
}

function manage({ cloud, kernel }: SimulatedCluster): void {
  const { grants } = cloud.controls.account;
  const before = grants.get('lab-node');
  assert.ok(before);
  const attached = [...before.attached, MANAGED];
  grants.set('lab-node', { ...before, attached }, kernel.nowMs());
}

test('says what is lacking until all of it is there, and then what the machine says', async () => {
  const simulated = clusterWithLonely();
  const unmanaged = await look(simulated);
  assert.equal(unmanaged.report.stage, 'registered');
  assert.match(unmanaged.losses.join('\n'), /--ssm\): no agent answers on i-/);
  manage(simulated);
  const unmade = await look(simulated);
  assert.match(unmade.losses.join('\n'), /create Rollcall-ReadLogs: aws ssm create-document /);
  createDocument(simulated);
  const { report, losses } = await look(simulated);
  assert.deepEqual(losses, []);
  assert.equal(report.stage, 'reachable');
  const quotes = report.ladder.flatMap(({ evidence }) => evidence);
  assert.ok(quotes.some(({ locator }) => locator.startsWith('aws ssm send-command ')));
});

test('the policy of the feature allows this document and no other', () => {
  const simulated = clusterWithLonely();
  const { cloud } = simulated;
  manage(simulated);
  createDocument(simulated);
  const other = { Name: 'AWS-RunShellScript', Content: '{"mainSteps":[]}' };
  assert.ok(answer(simulated, 'CreateDocument', other).ok);
  const reader = cloud.controls.createUser('reader', []);
  const policy = policyOf(['ssm:SendCommand', 'ssm:GetCommandInvocation']);
  const grants = { attached: [], inline: { rollcall: policy } };
  cloud.controls.account.grants.set('user/reader', grants, simulated.kernel.nowMs());
  const [id = ''] = cloud.instances().map(({ instanceId }) => instanceId);
  const send = (DocumentName: string): string => {
    const input = { DocumentName, InstanceIds: [id] };
    const sent = cloud.answer(reader, { service: 'ssm', operation: 'SendCommand', input });
    return sent.ok ? 'sent' : sent.refusal.code;
  };
  assert.equal(send('Rollcall-ReadLogs'), 'sent');
  assert.equal(send('AWS-RunShellScript'), 'AccessDeniedException');
});

test('the control plane writes to CloudWatch Logs, which are read where that is asked', async () => {
  const simulated = clusterWithLonely();
  const { observations } = await observeCluster(simulated, {
    onRequest: new Set(['control-plane-logs']),
  });
  assert.deepEqual(observations.collection?.refusals, []);
  const call = { service: 'logs', operation: 'FilterLogEvents' } as const;
  const ask = (input: JsonObject): ReturnType<SimulatedCluster['cloud']['answer']> =>
    simulated.cloud.answer(simulated.admin.identity, { ...call, input });
  const all = ask({ logGroupName: '/aws/eks/lab/cluster' });
  assert.ok(all.ok && listAt(all.output, 'events').length > 0);
  const none = ask({ logGroupName: '/aws/eks/lab/cluster', filterPattern: '?"not there"' });
  assert.ok(none.ok && listAt(none.output, 'events').length === 0);
  const other = ask({ logGroupName: '/aws/eks/other/cluster' });
  assert.equal(other.ok ? '' : other.refusal.code, 'ResourceNotFoundException');
});
