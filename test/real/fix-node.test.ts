/** `rollcall fix node` on a real API server, with moto as EC2 and Auto Scaling. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AutoScaling } from '@aws-sdk/client-auto-scaling';
import type { FixDocument } from '../../src/controllers/fix/document.ts';
import { endOf, rollcall, type Run, startRollcall } from '../live/rollcall.ts';
import {
  CLUSTER,
  layCluster,
  type Machine,
  registerNode,
  type Site,
  startSite,
} from '../live/world.ts';
import { until } from './bench.ts';
import { type JsonObject, listAt } from '../../src/evidence/json.ts';
import type { Node } from './kube-client.ts';
import { unauthorized } from './moto.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'moto');
const TERMINATE = 'TerminateInstanceInAutoScalingGroup';
const GROUP = 'workers';

let site: Site;
let groups: AutoScaling;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  groups = new AutoScaling({
    endpoint: site.moto.directUrl,
    region: site.moto.region,
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
  });
  await layCluster(site);
  await groups.createLaunchConfiguration({
    LaunchConfigurationName: GROUP,
    ImageId: 'ami-12c6146b',
    InstanceType: 'm5.large',
    IamInstanceProfile: 'lab-node',
  });
  await groups.createAutoScalingGroup({
    AutoScalingGroupName: GROUP,
    LaunchConfigurationName: GROUP,
    MinSize: 1,
    MaxSize: 2,
    DesiredCapacity: 1,
    AvailabilityZones: ['us-west-2a'],
    Tags: [{ Key: `kubernetes.io/cluster/${CLUSTER}`, Value: 'owned', PropagateAtLaunch: true }],
  });
});
after(async () => {
  if (skip === false) await site.stop();
});

/** The only instance of the group, as a machine that may register. */
async function member(): Promise<Machine> {
  const { AutoScalingGroups = [] } = await groups.describeAutoScalingGroups();
  const { InstanceId: id = '', AvailabilityZone: zone = '' } =
    AutoScalingGroups[0]?.Instances?.[0] ?? {};
  const shown = await site.moto.ec2('DescribeInstances', { 'InstanceId.1': id });
  const address = /<privateIpAddress>([^<]+)/.exec(shown)?.[1] ?? '';
  const name = `ip-${address.replaceAll('.', '-')}.${site.moto.region}.compute.internal`;
  return { id, zone, address, name };
}

/** A Node of which an agent says that its kernel hangs. */
async function hangs(machine: Machine): Promise<void> {
  await registerNode(site, machine);
  const { client } = site.plane;
  const node = await client.get<Node>(`/api/v1/nodes/${machine.name}`);
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const told = { reason: 'DockerHung', message: 'task docker:7 blocked for more than 120 s' };
  const times = { lastHeartbeatTime: time, lastTransitionTime: time };
  const conditions = [
    ...listAt(node as unknown as JsonObject, 'status.conditions'),
    { type: 'KernelDeadlock', status: 'True', ...told, ...times },
  ];
  await client.patch(`/api/v1/nodes/${machine.name}/status`, { status: { conditions } });
}

function argumentsOf(...more: readonly string[]): readonly string[] {
  const record = join(site.env['HOME'] ?? '', 'nodes.db');
  return ['fix', 'node', '--record', record, '--cluster', CLUSTER, '-o', 'json', ...more];
}

function stepsIn(text: string): FixDocument['steps'] {
  return (JSON.parse(text) as FixDocument).steps;
}

function stepIn({ stdout, stderr }: Run): FixDocument['steps'][number] {
  return stepsIn(stdout)[0] ?? assert.fail(stdout + stderr);
}

describe('a machine whose kernel hangs', { skip, timeout: 240_000 }, () => {
  test('is shown first, stays where the call is denied, and is replaced by its group', async () => {
    const broken = await member();
    await hangs(broken);
    site.moto.forget();
    const dry = await rollcall(argumentsOf(), site.env);
    const shown = stepIn(dry);
    assert.equal(shown.outcome, 'would-write', dry.stdout + dry.stderr);
    assert.match(shown.diff.join('\n'), new RegExp(`${broken.id} of .* group workers`));
    assert.equal(site.moto.count(TERMINATE), 0);

    site.moto.refuse(TERMINATE, unauthorized(TERMINATE));
    const denied = await rollcall(argumentsOf('--yes'), site.env);
    site.moto.allow(TERMINATE);
    assert.equal(stepIn(denied).outcome, 'refused', denied.stdout);
    assert.match(denied.stdout, /rollcall permissions --for fix-node/);
    assert.equal((await member()).id, broken.id);

    const running = rollcall(argumentsOf('--yes'), site.env);
    const next = await until('another machine', async () => {
      const now = await member();
      return now.id !== '' && now.id !== broken.id ? now : null;
    });
    await registerNode(site, next);
    const run = await running;
    const step = stepIn(run);
    assert.equal(step.outcome, 'written', run.stdout + run.stderr);
    assert.match(step.why, new RegExp(`Node ${next.name} of .* is Ready in its place`));
    assert.equal(run.code, 0);
  });

  test('is ended once, though the run was killed right after the call', async () => {
    const broken = await member();
    await site.plane.client.remove(`/api/v1/nodes/${broken.name}`);
    await site.plane.client.remove(
      `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${broken.name}`,
    );
    await hangs(broken);
    site.moto.forget();
    const child = startRollcall(argumentsOf('--yes'), site.env);
    await until('the call', async () => site.moto.count(TERMINATE) === 1 || null);
    child.kill('SIGKILL');
    await endOf(child);
    await until('another machine', async () => (await member()).id !== broken.id || null);
    const again = await rollcall(argumentsOf('--yes'), site.env);
    const step = stepsIn(again.stdout).find(({ object }) => object.includes(broken.id));
    assert.equal(step?.outcome, 'not-needed', again.stdout);
    assert.equal(site.moto.count(TERMINATE), 1);
  });
});
