import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SignRow } from '../../evidence/sign-row.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { readUserData } from '../aws/user-data.ts';
import { EVIDENCE_VERSION } from '../evidence-version.ts';
import { compileSigns } from '../sign-table.ts';
import { linesWithSigns } from './sign-lines.ts';
import { savedUserData, userDataLinesOf, userDataOf } from './user-data.ts';

const ROW: SignRow = {
  owner: 'some-cause',
  name: 'failed',
  in: ['kubelet'],
  anchors: ['failed to'],
  pattern: /failed to (?:join|"start")(?! again)/,
  strict: true,
  per: [],
};
const OTHER: SignRow = { ...ROW, owner: 'other-cause', pattern: /failed to leave/ };
const SIGNS = compileSigns([ROW, OTHER]);
const ID = 'i-0123456789abcdef0';

function savedOf(text: string): { saved: JsonObject; left: number | undefined } {
  const left = new Map<string, number>();
  const saved = savedUserData(ID, btoa(text), SIGNS, left);
  return { saved, left: left.get('lines of user data') };
}

describe('lines that some cause looks for', () => {
  const found = (text: string): readonly number[] =>
    linesWithSigns(text, SIGNS).map(({ line }) => line);

  for (const [name, text, lines] of [
    ['are found whoever printed them', 'a\nfailed to join\nb', [2]],
    ['have the words of the expression, not of the anchor alone', 'failed to sleep', []],
    ['are seen without the marks of escapes', 'x\nfailed to \\"start\\"', [2]],
    ['may end with a return', 'failed to join\r\nfailed to join again\r\n', [1]],
    ['may stand in a journal', '{"MESSAGE":"failed to join"}', [1]],
    ['are seen to a limit', `${' '.repeat(16_371)}failed to join`, []],
    ['are seen up to that limit', `${' '.repeat(16_370)}failed to join`, [1]],
    ['are none in a text without lines', '', []],
  ] as const)
    test(name, () => assert.deepEqual(found(text), lines));

  test('keep their words as they were', () => {
    const [line] = linesWithSigns('  failed to \\"start\\"', SIGNS);
    assert.deepEqual(line, { line: 1, text: '  failed to \\"start\\"' });
  });

  test('a line break that escapes hide does not change the numbers', () => {
    assert.deepEqual(found('{"MESSAGE":"a\\nb"}\nfailed to join'), [2]);
  });
});

describe('user data that is saved', () => {
  const SCRIPT = '#!/bin/bash\n \nPASSPHRASE=planted\n/etc/eks/bootstrap.sh shop\nfailed to join\n';

  test('has the facts and the lines with a sign; the others are counted', () => {
    const { saved, left } = savedOf(SCRIPT);
    assert.deepEqual(saved, {
      apiVersion: EVIDENCE_VERSION,
      kind: 'UserData',
      given: readUserData(ID, btoa(SCRIPT)),
      lines: [{ line: 5, text: 'failed to join' }],
    });
    assert.equal(left, 3);
  });

  test('where there is none is empty', () => {
    const left = new Map<string, number>();
    const saved = savedUserData(ID, null, SIGNS, left);
    assert.deepEqual(saved['lines'], []);
    assert.deepEqual(saved['given'], readUserData(ID, null));
    assert.equal(left.size, 0);
  });

  for (const [form, text] of Object.entries({
    empty: '',
    compressed: '\u001f\u008bxx',
    mime: 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nx\n--b--\n',
    script: `${SCRIPT}kubeadm join 10.0.0.1 --token abcdef.0123456789abcdef\nnodeadm\n`,
    broken: 'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\nx',
    explicit: '/etc/eks/bootstrap.sh shop --apiserver-endpoint e --b64-cluster-ca c\n',
    labels: '#!/bin/sh\nkubelet --node-labels=node-role.kubernetes.io/worker=\n',
    'cloud-config': '#cloud-config\n',
    'node-config':
      'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster:\n    name: a\n    apiServerEndpoint: b\n    certificateAuthority: c\n    cidr: d\n',
    unreadable: 'apiVersion: node.eks.aws/v1\nkind: NodeConfig\n',
    toml: '[settings.kubernetes]\ncluster-name = "a"\napi-server = "b"\ncluster-certificate = "c"\n',
    other: 'words',
  }))
    test(`read again says what it said: ${form}`, () => {
      const saved = JSON.parse(JSON.stringify(savedOf(text).saved)) as JsonObject;
      assert.deepEqual(userDataOf(saved), readUserData(ID, btoa(text)));
    });
});

describe('saved user data that somebody else wrote', () => {
  const GIVEN = { instanceId: ID, form: 'script', bytes: 4 };

  test('is not ours without facts or with an unknown form', () => {
    for (const given of [undefined, null, 'x', {}, { form: 'planted' }])
      assert.equal(userDataOf({ given } as JsonObject), null, JSON.stringify(given));
  });

  test('says no more than its facts', () => {
    assert.deepEqual(userDataOf({ given: GIVEN }), {
      instanceId: ID,
      form: 'script',
      bytes: 4,
      mimeFault: null,
      nodeConfigs: [],
      bootstrapCall: null,
      settings: null,
      namesNodeadm: false,
      joinTokenId: null,
      reservedLabels: [],
      kubeletFlags: [],
      maxPods: null,
    });
    const odd = { form: 'script', bootstrapCall: {}, namesNodeadm: 'yes', settings: 'x' };
    const read = userDataOf({ given: odd });
    assert.ok(read !== null);
    assert.deepEqual(read.bootstrapCall, { cluster: null, isExplicit: false, words: '' });
    assert.deepEqual([read.instanceId, read.bytes], ['', Number.NaN]);
    assert.deepEqual([read.namesNodeadm, read.settings], [false, null]);
  });

  test('has a limit of entries and of lines', () => {
    const many = {
      ...GIVEN,
      nodeConfigs: Array.from({ length: 200 }, () => ({})),
      reservedLabels: Array(200).fill('a'),
    };
    const read = userDataOf({ given: many });
    assert.deepEqual([read?.nodeConfigs.length, read?.reservedLabels.length], [100, 100]);
    const lines = Array.from({ length: 6000 }, (_, line) => ({ line, text: 'a' }));
    assert.equal(userDataLinesOf({ lines }).length, 5000);
  });

  test('lines have a whole number and a text', () => {
    const lines = [
      { line: 2, text: 'a' },
      { line: 'x', text: 'a' },
      { line: 1.5, text: 'a' },
      { line: 3 },
    ];
    assert.deepEqual(userDataLinesOf({ lines }), [{ line: 2, text: 'a' }]);
    assert.deepEqual(userDataLinesOf({}), []);
  });
});
