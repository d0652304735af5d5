import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addMachineLogs,
  machineLogsIn,
  printsMachineLogs,
} from '../../src/collection/agent-logs.ts';
import type { CollectedEvidence } from '../../src/collection/document.ts';
import { decidingText } from '../../src/collection/agent/deciding-lines.ts';
import type { LogTarget } from '../../src/evidence/detail-target.ts';
import type { Json } from '../../src/evidence/json.ts';
import { machineLogOf } from '../../src/readers/machine-log.ts';

const TARGET: LogTarget = {
  namespace: 'rollcall',
  pod: 'rollcall-agent-machine-x2x9z',
  container: 'agent',
  node: 'node-a',
  previous: false,
};
const IPAMD = '/var/log/aws-routed-eni/ipamd.log';
const PRINTED = decidingText([
  { path: '/var/log/messages', lines: ['first'] },
  { path: IPAMD, lines: ['error one', 'error two'] },
]);

test('takes of each file what was printed last', () => {
  const again = decidingText([{ path: '/var/log/messages', lines: ['second'] }]);
  const logs = machineLogsIn(`Serves something.\n${PRINTED}${again}`);
  assert.deepEqual(
    [...logs],
    [
      ['/var/log/messages', 'second'],
      [IPAMD, 'error one\nerror two'],
    ],
  );
});

test('makes each a log of the machine, as if its kubelet had served it', () => {
  const added: Json[] = [];
  const evidence: Pick<CollectedEvidence, 'add'> = { add: ({ content }) => added.push(content) };
  addMachineLogs(TARGET, PRINTED, evidence);
  const logs = added.map(machineLogOf);
  assert.deepEqual(logs[1], {
    node: 'node-a',
    instanceId: null,
    file: IPAMD,
    unit: null,
    text: 'error one\nerror two',
  });
});

test('knows the container by the DaemonSet of the manifest', () => {
  assert.equal(printsMachineLogs(TARGET), true);
  assert.equal(printsMachineLogs({ ...TARGET, pod: 'rollcall-agent-x2x9z' }), false);
});

test('ignores a path outside /var/log', () => {
  assert.equal(machineLogsIn('==> /etc/shadow <==\nx\n').size, 0);
});
