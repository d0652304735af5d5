import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { readyEvent } from './ready-event.ts';

const NODE = 'ip-10-60-12-40.us-west-2.compute.internal';

/** Refused at 10:00 by the machine's own clock. */
function journal(...more: readonly string[]): string {
  return [
    ...more,
    `Jan 14 10:00:00 ${NODE} kubelet[259]: I0114 10:00:00.638563 259 kubelet_node_status.go:70] "Attempting to register node" node="${NODE}"`,
    `Jan 14 10:00:07 ${NODE} kubelet[259]: E0114 10:00:07.900307 259 kubelet_node_status.go:92] "Unable to register node with API server" err="Unauthorized" node="${NODE}"`,
  ].join('\n');
}

/** Ready at half past nine, by the API server's clock. */
const READY = readyEvent(NODE, '2024-01-14T09:30:00Z');

const CONTAINERD = `Jan 14 10:00:00 ${NODE} containerd[81]: time="2024-01-14T09:00:00.1Z" level=info msg="containerd successfully booted in 0.04s"`;
const SKEWED = `Jan 14 10:00:00 ${NODE} cloud-init[99]: An error occurred (InvalidSignatureException) when calling the DescribeCluster operation: Signature not yet current: 20240114T100000Z is still later than 20240114T090500Z (20240114T090000Z + 5 min.)`;
const BEHIND = `Jan 14 10:00:00 ${NODE} kubelet[259]: E0114 10:00:00.6 259 reflector.go:150] failed to list *v1.Node: Get "https://10.0.0.1/api/v1/nodes": x509: certificate has expired or is not yet valid: current time 2024-01-14T10:00:00Z is before 2024-01-14T12:00:00Z`;

async function verdictOf(...texts: readonly string[]): Promise<string> {
  const files = texts.map((text, index) => ({ name: `file-${index}`, text }));
  const document = await diagnoseTexts(files);
  return document.subjects.find(({ node }) => node === NODE)?.verdict ?? 'none';
}

describe('clocks of several sources', () => {
  test('a stamp without a zone counts as UTC: refused after it was Ready', async () => {
    assert.equal(await verdictOf(journal(), READY), 'not-usable');
  });

  test('in the zone that its journal shows, it was refused before it was Ready', async () => {
    assert.equal(await verdictOf(journal(CONTAINERD), READY), 'cannot-tell');
  });

  test('shows from the clock error in AWS answers that it was denied before it was Ready', async () => {
    const observations = await readTexts([{ name: 'log', text: journal(SKEWED) }]);
    const refused = observations.hits.find(({ owner }) => owner === 'symptom:kubelet-unauthorized');
    const when = refused?.first.moment.when;
    assert.equal(new Date(when?.ms ?? 0).toISOString().slice(5, 19), '01-14T09:00:07');
  });

  test('a clock that is wrong by an unknown amount is compared with no other', async () => {
    const observations = await readTexts([
      { name: 'log', text: journal(BEHIND) },
      { name: 'nodes.json', text: READY },
    ]);
    const clocks = new Set(
      observations.hits
        .filter(({ onMachine }) => onMachine)
        .map(({ first }) => first.moment.when?.clock),
    );
    assert.equal(clocks.size, 1);
    assert.match([...clocks][0] ?? '', /^machine /);
  });
});
