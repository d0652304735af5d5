/** `rollcall spot watch` as people run it, beside a real API server and moto. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import type { KubeObject } from '../real/kube-client.ts';
import { signature, THROTTLED, unauthorized } from '../real/moto.ts';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { endOf, type Run, startRollcall } from './rollcall.ts';
import { type Site, startSite } from './world.ts';

const skip = missing(...CONTROL_PLANE, 'moto');
const PRICES = 'DescribeSpotPriceHistory';
let site: Site;

before(async () => {
  if (skip === false) site = await startSite();
});
after(async () => {
  if (skip === false) await site.stop();
});

interface KubeNode extends KubeObject {
  readonly spec: { readonly unschedulable?: boolean };
}

interface SpotEvent {
  readonly event: string;
  readonly text: string;
  readonly outcome?: string;
}

function eventsIn({ stdout }: Pick<Run, 'stdout'>): readonly SpotEvent[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SpotEvent);
}

/** Runs until so many lines of an event came, then interrupts it. */
async function watch(args: readonly string[], event: string, env = site.env): Promise<Run> {
  const child = startRollcall(['spot', 'watch', ...args, '-o', 'json'], env);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += String(chunk);
    if (text.includes(`"event":"${event}"`)) child.kill('SIGINT');
  });
  return await endOf(child);
}

async function putNode(name: string, instanceId = 'i-0123456789abcdef0'): Promise<void> {
  const { client } = site.plane;
  await client.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'karpenter.sh/capacity-type': 'spot',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'us-west-2a',
      },
    },
    spec: { providerID: `aws:///us-west-2a/${instanceId}` },
  });
  await client.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      conditions: [
        {
          type: 'rollcall.dev/InterruptionNotice',
          status: 'True',
          reason: 'RebalanceRecommendation',
          message: 'EC2 recommends to replace this Spot Instance.',
          lastHeartbeatTime: '2026-11-29T10:00:00Z',
          lastTransitionTime: '2026-11-29T10:00:00Z',
        },
      ],
    },
  });
}

/** An Auto Scaling group with one instance. @returns the id of the instance */
async function putGroup(): Promise<string> {
  const ask = async (Action: string, more: Readonly<Record<string, string>>): Promise<string> => {
    const answered = await fetch(site.moto.directUrl, {
      method: 'POST',
      headers: { authorization: signature('autoscaling') },
      body: new URLSearchParams({ Action, Version: '2011-01-01', ...more }),
    });
    return await answered.text();
  };
  await ask('CreateLaunchConfiguration', {
    LaunchConfigurationName: 'spot',
    ImageId: 'ami-12c6146b',
    InstanceType: 'm5.large',
  });
  await ask('CreateAutoScalingGroup', {
    AutoScalingGroupName: 'workers',
    LaunchConfigurationName: 'spot',
    MinSize: '1',
    MaxSize: '2',
    DesiredCapacity: '1',
    'AvailabilityZones.member.1': 'us-west-2a',
  });
  const xml = await ask('DescribeAutoScalingInstances', {});
  return /<InstanceId>([^<]+)/.exec(xml)?.[1] ?? assert.fail(xml);
}

