import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { readPile, readTexts } from '../../src/engine/pile.ts';
import type { Hit, Observations } from '../../src/evidence/observations.ts';
import { readyEvent } from './ready-event.ts';

const NODE = 'ip-10-60-12-40.us-west-2.compute.internal';
const OTHER = 'ip-10-60-12-41.us-west-2.compute.internal';

/** Refused at 10:00:07 by the machine's own clock. */
function journal(node = NODE): string {
  return [
    `2024-01-14T10:00:00+0000 ${node} kubelet[259]: I0114 10:00:00.638563 259 kubelet_node_status.go:70] "Attempting to register node" node="${node}"`,
    `2024-01-14T10:00:07+0000 ${node} kubelet[259]: E0114 10:00:07.900307 259 kubelet_node_status.go:92] "Unable to register node with API server" err="Unauthorized" node="${node}"`,
  ].join('\n');
}

const chrony = (error: string): string =>
  [
    'Reference ID    : A9FEA97B (169.254.169.123)',
    'Stratum         : 4',
    `System time     : ${error} of NTP time`,
    'Last offset     : -912.000021004 seconds',
    'Leap status     : Normal',
  ].join('\n');

const probe = (seconds: string, node = NODE): string =>
  `2024-01-14T10:20:00.000Z ${node} rollcall: https://10.0.0.1:443: its clock minus this machine's is ${seconds} s`;

interface File {
  readonly name: string;
  readonly text: string;
}

/** Files of one archive. */
async function readArchive(...archives: readonly (readonly File[])[]): Promise<Observations> {
  const encoder = new TextEncoder();
  return readPile(
    archives.flatMap((files, index) =>
      files.map(({ name, text }) => ({
        locator: `bundle-${index}.tar.gz!${name}`,
        container: `bundle-${index}.tar.gz`,
        chunks: [encoder.encode(text)],
      })),
    ),
  );
}

function refusals(observations: Observations): readonly Hit[] {
  return observations.hits.filter(({ owner }) => owner === 'symptom:kubelet-unauthorized');
}

/** When the machine was refused, by the true time. */
function refusedAt(observations: Observations, node = NODE): string {
  const hit = refusals(observations).find(({ about }) => about?.value === node);
  return new Date(hit?.first.moment.when?.ms ?? 0).toISOString().slice(11, 19);
}

const READY = readyEvent(NODE, '2024-01-14T10:03:00Z');

describe('clocks that programs on the machine measured', () => {
  for (const [name, text, at] of [
    ['slow of NTP time is behind', chrony('312.000123 seconds slow'), '10:05:19'],
    ['fast of NTP time is ahead', chrony('312.000000000 seconds fast'), '09:54:55'],
    ['the last offset is no error', chrony('0.000004110 seconds slow'), '10:00:07'],
    ['a server that is behind this machine', probe('-312.0'), '09:54:55'],
    ['a server that is ahead of this machine', probe('312.0'), '10:05:19'],
    [
      'a time service knows better than the date of a server',
      `${probe('312.0')}\n\n${chrony('0.000004110 seconds slow')}`,
      '10:00:07',
    ],
    ['timedatectl gives no amount', 'System clock synchronized: no', '10:00:07'],
  ] as const) {
    test(name, async () => {
      const files = [
        { name: 'kubelet.log', text: journal() },
        { name: 'clock.txt', text },
      ];
      assert.equal(refusedAt(await readArchive(files)), at);
      assert.equal(refusedAt(await readTexts(files)), at, 'as loose files of the only machine');
    });
  }

  test('the clock of one archive moves no log of another', async () => {
    const observations = await readArchive(
      [
        { name: 'kubelet.log', text: journal() },
        { name: 'chrony.txt', text: chrony('312.000123 seconds slow') },
      ],
      [{ name: 'kubelet.log', text: journal(OTHER) }],
    );
    assert.equal(refusedAt(observations), '10:05:19');
    assert.equal(refusedAt(observations, OTHER), '10:00:07');
  });

  test('a clock that may be of any of several machines moves none', async () => {
    const observations = await readTexts([
      { name: 'a.log', text: journal() },
      { name: 'b.log', text: journal(OTHER) },
      { name: 'chrony.txt', text: chrony('312.000123 seconds slow') },
    ]);
    assert.equal(refusedAt(observations), '10:00:07');
    assert.equal(refusedAt(observations, OTHER), '10:00:07');
  });

  test('a probe is of the machine that its line names', async () => {
    const observations = await readTexts([
      { name: 'a.log', text: journal() },
      { name: 'b.log', text: journal(OTHER) },
      { name: 'probes.log', text: probe('312.0', OTHER) },
    ]);
    assert.equal(refusedAt(observations), '10:00:07');
    assert.equal(refusedAt(observations, OTHER), '10:05:19');
  });
});

describe('the timeline of a machine beside the API server’s', () => {
  for (const [name, error, verdict] of [
    ['312 s slow, it tried after it was Ready', '312.000123 seconds slow', 'not-usable'],
    ['right, it tried before it was Ready', '0.000004110 seconds slow', 'cannot-tell'],
  ] as const) {
    test(name, async () => {
      const document = await diagnoseTexts([
        { name: 'kubelet.log', text: journal() },
        { name: 'chrony.txt', text: chrony(error) },
        { name: 'events.json', text: READY },
      ]);
      const subject = document.subjects.find(({ node }) => node === NODE);
      assert.ok(subject !== undefined);
      assert.equal(subject.verdict, verdict);
      const times = subject.timeline.flatMap(({ time }) => (time === null ? [] : [time]));
      assert.ok(times.length >= 3, `${times.length} stamped entries`);
      assert.deepEqual(times, times.toSorted());
      const ready = subject.timeline.findIndex(({ time }) => time === '2024-01-14T10:03:00Z');
      const tried = subject.timeline.findIndex(({ what }) => what.includes('registers'));
      assert.ok(ready >= 0 && tried >= 0);
      assert.equal(ready < tried, verdict === 'not-usable');
    });
  }
});
