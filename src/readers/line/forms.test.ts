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
    ['a \\\\\\"b\\\\\\" c', 'a "b" c'],
    ['a\\\\nb', 'a b'],
    ['\\u003ca\\u003e', '<a>'],
    ['a &amp; b', 'a & b'],
    ['a\u00a0b «c»', 'a b "c"'],
    ['a ""b"" c', 'a "b" c'],
    ['plain \\x words', 'plain \\x words'],
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
    ['2024-05-01T10:00:00+01:00 stdout P words', '2024-05-01T10:00:00+01:00 words'],
    ['2024-05-01T10:00:00-01:00 stdout P words', '2024-05-01T10:00:00-01:00 words'],
    ['x 2024-05-01T10:00:00Z stdout F words', 'x 2024-05-01T10:00:00Z stdout F words'],
    ['2024-05-01T10:00:00Z stdin F words', '2024-05-01T10:00:00Z stdin F words'],
    ['[pod/a/b] 2024-05-01T10:00:00Z stderr F words', '2024-05-01T10:00:00Z words'],
    ['x [pod/a/b] words', 'x [pod/a/b] words'],
    ['x {"log":"a","time":"b"}', 'x {"log":"a","time":"b"}'],
    ['{"log":"a', '{"log":"a'],
    ['  {"log":"a","time":"b"}', 'b a'],
    ['x {"MESSAGE":"a"}', 'x {"MESSAGE":"a"}'],
    ['{"MESSAGE":"a"}', 'localhost journal: a'],
    ['  {"MESSAGE" : "a"}', 'localhost journal: a'],
    ['{"MESSAGE":[104,"x",105]}', 'localhost journal: hi'],
    ['{"MESSAGE":{}}', 'localhost journal: '],
    ['{"_COMM":"sh","MESSAGE":"a","SYSLOG_PID":"7"}', 'localhost sh[7]: a'],
    ['{"_SYSTEMD_UNIT":"my.service.service","MESSAGE":"a"}', 'localhost my.service: a'],
    ['{"__REALTIME_TIMESTAMP":"x","_HOSTNAME":"h","MESSAGE":"a"}', 'h journal: a'],
    ['{"__REALTIME_TIMESTAMP":"-5","_HOSTNAME":"h","MESSAGE":"a"}', 'h journal: a'],
    [
      '{"_SOURCE_REALTIME_TIMESTAMP":"1717702923000000","MESSAGE":"a"}',
      '2024-06-06T19:42:03Z localhost journal: a',
    ],
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

  test('a message of several lines comes behind its name and its length', () => {
    const text = '__CURSOR=s=1\n_HOSTNAME=h\nSYSLOG_IDENTIFIER=k\nMESSAGE\n12345678words=a\n\n\n\n';
    assert.deepEqual(journalExportLines(text), ['h k: words=a']);
    const alone = '__CURSOR=s=1\nMESSAGE\n12345678words\n';
    assert.deepEqual(journalExportLines(alone), ['localhost journal: words']);
  });

  for (const text of [
    'MESSAGE=x\n',
    'x__CURSOR=1\nMESSAGE=x\n',
    '__CURSOR=1\nwords\n',
    '__CURSOR=1',
  ])
    test(`${JSON.stringify(text)} is not taken for it`, () => {
      assert.equal(journalExportLines(text), null);
    });

  test('fields are names in capitals', () => {
    const text = '__CURSOR=s=1\nMESSAGE=a\nmy MESSAGE=b\n';
    assert.deepEqual(journalExportLines(text), ['localhost journal: a']);
  });
});

describe('isCommandEcho', () => {
  for (const line of [
    "$ sudo grep -E 'InsufficientCidrBlocks' /var/log/aws-routed-eni/ipamd.log",
    '[root@ip-10-0-0-1 ~]# journalctl -u kubelet | grep Unauthorized',
    'ec2-user@ip-10-0-0-1:~$ cat /var/log/messages',
    'sh-4.2# crictl ps',
    'bash-5.10$ ls',
    '  % aws eks',
    '>   kubectl get nodes',
    'PS C:\\Users\\me> kubectl get nodes',
    'root@h:/var/log# tail x',
    'laptop$ aws eks list-clusters',
    'w-07:~# openssl x509 -noout',
    'build.int:/srv$ ls',
    '# sudo   iptables-save',
    '$ iptables -L',
  ]) {
    test(`${line} is asked`, () => assert.equal(isCommandEcho(line), true));
  }

  for (const line of [
    '+ mount /dev/nvme1n1 /var/lib/containerd',
    '# Please edit the object below',
    '> Unauthorized',
    'Jun 06 19:42:03 h kubelet[1]: $ kubectl',
    '$ ./bootstrap.sh: line 3: unknown',
    'x $ kubectl get nodes',
    'costs 5$ cat',
    '$kubectl get nodes',
    '$ x kubectl get nodes',
    '$ kubectls',
    'bash-$ ls',
    'PS 5:\\> ls',
    `[a@b ${'c'.repeat(81)}]$ ls`,
    `a@b:${'c'.repeat(81)}$ ls`,
    `${' '.repeat(300)}$ ls`,
  ]) {
    test(`${line} is seen`, () => assert.equal(isCommandEcho(line), false));
  }
});
