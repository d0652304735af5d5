/** What the oracle holds true of pods that came without their role. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/evidence/json.ts';
import type { Ailment } from '../../../src/sim/oracle/effects.ts';
import { addSettingTruths } from '../../../src/sim/oracle/setting-truths.ts';
import { Truths } from '../../../src/sim/oracle/truths.ts';
import { eksWorld, type Lab, openLab } from '../machines/lab.ts';

const ORDERS: Json = { name: 'orders', replicas: 1, role: 'orders-role' };

async function opened(podIdentity: string): Promise<{ lab: Lab; truths: Truths }> {
  const lab = await openLab(eksWorld({ podIdentity }, {}, [ORDERS]));
  const ailment = (): Ailment => ({ shown: new Map(), sinceMs: null });
  const truths = new Truths({ nowMs: () => lab.simulated.kernel.nowMs(), ailment });
  addSettingTruths(lab.simulated, truths);
  await lab.until(5);
  return { lab, truths };
}

function causesOf({ truths }: Awaited<ReturnType<typeof opened>>): readonly string[] {
  return truths.of(null).flatMap(({ causes }) => causes);
}

for (const [podIdentity, cause] of [
  ['irsa', 'irsa-webhook-did-not-mutate'],
  ['pod-identity', 'pod-identity-association-too-new'],
] as const)
  test(`with ${podIdentity} ${cause} is true once a pod was let through, and not before`, async () => {
    const world = await opened(podIdentity);
    const { client } = world.lab;
    assert.ok(!causesOf(world).includes(cause));
    client.delete('MutatingWebhookConfiguration', 'pod-identity-webhook');
    for (const name of ['one', 'two'])
      client.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'production' },
        spec: { serviceAccountName: 'orders', containers: [{ name, image: 'shop:1' }] },
      });
    assert.deepEqual(
      causesOf(world).filter((one) => one === cause),
      [cause],
    );
  });
