/** `rollcall fix name` on a real API server: UID and version, a Lease that is renewed, a kill. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { fixNames } from '../../src/controllers/fix/name/fix-name.ts';
import type { FixStep } from '../../src/controllers/fix/fix.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { fixToolsAt, type OpenedTools } from './fix-tools.ts';
import type { KubeObject, Node } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE);
const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const PROVIDER = 'aws:///us-west-2a/i-0123456789abcdef0';
const MINUTE_MS = 60_000;

async function lay({ client }: ControlPlane, name: string, status: string): Promise<string> {
  const spec = { providerID: PROVIDER };
  const { metadata } = await client.create<Node>(NODES, { metadata: { name }, spec });
  const time = new Date(systemClock.nowMs()).toISOString().replace(/\.\d+Z/, 'Z');
  const ready = { type: 'Ready', status, reason: 'x', message: 'x' };
  const condition = { ...ready, lastHeartbeatTime: time, lastTransitionTime: time };
  const nodeInfo = { kubeletVersion: 'v1.34.1', machineID: 'm', systemUUID: 'u' };
  await client.patch(`${NODES}/${name}/status`, { status: { conditions: [condition], nodeInfo } });
  return metadata.uid;
}

async function renew({ client }: ControlPlane, name: string, agoMs: number): Promise<void> {
  const renewTime = new Date(systemClock.nowMs() - agoMs).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, renewTime };
  await client.create(LEASES, { metadata: { name, namespace: 'kube-node-lease' }, spec });
}

async function fixed(
  { tools }: OpenedTools,
  repair: { readonly name: string; readonly uid: string; readonly nowAs: string },
  isDryRun = false,
): Promise<FixStep> {
  const named = { kind: 'delete-node', says: 'it was renamed', ...repair } as const;
  const targets = [{ cause: 'old-name-node-left-behind', repair: named }];
  const [step] = await fixNames({ id: 'name-1', isDryRun, targets, most: 20 }, tools(isDryRun));
  return step ?? assert.fail('no step');
}

/** The command; it is killed after a time. */
async function runFix(plane: ControlPlane, killAfterMs: number | null): Promise<number | null> {
  const child = spawn(
    join(import.meta.dirname, '../../bin/rollcall'),
    ['fix', 'name', '--yes', '--record', join(plane.dir, 'fixes.db')],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: plane.dir,
        KUBECONFIG: plane.kubeconfigPath,
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      stdio: 'ignore',
      detached: true,
    },
  );
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  if (killAfterMs !== null && child.pid !== undefined) {
    await systemClock.sleep(killAfterMs);
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It was faster than the kill.
    }
  }
  return await ended;
}

describe('a Node under a former name on a real API server', { skip, timeout: 240_000 }, () => {
  let plane: ControlPlane;
  let opened: OpenedTools;

  before(async () => {
    plane = await startControlPlane({
      controllerFlags: ['--controllers=-node-lifecycle-controller,*'],
    });
    opened = await fixToolsAt(plane);
  });
  after(async () => {
    await opened.close();
    await plane.stop();
  });

  async function isThere(name: string): Promise<boolean> {
    return (await plane.client.find<KubeObject>(`${NODES}/${name}`)) !== null;
  }

  test('stays while its Lease is renewed, and in a dry run, and goes then', async () => {
    const uid = await lay(plane, 'old-1', 'Unknown');
    await lay(plane, 'new-1', 'True');
    const repair = { name: 'old-1', uid, nowAs: 'new-1' };
    await renew(plane, 'old-1', 0);
    const renewed = await fixed(opened, repair);
    assert.match(renewed.why, /A kubelet renewed its Lease/);
    await plane.client.remove(`${LEASES}/old-1`);
    await renew(plane, 'old-1', 10 * MINUTE_MS);
    const dry = await fixed(opened, repair, true);
    assert.equal(dry.outcome, 'would-write', dry.why);
    assert.ok(await isThere('old-1'));
    const step = await fixed(opened, repair);
    assert.equal(step.outcome, 'written', step.why);
    assert.deepEqual([await isThere('old-1'), await isThere('new-1')], [false, true]);
  });

  test('that was made again has another UID, and stays', async () => {
    const uid = await lay(plane, 'old-2', 'Unknown');
    await lay(plane, 'new-2', 'True');
    await plane.client.remove(`${NODES}/old-2`);
    await lay(plane, 'old-2', 'Unknown');
    const step = await fixed(opened, { name: 'old-2', uid, nowAs: 'new-2' });
    assert.equal(step.outcome, 'not-needed');
    assert.ok(await isThere('old-2'));
  });

  test('goes by the command, also after one that was killed anywhere', async () => {
    for (const name of ['old-2', 'new-2', 'new-1'])
      await plane.client.remove(`${NODES}/${name}`).catch(() => undefined);
    await lay(plane, 'old-3', 'Unknown');
    await lay(plane, 'new-3', 'True');
    for (const killAfterMs of [300, 900, 1500]) await runFix(plane, killAfterMs);
    assert.equal(await runFix(plane, null), 0);
    assert.deepEqual([await isThere('old-3'), await isThere('new-3')], [false, true]);
  });
});
