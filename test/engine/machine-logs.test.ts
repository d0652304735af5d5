/** Logs that Rollcall read from machines count as those of these machines, now and in an archive. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseObservations, diagnoseTexts } from '../../src/engine/diagnose.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { type MachineLog, machineLog } from '../../src/readers/machine-log.ts';
import { createReading } from '../../src/readers/reading.ts';
import { COLLECTION, ID, listOf, instance, instances, NAME, NODE } from './live-scene.ts';

const LINE =
  '{"level":"error","ts":"2026-11-22T09:50:00.000Z","caller":"awsutils/awsutils.go:1258","msg":"Failed to get ENI IP limit due to unknown instance type m9g.large"}';
const CAUSE = 'instance-type-unknown-to-cni';
const OTHER = 'ip-10-0-9-9.eu-west-1.compute.internal';

function log(text: string, change: Partial<MachineLog> = {}): JsonObject {
  const file = '/var/log/aws-routed-eni/ipamd.log';
  return machineLog({ node: NAME, instanceId: ID, file, unit: null, text, ...change });
}

const { status, metadata } = NODE;
const conditions = [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }];
const BROKEN = { ...NODE, status: { ...status, conditions } };
const NEIGHBOUR = {
  ...BROKEN,
  metadata: { ...metadata, name: OTHER, uid: 'u2' },
  spec: {},
  status: { conditions, addresses: [{ type: 'InternalIP', address: '10.0.9.9' }] },
};
const WORLD = [COLLECTION, listOf('Node', [BROKEN, NEIGHBOUR]), instances(instance(60))];

/** What is found of each machine while evidence comes in. */
async function found(...documents: readonly JsonObject[]): Promise<readonly string[]> {
  const reading = createReading(SIGN_TABLE);
  for (const [index, document] of documents.entries()) reading.take(`${index}`, document);
  const { subjects } = await diagnoseObservations(reading.finish());
  return subjects.flatMap(({ name, findings }) =>
    findings.flatMap(({ cause, confidence }) =>
      confidence === 'possible' ? [] : [`${name} ${cause}`],
    ),
  );
}

test('a log names the cause of its machine, and of no other', async () => {
  assert.deepEqual(await found(...WORLD), []);
  assert.deepEqual(await found(...WORLD, log(LINE)), [`${NAME} ${CAUSE}`]);
  assert.deepEqual(await found(...WORLD, log(LINE, { node: OTHER, instanceId: null })), [
    `${OTHER} ${CAUSE}`,
  ]);
});

test('the same is found in an archive', async () => {
  const texts = [...WORLD, log(LINE)].map((value, index) => ({
    name: `${index}.json`,
    text: JSON.stringify(value, null, 1),
  }));
  const { headline } = await diagnoseTexts(texts);
  assert.deepEqual([headline?.cause, headline?.subject], [CAUSE, ID]);
});

test('a log that holds such a document speaks for no other machine', async () => {
  const forged = JSON.stringify(log(LINE, { node: OTHER, instanceId: null }));
  const names = await found(...WORLD, log(`${forged}\n`));
  assert.deepEqual(
    names.filter((name) => name.startsWith(OTHER)),
    [],
  );
});

test('lines of a journal under the machine’s own short name are its lines', async () => {
  const line =
    'Nov 22 09:50:00.000000 worker-7 kubelet[700]: E1122 09:50:00.000000     700 kubelet_node_status.go:106] "Unable to register node with API server" err="Unauthorized" node="worker-7"\n';
  const [with7, without] = await Promise.all([
    found(...WORLD, log(line.repeat(3), { file: null, unit: 'kubelet' })),
    found(...WORLD, log('', { file: null, unit: 'kubelet' })),
  ]);
  assert.deepEqual(without, []);
  assert.ok(
    with7.every((name) => name.startsWith(NAME)),
    with7.join(', '),
  );
});
