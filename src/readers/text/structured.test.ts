import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observations } from '../../evidence/observations.ts';
import type { SignRow } from '../../evidence/sign-row.ts';
import { type LineSource, SOURCES } from '../../evidence/source.ts';
import { EVIDENCE_VERSION } from '../evidence-version.ts';
import { createReading } from '../reading.ts';
import { compileSigns } from '../sign-table.ts';

/** Finds the word WANTED wherever it was printed. */
const WANTED: SignRow = {
  owner: 'wanted',
  name: 'word',
  in: Object.keys(SOURCES) as LineSource[],
  anchors: ['WANTED'],
  pattern: /WANTED(?<rest>.*)/,
  strict: true,
  per: ['rest'],
};
const SIGNS = compileSigns([WANTED]);
const ID = 'i-0123456789abcdef0';

function read(text: string): Observations {
  const reading = createReading(SIGNS);
  reading.take('file', text);
  return reading.finish();
}

/** `kubelet 3 web-1`: who printed each found word, on which line, about which machine. */
function found(text: string): readonly string[] {
  return read(text).hits.map(({ first, about, count }) =>
    [
      first.source,
      first.locator.replace(/^.*:/, ''),
      about?.value ?? '',
      count > 1 ? `x${count}` : '',
    ]
      .join(' ')
      .trim(),
  );
}

const factKinds = (text: string): readonly string[] => read(text).facts.map(({ kind }) => kind);

const HELD_WORDS = [
  ['lines, with their number', 'a\r\nWANTED', ['unknown 2']],
  ['lines of a program around', 'nidhogg\nnidhogg\nWANTED', ['nidhogg 3']],
  ['but not of one in another paragraph', 'nidhogg\nnidhogg\n\nWANTED', ['unknown 4']],
  ['a command that was asked says nothing', '$ kubectl get WANTED', []],
  ['a row of a table', 'NAME   WHAT\na   WANTED', ['unknown 2']],
  [
    'a block of describe',
    'Name:   a\nLabels:   b\nNode:   web-1/10.0.0.1\nStatus:   WANTED',
    ['unknown 4 web-1'],
  ],
  ['a record in JSON', '{"a":\n "WANTED"}', ['unknown 1']],
  ['broken JSON', '{"a":\n "WANTED",}', ['unknown 2']],
  [
    'an object, whose lines are not read again',
    'apiVersion: v1\nkind: Node\nmetadata:\n  name: WANTED',
    [],
  ],
  [
    'what an object says',
    'apiVersion: v1\nkind: Pod\nstatus:\n  conditions:\n  - reason: WANTED',
    ['pod-status 1'],
  ],
  [
    'an object of a kind that is not known',
    'apiVersion: v1\nkind: Other\nwhat: WANTED',
    ['unknown 3'],
  ],
  [
    'a list of objects that are known',
    'apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  what: WANTED',
    [],
  ],
  [
    'a list of one that is not known',
    'apiVersion: v1\nkind: List\nitems:\n- kind: Other\n  what: WANTED',
    ['unknown 5'],
  ],
  ['an answer of AWS', 'Subnets:\n- SubnetId: WANTED', []],
  ['broken YAML', 'kind: Node\nwhat: [\n  WANTED', ['unknown 3']],
  ['comments of YAML', '---\n# WANTED', ['unknown 2']],
  [
    'an export of the journal',
    '__CURSOR=1\nMESSAGE=a\n\n__CURSOR=2\nMESSAGE=WANTED\n',
    ['unknown 2'],
  ],
  ['a record without quotes', '{\n  reason: WANTED,\n  count: 3\n}', ['unknown 1']],
  ['a record, whose blanks are not its own', '{"a":\n  "b WANTED"}', ['unknown 1']],
  [
    'a journal and what follows it at once, which may be its wrapped line',
    'Nov 22 10:00:00 web-1 containerd[1]: a.\nnidhogg\nnidhogg\nWANTED',
    ['nidhogg 4', 'containerd 1 web-1'],
  ],
  [
    'a journal and words that follow it, its wrapped line or not',
    'Nov 22 10:00:00 web-1 containerd[1]: a.\nwords\nWANTED',
    ['containerd 3', 'containerd 1 web-1'],
  ],
  ['what a blockquote holds, by the lines of the paste', '> a\n> WANTED', ['unknown 2']],
  ['the texts of a record', JSON.stringify({ issue: { body: 'words\nWANTED' } }), ['unknown 2']],
  ['user data', '#!/bin/bash\nWANTED', ['user-data 2']],
  [
    'user data of several paragraphs',
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\n\nWANTED\n\n--B--\n\nwords',
    ['user-data 6'],
  ],
] as const;

const LOGIN_PROMPTS = [
  ['the prompt at its end', 'a\nweb-1 login: ', ['web-1']],
  ['the last of several', 'web-1 login:\nweb-2 login:', ['web-2']],
  ['a prompt of nobody', 'localhost login:', []],
  ['another one before it', 'web-1 login:\nlocalhost.localdomain login:', ['web-1']],
  ['words', 'the login: a', []],
  ['a prompt with words', 'web-1 login: root', []],
  ['a prompt with words in front', 'at web-1 login:', []],
  ['a prompt far from the end', `web-1 login:\n${'a\n'.repeat(101)}`, []],
] as const;

