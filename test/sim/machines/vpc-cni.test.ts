import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { SimulatedMachine } from '../../../src/sim/machines/contract.ts';
import { conditionOf, eksWorld, type Lab, openLab } from './lab.ts';

const LOG = '/var/log/aws-routed-eni/ipamd.log';

function ipamd(machine: SimulatedMachine): string {
  return machine.files().get(LOG) ?? '';
}

function interfaces(lab: Lab): number {
  return lab.simulated.cloud.instance(lab.machine('workers-0').instanceId)?.interfaces.length ?? 0;
}

function web(replicas: number): readonly JsonObject[] {
  return [{ name: 'web', replicas }];
}

function running(lab: Lab): readonly JsonObject[] {
  return lab.client
    .list('Pod', { namespace: 'production' })
    .filter((pod) => conditionOf(pod, 'Ready') === 'True');
}

/** Changes the DaemonSet before any machine is up. */
function changeCni(lab: Lab, change: JsonObject): void {
  const container = { name: 'aws-node', ...change };
  const patch = { spec: { template: { spec: { containers: [container] } } } };
  const answer = lab.client.patch('DaemonSet', 'kube-system/aws-node', 'strategic', patch);
  assert.ok(answer.ok, JSON.stringify(answer));
}

function image(version: string): JsonObject {
  return { image: `602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:${version}` };
}

test('the first interface is filled, and pods take their addresses from the subnet', async () => {
  const lab = await openLab(eksWorld({}, {}, web(4)));
  await lab.until(120);
  const instance = lab.simulated.cloud.instance(lab.machine('workers-0').instanceId);
  const [first] = instance?.interfaces ?? [];
  assert.equal(first?.addresses.length, 10);
  const held = running(lab).map((pod) => textAt(pod, 'status.podIP') ?? '');
  assert.equal(held.length, 4);
  assert.equal(new Set(held).size, 4);
  assert.ok(lab.machine('workers-0').files().has('/etc/cni/net.d/10-aws.conflist'));
});

test('with pods a second interface is kept warm, and more pods than addresses wait for it', async () => {
  const lab = await openLab(eksWorld({}, {}, web(16)));
  await lab.until(240);
  assert.equal(running(lab).length, 16);
  assert.equal(interfaces(lab), 3);
  assert.match(
    ipamd(lab.machine('workers-0')),
    /IP pool is too low: available \(\d\) < ENI target \(1\) \* addrsPerENI \(9\)/,
  );
});

test('releases an unused interface after a while', async () => {
  const lab = await openLab(eksWorld({}, {}, web(16)));
  await lab.until(240);
  lab.client.patch('Deployment', 'production/web', 'merge', { spec: { replicas: 1 } });
  await lab.until(600);
  assert.equal(interfaces(lab), 2);
  assert.match(ipamd(lab.machine('workers-0')), /Successfully freed ENI: eni-/);
  lab.client.patch('Deployment', 'production/web', 'merge', { spec: { replicas: 16 } });
  await lab.until(900);
  assert.equal(interfaces(lab), 3);
  assert.doesNotMatch(ipamd(lab.machine('workers-0')), /Failed to attach ENI/);
});

test('a full subnet leaves pods without addresses, in the words of plugin and ipamd', async () => {
  const lab = await openLab(eksWorld({}, { subnetPrefix: 28 }, web(14)));
  await lab.until(300);
  assert.equal(running(lab).length, 9);
  const log = ipamd(lab.machine('workers-0'));
  assert.match(log, /InsufficientFreeAddressesInSubnet/);
  assert.match(log, /AssignPodIPv4Address: no available IP\/Prefix addresses/);
  const event = lab.client.list('Event').find((one) => one['reason'] === 'FailedCreatePodSandBox');
  assert.match(
    textAt(event, 'message') ?? '',
    /^Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "[0-9a-f]{64}": plugin type="aws-cni" name="aws-cni" failed \(add\): add cmd: failed to assign an IP address to container$/,
  );
});

test('the limit of the type ends the growth', async () => {
  const lab = await openLab(eksWorld({}, { type: 't3.small' }, []));
  await lab.until(60);
  const pods = Array.from({ length: 12 }, (_, index) => index);
  for (const index of pods)
    lab.client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${index}`, namespace: 'default' },
      spec: {
        nodeName: lab.machine('workers-0').nodeName() ?? '',
        containers: [{ name: 'a', image: 'x.example.com/a:1' }],
      },
    });
  await lab.until(300);
  const ready = lab.client
    .list('Pod', { namespace: 'default' })
    .filter((pod) => conditionOf(pod, 'Ready') === 'True');
  assert.equal(ready.length, 9);
  assert.match(
    ipamd(lab.machine('workers-0')),
    /Skipping ENI allocation as the max ENI limit is already reached/,
  );
});

test('a release before 1.6 that does not know the type never writes its configuration', async () => {
  const lab = await openLab(eksWorld());
  changeCni(lab, image('v1.5.7'));
  await lab.until(200);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'False');
  assert.match(
    ipamd(lab.machine('workers-0')),
    /^\S+ \[ERROR\] Failed to get eni limit due to unknown instance type m6i\.large$/m,
  );
  const pod = lab.pod('aws-node') ?? {};
  assert.ok(Number(textAt(listAt(pod, 'status.containerStatuses')[0], 'restartCount')) >= 2);
});

test('a newer release asks EC2 about the type, and ends when it may not', async () => {
  const lab = await openLab(eksWorld());
  changeCni(lab, image('v1.7.5'));
  await lab.until(100);
  assert.equal(conditionOf(lab.node('workers-0'), 'Ready'), 'True');
  const denied = await openLab(eksWorld());
  changeCni(denied, image('v1.7.5'));
  denied.simulated.cloud.controls.deny('ec2:DescribeInstanceTypes');
  await denied.until(100);
  assert.equal(conditionOf(denied.node('workers-0'), 'Ready'), 'False');
  const log = ipamd(denied.machine('workers-0'));
  assert.match(
    log,
    /Failed calling DescribeInstanceTypes for `m6i\.large`: UnauthorizedOperation: /,
  );
  assert.match(log, /Failed to get ENI limits from file:vpc_ip_limits or EC2 for m6i\.large/);
});

test('prefixes give sixteen addresses a slot', async () => {
  const lab = await openLab(eksWorld({}, {}, web(17)));
  changeCni(lab, {
    ...image('v1.20.4'),
    env: [{ name: 'ENABLE_PREFIX_DELEGATION', value: 'true' }],
  });
  await lab.until(200);
  const instance = lab.simulated.cloud.instance(lab.machine('workers-0').instanceId);
  assert.equal(running(lab).length, 17);
  assert.ok((instance?.interfaces[0]?.prefixes.length ?? 0) >= 2);
  assert.equal(instance?.interfaces[0]?.addresses.length, 1);
});

test('an API server behind a black hole is asked for half a minute, then gone on without', async () => {
  const lab = await openLab(eksWorld());
  await lab.until(10);
  const machine = lab.machine('workers-0');
  machine.break({ kind: 'black-hole', destination: 'service-network' });
  await lab.until(120);
  assert.match(
    ipamd(machine),
    /Unable to reach API Server, Get \\"https:\/\/172\.20\.0\.1:443\/version\?timeout=5s\\": dial tcp 172\.20\.0\.1:443: i\/o timeout/,
  );
  assert.match(
    ipamd(machine),
    /Failed to check API server connectivity: timed out waiting for the condition/,
  );
});
