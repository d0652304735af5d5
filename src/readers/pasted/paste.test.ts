import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unpasted } from './paste.ts';

function linesOf(text: string): readonly string[] {
  return unpasted(text.split('\n')).lines;
}

const TABLE = [
  'NAME     STATUS     ROLES    AGE   VERSION',
  'node-a   NotReady   <none>   5m    v1.30.0',
];
const MANIFEST = ['apiVersion: v1', 'kind: Node', 'metadata:', '  name: node-a'];

describe('what pasting put around lines is taken away', () => {
  const forms: Readonly<Record<string, (line: string, index: number) => string>> = {
    'a quote': (line) => `> ${line}`,
    'a quote of a quote': (line) => `> > ${line}`,
    'a color': (line) => `\u001b[0;32m${line}\u001b[0m`,
    'a color without its escape character': (line) => `[0;32m${line}[0m`,
    'a stamp of CI': (line) => `2026-03-03T10:00:00.0421337Z ${line}`,
    'a provisioner': (line) => `aws_instance.a[0] (remote-exec): ${line}`,
    'a service': (line) => `node-1  | ${line}`,
    'its number': (line, index) => `${index + 1}:${line}`,
    'an indentation': (line) => `    ${line}`,
    entities: (line) => line.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  };
  for (const [name, dress] of Object.entries(forms)) {
    test(name, () => {
      assert.deepEqual(linesOf(MANIFEST.map(dress).join('\n')), MANIFEST);
      if (name === 'an indentation') return;
      assert.deepEqual(linesOf(TABLE.map(dress).join('\n')), TABLE);
    });
  }

  test('a list in brackets that begins like the end of a color is left', () => {
    const line = 'instance types do not exist: [m5n.large, m5zn.large]';
    assert.deepEqual(linesOf(line), [line]);
  });

  test('fences and names of files part what they stand between', () => {
    assert.deepEqual(linesOf('```console\na\n```\n==> b.log <==\nb'), ['', 'a', '', '', 'b']);
  });

  test('a page keeps its lines', () => {
    assert.deepEqual(linesOf('<pre><code>a &lt;none&gt;<br>b\n</code></pre>'), [
      'a <none>',
      'b',
      '',
    ]);
  });
});

describe('a text of several lines that is one line of JSON', () => {
  test('numbers that ip gives to rules and links are no numbers of lines', () => {
    for (const shown of [
      ['0:\tfrom all lookup local', '30200:\tfrom 10.0.0.9 lookup 30200'],
      ['1: lo    inet 127.0.0.1/8 scope host lo', '2: eth0    inet 10.0.0.9/24 scope global'],
      ['1: lo: <LOOPBACK,UP> mtu 65536', '2: eni0a1b2c3d4e5@if3: <BROADCAST,UP> mtu 9001'],
    ]) {
      assert.deepEqual(unpasted(shown).lines, shown);
      const numbered = shown.map((line, index) => `${index + 1}:${line}`);
      assert.deepEqual(unpasted(numbered).lines, shown);
    }
  });

  test('is these lines, each at the place of the one', () => {
    const { lines, numbers } = unpasted(['before', JSON.stringify('a "b"\nc'), 'behind']);
    assert.deepEqual(lines, ['before', 'a "b"', 'c', 'behind']);
    assert.deepEqual(numbers, [1, 2, 2, 3]);
  });

  test('is these lines without the quotes around it, too', () => {
    assert.deepEqual(linesOf(String.raw`a \"b\"\nc`), ['a "b"', 'c']);
  });

  test('is left where the breaks are in a value of the line', () => {
    const line = String.raw`E0101 10:00:00.000000       1 a.go:1] "x" err="one\ntwo"`;
    assert.deepEqual(linesOf(line), [line]);
  });
});

describe('wrapped lines', () => {
  const answer = `{\n    "StatusReason": "${'the words of a reason '.repeat(8).trim()}"\n}`;

  test('of JSON are put together, by columns and by words', () => {
    const byColumns = answer.replace(/.{80}(?=.)/g, '$&\n');
    const byWords = answer.replace(/(.{40,70}) (?=\S)/g, '$1\n');
    assert.deepEqual(linesOf(byColumns), answer.split('\n'));
    assert.deepEqual(linesOf(byWords), answer.split('\n'));
  });

  test('of a table are put together', () => {
    const columns = [
      'NAME',
      'STATUS',
      'ROLES',
      'AGE',
      'VERSION',
      'INTERNAL-IP',
      'EXTERNAL-IP',
      'OS-IMAGE',
    ];
    const cells = [
      'node-a',
      'Ready',
      'worker',
      '5m',
      'v1.30.0',
      '10.0.0.1',
      '203.0.113.7',
      'Bottlerocket',
    ];
    const rows = [columns, cells].map((row) =>
      row
        .map((cell) => cell.padEnd(14))
        .join('')
        .trim(),
    );
    const wrapped = rows.join('\n').replace(/.{80}(?=.)/g, '$&\n');
    assert.deepEqual(linesOf(wrapped), rows);
  });

  test('rows of a table that end in one column stay rows', () => {
    const rows = [
      'NAME     STATUS   AGE   VERSION',
      ...['a', 'b'].map(
        (name) => `node-${name}   Ready    5m    v1.30.0-eks-0123456789abcdef0123456789`,
      ),
    ];
    assert.deepEqual(linesOf(rows.join('\n')), rows);
  });
});

describe('what a program printed stays', () => {
  const texts = [
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n  spec:\n    taints: []',
    '2026-03-03T10:00:00.000000001Z I0303 10:00:00.000000       1 a.go:1] x\n2026-03-03T10:00:01.000000001Z I0303 10:00:01.000000       1 a.go:1] y',
    '> kubectl get nodes',
    'a | b\nc | d',
    '{"a": "&quot;"}',
  ];
  for (const text of texts)
    test(text.slice(0, 30), () => assert.deepEqual(linesOf(text), text.split('\n')));
});

test('what a long command printed is not its end', () => {
  const command = `$ aws ec2 describe-instances --instance-ids i-0123456789abcdef0 --query ${'x'.repeat(48)}`;
  assert.equal(command.length, 120);
  assert.deepEqual(linesOf(`${command}\nvpc-1`), [command, 'vpc-1']);
});
