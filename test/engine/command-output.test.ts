import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';

const CGROUPS =
  'May 03 09:02:11 ip-10-0-3-7 kubelet[3120]: E0503 09:02:11.412306    3120 run.go:74] "command failed" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""';

async function subjectsOf(answer: object): Promise<readonly (readonly [string, string | null])[]> {
  const text = JSON.stringify(answer, null, 2);
  const { subjects, headline } = await diagnoseTexts([{ name: 'ssm.json', text }]);
  assert.equal(headline?.cause, 'cgroup-driver-mismatch');
  return subjects.map(({ kind, instanceId }) => [kind, instanceId] as const);
}

test('what a command of Systems Manager printed is that machine’s', async () => {
  const answer = {
    CommandId: 'ef7fdfd8-9b57-4151-a15c-db9a12345678',
    InstanceId: 'i-0123456789abcdef0',
    Status: 'Success',
    StandardOutputContent: `${CGROUPS}\n`,
    StandardErrorContent: '',
  };
  assert.deepEqual(await subjectsOf(answer), [['Machine', 'i-0123456789abcdef0']]);
});

test('keeps the clocks of several machines separate', async () => {
  const invocation = (InstanceId: string, Output: string): object => ({
    InstanceId,
    CommandPlugins: [{ Name: 'aws:runShellScript', Output }],
  });
  const other = CGROUPS.replace('ip-10-0-3-7', 'ip-10-0-3-8');
  const answer = {
    CommandInvocations: [
      invocation('i-0123456789abcdef0', CGROUPS),
      invocation('i-0123456789abcdef1', other),
    ],
  };
  assert.deepEqual(await subjectsOf(answer), [
    ['Machine', 'i-0123456789abcdef0'],
    ['Machine', 'i-0123456789abcdef1'],
  ]);
});
