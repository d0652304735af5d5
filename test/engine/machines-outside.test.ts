/** What a machine whose Node was deleted leaves for the Nodes that are still there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';

const NAME = 'ip-10-20-1-51.eu-west-1.compute.internal';
const EVENTS = {
  name: 'events.txt',
  text: `LAST SEEN   TYPE      REASON             OBJECT                        MESSAGE
14m         Normal    Scheduled          pod/orders-5b7d9c44f6-0xk2m   Successfully assigned shop/orders-5b7d9c44f6-0xk2m to ip-10-20-1-50.eu-west-1.compute.internal
12m         Normal    Scheduled          pod/orders-5b7d9c44f6-k2v8d   Successfully assigned shop/orders-5b7d9c44f6-k2v8d to ip-10-20-1-49.eu-west-1.compute.internal
4m          Warning   FailedScheduling   pod/orders-5b7d9c44f6-w5t7p   0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.
`,
};

function kubeletLine(time: string, severity: string, message: string): string {
  const clock = time.slice(0, 8);
  return `2026-11-20T${clock}+0000 ${NAME} kubelet[2291]: ${severity}1120 ${time}    2291 ${message}\n`;
}

function registered(time: string): string {
  const message = `kubelet_node_status.go:78] "Successfully registered node" node="${NAME}"`;
  return kubeletLine(time, 'I', message);
}

function lost(time: string): string {
  const err = String.raw`error getting node \"${NAME}\": nodes \"${NAME}\" not found`;
  const message = `kubelet_node_status.go:479] "Error updating node status, will retry" err="${err}"`;
  return kubeletLine(time, 'E', message);
}

async function namedIn(...journals: readonly string[]): Promise<readonly string[]> {
  const texts = journals.map((text, index) => ({ name: `journal-${index}.txt`, text }));
  const { subjects } = await diagnoseTexts([EVENTS, ...texts]);
  const findings = subjects.flatMap((subject) => subject.findings);
  return findings.filter(({ confidence }) => confidence !== 'possible').map(({ cause }) => cause);
}

const GONE = [registered('09:05:11.180973'), lost('09:14:22.310112'), lost('09:14:32.402177')].join(
  '',
);

test('full Nodes are not too small while another machine has lost its Node', async () => {
  assert.deepEqual(await namedIn(GONE), ['no-reregistration-after-deletion']);
});

test('once it has its Node again, they are', async () => {
  const named = await namedIn(`${GONE}${registered('09:20:02.117348')}`);
  assert.deepEqual(named, ['allocatable-too-small']);
});

test('nor while logs of more machines are here than the scheduler counts, and one never joined', async () => {
  const refusal = 'kubelet_node_status.go:107] "Unable to register node with API server"';
  const refused = ['09:05:11.180973', '09:05:18.301774', '09:05:25.440118']
    .map((time) => kubeletLine(time, 'E', `${refusal} err="Unauthorized" node="${NAME}"`))
    .join('');
  const joined = ['ip-10-20-1-49', 'ip-10-20-1-50'].map((host) =>
    registered('09:05:11.180973').replaceAll('ip-10-20-1-51', host),
  );
  assert.ok((await namedIn(...joined)).includes('allocatable-too-small'));
  assert.ok(!(await namedIn(...joined, refused)).includes('allocatable-too-small'));
});
