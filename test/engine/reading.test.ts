import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import { machinesOf, read, row } from './read.ts';

describe('lines and signs', () => {
  const kubelet =
    'Jun 06 19:42:03 ip-10-0-0-1 kubelet[9]: E0606 19:42:03.796478 9 kubelet.go:1] deciding words one';

  test('a hit has its locator, its moment and its machine', () => {
    const [hit] = read({ 'k.log': `first\n${kubelet}\n` }).hits;
    assert.equal(hit?.first.locator, 'k.log:2');
    assert.equal(hit.about?.value, 'ip-10-0-0-1');
    assert.equal(hit.first.moment.when?.yearless, true);
  });

  test('the same sighting is kept once, with first, last and count', () => {
    const { hits } = read({ 'k.log': `${kubelet}\n`.repeat(50) });
    assert.equal(hits.length, 1);
    assert.deepEqual(
      [hits[0]?.count, hits[0]?.first.locator, hits[0]?.last.locator],
      [50, 'k.log:1', 'k.log:50'],
    );
    assert.deepEqual(
      hits[0]?.quotes.map(({ locator }) => locator),
      ['k.log:1', 'k.log:2', 'k.log:3', 'k.log:4'],
    );
  });

  test('objects named by `per` are kept apart', () => {
    const lines = `${kubelet}\n${kubelet.replace(' one', ' two')}\n`;
    assert.equal(read({ 'k.log': lines }, [row({ per: ['object'] })]).hits.length, 2);
    assert.equal(read({ 'k.log': lines }).hits.length, 1);
  });

  test('a line of another known program does not count', () => {
    assert.equal(
      read({ 'c.log': 'May 01 10:00:00 h containerd[9]: deciding words\n' }).hits.length,
      0,
    );
  });

  test('a line of unknown origin counts unless the sign is strict', () => {
    assert.equal(read({ 'x.txt': 'deciding words\n' }).hits.length, 1);
    assert.equal(read({ 'x.txt': 'deciding words\n' }, [row({ strict: true })]).hits.length, 0);
  });

  test('a captured node is the subject, and a kubelet’s host is the same machine', () => {
    const start =
      'Jun 06 19:42:03 node00 kubelet[9]: I0606 19:42:03.7 9 kubelet.go:1] deciding words';
    const observations = read(
      { 'k.log': `${start} "ip-172-12-4-2.compute.internal"\n${start}\n` },
      [row({ pattern: /deciding words(?: "(?<node>[^"]+)")?/ })],
    );
    assert.deepEqual(machinesOf(observations), ['ip-172-12-4-2.compute.internal']);
    assert.equal(
      observations.links[0]?.proof,
      'the kubelet on node00 registers as ip-172-12-4-2.compute.internal',
    );
  });

  test('a sentence that a page wrapped in the middle of a word is read', () => {
    assert.equal(
      read({ 'x.txt': '2024-01-01T00:00:00Z ERROR it says deciding wo\nrds again\n' }).hits.length,
      1,
    );
  });
});

describe('subjects', () => {
  const line = (host: string): string =>
    `Jun 06 19:42:03 ${host} kubelet[9]: E0606 19:42:03.7 9 kubelet.go:1] deciding words\n`;

  test('two machines in one pile are two', () => {
    assert.deepEqual(
      machinesOf(read({ 'a.log': line('ip-10-0-0-1'), 'b.log': line('ip-10-0-0-2') })),
      ['ip-10-0-0-1', 'ip-10-0-0-2'],
    );
    assert.deepEqual(machinesOf(read({ 'a.log': line('ip-10-0-0-1') + line('ip-10-0-0-2') })), [
      'ip-10-0-0-1',
      'ip-10-0-0-2',
    ]);
  });

  test('one machine under several names is one', () => {
    const nodes =
      'NAME                       STATUS     ROLES    AGE   VERSION\nip-10-0-0-1.ec2.internal   NotReady   <none>   9m    v1.29.1\n';
    assert.deepEqual(machinesOf(read({ 'a.log': line('ip-10-0-0-1'), 'n.txt': nodes })), [
      'ip-10-0-0-1.ec2.internal',
    ]);
  });

  test('ignores names that a log only mentions', () => {
    const text =
      'I0606 19:42:03.7 1 node_lifecycle_controller.go:9] Node ip-10-0-0-7.ec2.internal is healthy\n'.repeat(
        3,
      );
    assert.deepEqual(machinesOf(read({ 'kcm.log': text })), []);
  });
});

describe('evidence without a name', () => {
  const line = (host: string): string =>
    `Jun 06 19:42:03 ${host} kubelet[9]: E0606 19:42:03.7 9 kubelet.go:1] deciding words\n`;

  test('evidence that names no machine is the cluster’s', () => {
    const subjects = assembleSubjects(read({ 'x.txt': 'deciding words\n' }));
    assert.deepEqual(
      subjects.map((subject) => [subject.kind, subject.hits.length]),
      [['Cluster', 1]],
    );
  });

  test('a nameless log of the only machine is that machine’s', () => {
    const ipamd =
      '{"level":"error","ts":"2022-01-19T15:36:50.585Z","caller":"ipamd/ipamd.go:4","msg":"deciding words"}\n';
    const rows = [row({ in: ['ipamd', 'kubelet'] })];
    const subjects = assembleSubjects(
      read({ 'a.log': line('ip-10-0-0-1'), 'ipamd.log': ipamd }, rows),
    );
    assert.equal(subjects.find((subject) => subject.kind === 'Machine')?.hits.length, 2);
    const two = assembleSubjects(
      read(
        { 'a.log': line('ip-10-0-0-1'), 'b.log': line('ip-10-0-0-2'), 'ipamd.log': ipamd },
        rows,
      ),
    );
    assert.equal(two.find((subject) => subject.kind === 'Cluster')?.hits.length, 1);
  });

  test('an archive with an instance id belongs to that machine', () => {
    const subjects = assembleSubjects(
      read(
        {
          'eks.tar.gz!system/instance-id.txt': 'i-0abc1234def567890\n',
          'eks.tar.gz!kubelet.log': 'E0606 19:42:03.7 9 kubelet.go:1] deciding words\n',
        },
        [row({})],
        'eks.tar.gz',
      ),
    );
    assert.deepEqual(
      subjects
        .filter((subject) => subject.kind === 'Machine')
        .map((subject) => [subject.instanceId, subject.hits.length]),
      [['i-0abc1234def567890', 1]],
    );
  });
});
