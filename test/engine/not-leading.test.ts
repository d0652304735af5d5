/** Where a cause of its own is found too, nobody's leading is what comes with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { type ExampleFile, loadExamples } from '../causes/example.ts';

const NOT_LEADING = 'controller-manager-not-leading';

function filesOf(cause: string, name: string): readonly ExampleFile[] {
  const example = loadExamples([cause]).find((one) => one.name === name);
  return example?.files ?? assert.fail(`${cause} has no example ${name}`);
}

/** The time of the collection, ms since the epoch. */
function timeOf(files: readonly ExampleFile[]): number {
  const text = files.map((file) => file.text).join('\n');
  const [, at = ''] = /"kind": ?"Collection",\s*"at": ?"([^"]+)"/.exec(text) ?? [];
  return Date.parse(at);
}

/** A Lease that nobody has renewed for two hours, and a Ready Node that has waited for one. */
function silence(atMs: number): ExampleFile {
  const ago = (minutes: number): string => new Date(atMs - minutes * 60_000).toISOString();
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: ago(120) },
  };
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'ip-10-99-9-9.eu-west-1.compute.internal', creationTimestamp: ago(22) },
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    status: { conditions: [{ ...ready, lastTransitionTime: ago(21) }] },
  };
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [lease, node] });
  return { name: 'silence.json', text };
}

const KNOWN = [
  ['no-cloud-controller-manager', 'found-controller-hangs.txt'],
  ['pod-cidr-not-assigned', 'found-new-node-gets-none.txt'],
  ['unapproved-client-csr', 'found-request-of-machine-without-node.txt'],
  ['unapproved-client-csr', 'found-nobody-leads.txt'],
] as const;

for (const [cause, name] of KNOWN)
  test(`${cause}/${name} stays the headline`, async () => {
    const files = filesOf(cause, name);
    const { headline, subjects } = await diagnoseTexts([...files, silence(timeOf(files))]);
    const found = subjects.flatMap(({ findings }) => findings);
    const parts = found.filter((finding) => finding.cause === NOT_LEADING);
    assert.ok(parts.length > 0, 'it is not found');
    assert.equal(headline?.cause, cause);
  });

test('alone it is the headline', async () => {
  const files = filesOf('pod-cidr-not-assigned', 'clear-range-is-there.txt');
  const { headline } = await diagnoseTexts([...files, silence(timeOf(files))]);
  assert.equal(headline?.cause, NOT_LEADING);
});