describe('a text', () => {
  for (const [title, text, hits] of HELD_WORDS)
    test(`holds ${title}`, () => assert.deepEqual(found(text), hits));

  test('tells broken YAML, and where', () => {
    const { losses } = read('words\n\nkind: Node\nwhat: [\n');
    assert.deepEqual(
      losses.map(({ locator }) => locator),
      ['file:3'],
    );
    assert.deepEqual(read('---\n# words\n').losses, []);
  });

  test('counts its lines, and knows its zone', () => {
    const [document] = read('a\nb\n   Time zone: Europe/Berlin (CET, +0100)').documents;
    assert.deepEqual([document?.linesRead, document?.zoneOffsetMs], [3, 3_600_000]);
  });

  test('has the sources of its paragraphs', () => {
    const [document] = read('nidhogg\n\ncalico-node\n\nwords').documents;
    assert.deepEqual(document?.sources.toSorted(), ['calico-node', 'nidhogg']);
  });

  for (const [title, text, machines] of LOGIN_PROMPTS)
    test(`is of the machine that it names by ${title}`, () => {
      const [document] = read(text).documents;
      assert.deepEqual(
        document?.machines.map(({ value }) => value),
        machines,
      );
    });
});

describe('facts in a text', () => {
  test('may have a map of aws-auth that is not an object', () => {
    const table = 'ARN   USERNAME   GROUPS\narn:aws:iam::111122223333:role/r   u   g';
    assert.deepEqual(factKinds(table), ['kube/aws-auth']);
    assert.deepEqual(factKinds('mapRoles: |\n  - rolearn: arn:r'), ['kube/aws-auth']);
    assert.deepEqual(factKinds('words'), []);
  });

  test('say which command prints such a map', () => {
    const by = (text: string): readonly string[] => read(text).facts.map((fact) => fact.by);
    const described = 'mapRoles: |\n  - rolearn: arn:r';
    assert.deepEqual(by(described), ['kubectl describe configmap aws-auth']);
    const table = 'ARN   USERNAME   GROUPS\narn:aws:iam::111122223333:role/r   u   g';
    assert.deepEqual(by(table), ['eksctl get iamidentitymapping']);
  });

  test('are not read a second time from the lines of an object', () => {
    const object =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: aws-auth\n  namespace: kube-system\ndata:\n  mapRoles: |\n    - rolearn: arn:r';
    assert.deepEqual(factKinds(object), ['kube/aws-auth', 'kube/ConfigMap']);
  });

  test('may say what the clock of a machine is, and what DHCP gave it', () => {
    const clock =
      'System clock synchronized: no\nNTP service: inactive\nTime zone: UTC (UTC, +0000)';
    assert.deepEqual(factKinds(clock), ['host/clock']);
    const lease =
      'ADDRESS=10.0.1.5\nROUTER=10.0.1.1\nDOMAINNAME=ec2.internal\nSERVER_ADDRESS=10.0.1.1\nLIFETIME=3600';
    assert.deepEqual(factKinds(`# This is private data. Do not parse.\n${lease}`), [
      'host/dhcp-lease',
    ]);
  });
});

describe('a log that was read from a machine', () => {
  const log = (of: Record<string, string | null>): string =>
    JSON.stringify({
      apiVersion: EVIDENCE_VERSION,
      kind: 'MachineLog',
      node: 'web-1',
      instanceId: ID,
      file: null,
      unit: null,
      ...of,
    });
  const documentOf = (of: Record<string, string | null>) => read(log(of)).documents.at(-1);

  test('is a document of the machine, by all its names', () => {
    const { documents, links } = read(log({ text: 'Nov 22 10:00:00 host-1 kubelet[1]: a' }));
    assert.deepEqual(
      documents.at(-1)?.machines.map(({ kind, value }) => [kind, value]),
      [
        ['node', 'web-1'],
        ['instance-id', ID],
      ],
    );
    assert.deepEqual(
      links.map(({ names, proof }) => [names.map(({ value }) => value), proof]),
      [[['web-1', ID, 'host-1'], 'read from web-1 itself']],
    );
  });

  test('has the source of its file', () => {
    const file = '/var/log/aws-routed-eni/ipamd.log';
    assert.deepEqual(found(log({ file, text: 'words\nWANTED' })), ['ipamd 2']);
    assert.deepEqual(found(log({ file: null, text: 'words\nWANTED' })), ['unknown 2']);
  });

  test('is in UTC when it is a journal', () => {
    const text = 'Nov 22 10:00:00 host-1 kubelet[1]: a';
    assert.equal(documentOf({ unit: 'kubelet', text })?.zoneOffsetMs, 0);
    assert.equal(documentOf({ unit: null, text })?.zoneOffsetMs, null);
  });

  test('holds no other', () => {
    const { documents } = read(log({ text: log({ text: 'WANTED' }) }));
    assert.equal(documents.length, 2);
  });
});

describe('what Systems Manager printed', () => {
  const answer = (StandardOutputContent: string): string =>
    JSON.stringify({ InstanceId: ID, StandardOutputContent });

  test('is read as a document of its machine', () => {
    const { documents, links, hits } = read(answer('Nov 22 10:00:00 web-1 kubelet[1]: WANTED'));
    assert.deepEqual(
      documents.map(({ locator, machines }) => [locator, ...machines.map(({ value }) => value)]),
      [['file'], [`file#${ID}`, ID]],
    );
    assert.deepEqual(
      links.map(({ names }) => names.map(({ value }) => value)),
      [[ID, 'web-1']],
    );
    assert.equal(hits[0]?.first.locator, `file#${ID}:1`);
  });

  test('of several hosts links none', () => {
    const line = (host: string): string => `Nov 22 10:00:00 ${host} kubelet[1]: a`;
    assert.deepEqual(read(answer(`${line('web-1')}\n${line('web-2')}`)).links, []);
    assert.deepEqual(read(answer('words')).links, []);
  });

  test('of an answer in an answer is not a document', () => {
    const { documents } = read(answer(answer('WANTED')));
    assert.equal(documents.length, 1);
  });

  test('that is broken is lines', () => {
    assert.deepEqual(found('{"StandardOutputContent": WANTED}'), ['unknown 1']);
  });
});
