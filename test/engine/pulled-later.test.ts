import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exitCodeOf } from '../../src/apps/cli/exit-code.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';

const NODE = 'ip-10-0-71-18.ec2.internal';
const IMAGE = '444455556666.dkr.ecr.us-east-1.amazonaws.com/shop/cart:1.9';

type Row = readonly [type: string, reason: string, age: string, message: string];

const FAILED: readonly Row[] = [
  ['Warning', 'Failed', '14m', 'Error: ErrImagePull'],
  ['Normal', 'BackOff', '14m', `Back-off pulling image "${IMAGE}"`],
  ['Warning', 'Failed', '14m', 'Error: ImagePullBackOff'],
];
const PULLED: readonly Row[] = [
  ['Normal', 'Pulled', '6m1s', `Successfully pulled image "${IMAGE}"`],
  ['Normal', 'Created', '6m', 'Created container cart'],
  ['Normal', 'Started', '6m', 'Started container cart'],
];

/** Events as `kubectl describe pod` prints them below the pod. */
function events(reporter: string, rows: readonly Row[]): string {
  const lines = rows.map(
    ([type, reason, age, message]) =>
      `  ${type.padEnd(8)} ${reason.padEnd(10)} ${age.padEnd(20)} ${reporter}  ${message}`,
  );
  const head = '  Type     Reason     Age                  From               Message';
  return ['Events:', head, ...lines, ''].join('\n');
}

async function exitCode(text: string): Promise<number> {
  return exitCodeOf(await diagnoseTexts([{ name: 'describe-pod.txt', text }]));
}

describe('a pod whose image was pulled in the end', () => {
  for (const reporter of ['kubelet', `kubelet, ${NODE}`]) {
    test(`is no failure: reported by ${reporter}`, async () => {
      assert.equal(await exitCode(events(reporter, [...FAILED, ...PULLED])), 2);
    });

    test(`is one while it is not pulled: reported by ${reporter}`, async () => {
      assert.equal(await exitCode(events(reporter, FAILED)), 1);
    });

    test(`is one when only another container started before: reported by ${reporter}`, async () => {
      assert.equal(await exitCode(events(reporter, [...PULLED, ...FAILED])), 1);
    });
  }

  test('does not count for the machine in the row, but for another', async () => {
    const failing = events('kubelet, ip-10-0-9-77.ec2.internal', FAILED);
    const { subjects } = await diagnoseTexts([
      { name: 'one.txt', text: failing },
      { name: 'other.txt', text: events(`kubelet, ${NODE}`, [...FAILED, ...PULLED]) },
    ]);
    const verdicts = Object.fromEntries(subjects.map(({ name, verdict }) => [name, verdict]));
    assert.equal(verdicts[NODE], 'cannot-tell');
    assert.equal(verdicts['ip-10-0-9-77.ec2.internal'], 'not-usable');
  });
});
