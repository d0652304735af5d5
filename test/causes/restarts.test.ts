/** A kubelet is to be restarted only where it asks now for a Node that it had. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { type Example, loadExamples } from './example.ts';

const NAME = 'found-kubelet-asks-now';

function exampleOf(): Example {
  const all = loadExamples(['no-reregistration-after-deletion']);
  return all.find(({ name }) => name.startsWith(NAME)) ?? assert.fail(`no example ${NAME}`);
}

/** `restart-kubelet i-1`, of the example with its texts changed. */
async function repairs(change: (text: string) => string): Promise<readonly string[]> {
  const files = exampleOf().files.map(({ name, text }) => ({ name, text: change(text) }));
  const { subjects } = await diagnoseTexts(files);
  const all = subjects.flatMap(({ findings }) => findings.flatMap((one) => one.repairs ?? []));
  return all.map((one) => `${one.kind} ${'instanceId' in one ? one.instanceId : ''}`);
}

test('a kubelet that asks now for the Node that it had is one to restart', async () => {
  assert.deepEqual(await repairs((text) => text), ['restart-kubelet i-0d11c2b3a4f5e6d70']);
});

test('one that never registered is not, as it may not be allowed to', async () => {
  const change = (text: string): string =>
    text.replace('Successfully registered node', 'Attempting to register node');
  assert.deepEqual(await repairs(change), []);
});

test('one that asked ten minutes ago is not', async () => {
  const change = (text: string): string => text.replace('T21:15:00.000Z', 'T21:25:00.000Z');
  assert.deepEqual(await repairs(change), []);
});
