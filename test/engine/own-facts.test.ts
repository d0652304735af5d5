import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPile } from '../../src/engine/pile.ts';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import type { HostKind } from '../../src/evidence/kinds.ts';

type File = readonly [container: string | null, text: string];

const chrony = 'System time     : 312.000000000 seconds slow of NTP time\nLeap status     : Normal';
const lease = (address: string): string =>
  `lease {\n  interface "eth0";\n  fixed-address ${address};\n  option domain-name "ec2.internal";\n}`;
const refused = (host: string): string =>
  `Jan 14 10:00:07 ${host} kubelet[259]: E0114 10:00:07.900307 259 kubelet_node_status.go:92] "Unable to register node with API server" err="Unauthorized"`;

/** How many facts of a kind each subject has of its own. */
async function owners(kind: HostKind, ...files: readonly File[]): Promise<object> {
  const encoder = new TextEncoder();
  const observations = await readPile(
    files.map(([container, text], index) => ({
      locator: `file-${index}`,
      container,
      chunks: [encoder.encode(text)],
    })),
  );
  const counts = assembleSubjects(observations).map(
    (subject) => [subject.name, subject.facts.of(kind).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

describe('what a machine says of itself', () => {
  test('is of the machine whose archive it is, by its instance id', async () => {
    const counts = await owners(
      'host/clock',
      ['a.tar.gz', 'i-0a3b1c9d8e7f65432\n'],
      ['a.tar.gz', chrony],
      ['a.tar.gz', refused('localhost')],
      ['b.tar.gz', refused('web-2')],
    );
    assert.deepEqual(counts, { 'i-0a3b1c9d8e7f65432': 1 });
  });

  test('is of the one machine with logs in the archive', async () => {
    const files = [
      ['a.tar.gz', chrony],
      ['a.tar.gz', refused('web-1')],
      ['b.tar.gz', refused('web-2')],
    ] as const;
    assert.deepEqual(await owners('host/clock', ...files), { 'web-1': 1 });
    const both = await owners('host/clock', ...files, ['a.tar.gz', refused('web-3')]);
    assert.deepEqual(both, {});
  });

  test('is of the only machine there is, and else of none', async () => {
    assert.deepEqual(await owners('host/clock', [null, chrony], [null, refused('web-1')]), {
      'web-1': 1,
    });
    assert.deepEqual(await owners('host/clock', [null, chrony]), { cluster: 1 });
    const two = [refused('web-1'), refused('web-2')].map((text) => [null, text] as const);
    assert.deepEqual(await owners('host/clock', [null, chrony], ...two), {});
  });

  test('a lease is of the machine with its address', async () => {
    const two = [refused('ip-10-0-31-7'), refused('ip-10-0-31-8')].map(
      (text) => [null, text] as const,
    );
    assert.deepEqual(await owners('host/dhcp-lease', [null, lease('10.0.31.8')], ...two), {
      'ip-10-0-31-8': 1,
    });
    assert.deepEqual(await owners('host/dhcp-lease', [null, lease('10.0.31.9')], ...two), {});
  });
});
