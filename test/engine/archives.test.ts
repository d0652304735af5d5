import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readPile } from '../../src/engine/pile.ts';

const ID = 'i-0abc0abc0abc0abc1';

function lineOf(host: string): string {
  return `May 03 09:02:11 ${host} kubelet[3120]: E0503 09:02:11.412306    3120 kubelet_node_status.go:96] "Unable to register node with API server" err="Unauthorized" node="${host}"\n`;
}

async function machinesOf(logs: readonly string[]): Promise<readonly (string | null)[]> {
  const encoder = new TextEncoder();
  const files = [`${ID}\n`, ...logs].map((text, index) => ({
    locator: `eks.tar.gz!file-${index}`,
    container: 'eks.tar.gz',
    chunks: [encoder.encode(text)],
  }));
  const { subjects } = await diagnoseObservations(await readPile(files));
  return subjects.filter(({ kind }) => kind === 'Machine').map(({ instanceId }) => instanceId);
}

test('the id that a collector noted is that of the one host with logs in the archive', async () => {
  assert.deepEqual(await machinesOf([lineOf('ip-10-0-7-7.ec2.internal')]), [ID]);
});

test('is assigned to neither of two hosts in one archive', async () => {
  const logs = ['ip-10-0-7-7.ec2.internal', 'ip-10-0-7-8.ec2.internal'].map(lineOf);
  assert.deepEqual(await machinesOf(logs), [null, null]);
});