describe('a Spot watch', { skip, timeout: 180_000 }, () => {
  test('prints and records prices once, serves metrics, and ends with 0 on SIGINT', async () => {
    const file = join(site.plane.dir, 'spot.db');
    const args = ['m5.large', '--record', file, '--cluster', 'lab', '--listen', '127.0.0.1:0'];
    const first = await watch(args, 'spot-price');
    assert.deepEqual([first.code, first.signal], [0, null], first.stderr);
    assert.match(first.stderr, /Serves \/metrics, \/livez and \/readyz on port \d+\./);
    const prices = eventsIn(first).filter(({ event }) => event === 'spot-price');
    assert.ok(prices.length > 0);
    assert.match(prices[0]?.text ?? '', /^m5\.large in us-west-2[a-d] costs \$\d\.\d{4} an hour/);
    const again = await watch(args, 'spot-price');
    assert.equal(again.code, 0);
    const recorder = openRecorder(file);
    const rows = await recorder.read({ cluster: 'lab', kinds: ['spot-price'], limit: 1000 });
    await recorder.close();
    assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
    assert.ok(rows.every(({ subjectKind }) => subjectKind === 'SpotPool'));
  });

  for (const [name, refusal, said] of [
    ['denied', unauthorized(PRICES), /ec2:DescribeSpotPriceHistory is not answered/],
    ['throttled', THROTTLED, /ec2:DescribeSpotPriceHistory is not answered/],
  ] as const)
    test(`names prices that are ${name} once, and leaves them unknown`, async () => {
      site.moto.refuse(PRICES, refusal);
      const run = await watch(['m5.large', '--for', '25s'], 'never');
      site.moto.allow(PRICES);
      assert.equal(run.code, 0, run.stderr);
      const gaps = eventsIn(run).filter(({ event }) => event === 'gap');
      assert.equal(gaps.filter(({ text }) => said.test(text)).length, 1, run.stdout);
      assert.equal(eventsIn(run).filter(({ event }) => event === 'spot-price').length, 0);
    });

  test('ends where nothing answers from the start', async () => {
    const env = { ...site.env, KUBECONFIG: '/nowhere', AWS_REGION: '', AWS_DEFAULT_REGION: '' };
    const run = await watch(['m5.large'], 'never', env);
    assert.equal(run.code, 69, run.stdout);
  });
});

describe('rules of a Spot watch', { skip, timeout: 180_000 }, () => {
  test('are shown beside the notice, and do what they say with --yes', async () => {
    const { client } = site.plane;
    await putNode('spot-1');
    const rules = join(site.plane.dir, 'rules.yaml');
    writeFileSync(
      rules,
      'rules:\n- {name: leave, on: rebalance, do: drain, budget: {perHour: 1, share: 1}}\n',
    );
    const dry = await watch(['--rules', rules], 'spot-step');
    const steps = eventsIn(dry).filter(({ event }) => event === 'spot-step');
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['would-do'],
      dry.stderr,
    );
    assert.ok(
      eventsIn(dry).some(({ event, text }) => event === 'spot-notice' && /spot-1/.test(text)),
    );
    const open = await client.get<KubeNode>('/api/v1/nodes/spot-1');
    assert.notEqual(open.spec.unschedulable, true);
    const file = join(site.plane.dir, 'acts.db');
    const args = ['--rules', rules, '--yes', '--record', file, '--cluster', 'lab'];
    const wet = await watch(args, 'spot-step');
    assert.equal(wet.code, 0, wet.stderr);
    const now = await client.get<KubeNode>('/api/v1/nodes/spot-1');
    assert.equal(now.spec.unschedulable, true);
    const recorder = openRecorder(file);
    const rows = await recorder.read({ cluster: 'lab', kinds: ['action-ended'], limit: 10 });
    const noted = (await recorder.notes('lab')).get('spot-acts');
    await recorder.close();
    assert.equal(rows.length, 1);
    assert.match(JSON.stringify(noted), /"node":"spot-1"/);
  });

  test('replace the instance of an emptied Node through its group, once', async () => {
    const instanceId = await putGroup();
    await putNode('spot-2', instanceId);
    const rules = join(site.plane.dir, 'replace.yaml');
    writeFileSync(
      rules,
      'rules:\n- {name: leave, on: rebalance, do: replace, budget: {perHour: 9, share: 1}}\n',
    );
    const file = join(site.plane.dir, 'replaced.db');
    const args = ['--rules', rules, '--yes', '--record', file, '--cluster', 'lab'];
    site.moto.forget();
    const run = await watch([...args, '--for', '40s'], 'none');
    const ended = eventsIn(run).filter(({ text }) => /: terminate i-/.test(text));
    assert.deepEqual(
      ended.map(({ outcome }) => outcome),
      ['done'],
      run.stdout + run.stderr,
    );
    assert.equal(site.moto.count('TerminateInstanceInAutoScalingGroup'), 1);
    assert.match(ended[0]?.text ?? '', new RegExp(`terminate ${instanceId} of Node spot-2 in`));
  });
});
