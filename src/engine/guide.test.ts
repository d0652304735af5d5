import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from './diagnose.ts';

const SWAP =
  'failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on to false';
const DEVICE = 'InvalidBlockDeviceMapping: Invalid device name /dev/xvdz';
const SPOT_ROLE =
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted: The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances';

function guideOf(...messages: readonly string[]): string {
  return messages.map((message, index) => `### Problem ${index + 1}\n${message}\n`).join('\n');
}

async function read(text: string): Promise<{
  readonly named: string | null;
  readonly losses: readonly string[];
}> {
  const { headline, losses } = await diagnoseTexts([{ name: 'guide.md', text }]);
  return { named: headline?.cause ?? null, losses: losses.map(({ what }) => what) };
}

describe('a guide', () => {
  test('of three failures names none of them, and says why', async () => {
    const { named, losses } = await read(guideOf(SWAP, DEVICE, SPOT_ROLE));
    assert.equal(named, null);
    assert.match(losses[0] ?? '', /^guide\.md tells of several failures/);
  });

  test('each of its failures alone is named', async () => {
    for (const [message, cause] of [
      [SWAP, 'swap-enabled'],
      [DEVICE, 'block-device-mapping-mismatch'],
      [SPOT_ROLE, 'spot-service-linked-role-missing'],
    ] as const)
      assert.equal((await read(guideOf(message))).named, cause);
  });

  test('two failures are what one cluster may have', async () => {
    assert.notEqual((await read(guideOf(SWAP, DEVICE))).named, null);
  });

  test('lines with their times are a log, and stay one', async () => {
    const stamped = [SWAP, DEVICE, SPOT_ROLE].map(
      (message, index) => `2026-03-02T09:1${index}:07Z ${message}`,
    );
    assert.notEqual((await read(stamped.join('\n'))).named, null);
  });
});
