import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cleanLine } from './clean.ts';
import { unwrapLine } from './envelope.ts';
import { isCommandEcho } from './prompt.ts';
import { journalExportLines } from './journal-export.ts';

describe('cleanLine', () => {
  for (const [dirty, clean] of [
    ['err="node \\"a\\" not found"', 'err="node "a" not found"'],
    ['“smart” and ‘single’', '"smart" and \'single\''],
    ['failing ""mutate.kyverno"": x', 'failing "mutate.kyverno": x'],
    ['\u001b[0;37mKERNEL\u001b[0m', 'KERNEL'],
    ['a\\n\\tb', 'a  b'],
    ['a &quot;b&quot; &lt;c&gt;', 'a "b" <c>'],
    ['err="" node="x"', 'err="" node="x"'],
  ] as const) {
    test(JSON.stringify(dirty), () => assert.equal(cleanLine(dirty), clean));
  }
});

describe('unwrapLine', () => {
  test('journal as JSON becomes a short line', () => {
    const entry = JSON.stringify({
      __REALTIME_TIMESTAMP: '1717702923000000',
      _HOSTNAME: 'h1',
      SYSLOG_IDENTIFIER: 'kubelet',
      _PID: '9',
      MESSAGE: 'words',
    });
    assert.equal(unwrapLine(entry), '2024-06-06T19:42:03Z h1 kubelet[9]: words');
  });

  test('returns a message that is not UTF-8 as bytes', () => {
    assert.match(
      unwrapLine(JSON.stringify({ MESSAGE: [104, 105], _HOSTNAME: 'h', SYSLOG_IDENTIFIER: 'k' })),
      /h k: hi$/,
    );
  });

  for (const [wrapped, own] of [
    [
      '{"log":"I0719 02:42:59.6 1 a.go:1] x\\n","stream":"stderr","time":"2024-05-01T10:00:00Z"}',
      '2024-05-01T10:00:00Z I0719 02:42:59.6 1 a.go:1] x',
    ],
    ['2024-05-01T10:00:00.123Z stderr F I0719 x', '2024-05-01T10:00:00.123Z I0719 x'],
    ['[pod/aws-node-x1/aws-node] {"level":"info"}', '{"level":"info"}'],
    ['plain', 'plain'],
    ['{"MESSAGE": broken', '{"MESSAGE": broken'],
  ] as const) {
    test(wrapped.slice(0, 40), () => assert.equal(unwrapLine(wrapped), own));
  }
});

describe('journalctl -o export', () => {
  test('entries become short lines', () => {
    const text =
      '__CURSOR=s=1\n__REALTIME_TIMESTAMP=1717702923000000\n_HOSTNAME=h1\nSYSLOG_IDENTIFIER=kubelet\n_PID=9\nMESSAGE=words\n\n__CURSOR=s=2\n_HOSTNAME=h1\nSYSLOG_IDENTIFIER=sshd\nMESSAGE=more\n';
    assert.deepEqual(journalExportLines(text), [
      '2024-06-06T19:42:03Z h1 kubelet[9]: words',
      'h1 sshd: more',
    ]);
  });

  test('other text is not taken for it', () =>
    assert.equal(journalExportLines('MESSAGE=x\n'), null));
});

describe('isCommandEcho', () => {
  for (const line of [
    "$ sudo grep -E 'InsufficientCidrBlocks' /var/log/aws-routed-eni/ipamd.log",
    '[root@ip-10-0-0-1 ~]# journalctl -u kubelet | grep Unauthorized',
    'ec2-user@ip-10-0-0-1:~$ cat /var/log/messages',
    'sh-4.2# crictl ps',
  ]) {
    test(`${line} is asked`, () => assert.equal(isCommandEcho(line), true));
  }

  for (const line of [
    '+ mount /dev/nvme1n1 /var/lib/containerd',
    '# Please edit the object below',
    '> Unauthorized',
    'Jun 06 19:42:03 h kubelet[1]: $ kubectl',
    '$ ./bootstrap.sh: line 3: unknown',
  ]) {
    test(`${line} is seen`, () => assert.equal(isCommandEcho(line), false));
  }
});
