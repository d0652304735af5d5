import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterGiven, type UserData } from '../../evidence/user-data.ts';
import { checksumOf } from '../../evidence/checksum.ts';
import { decodedUserData, readUserData } from './user-data.ts';

function given(text: string): UserData {
  return readUserData('i-0b7c1d2e3f4a5b6c7', Buffer.from(text).toString('base64'));
}

function multipart(...parts: readonly string[]): string {
  const head = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="B"', '', ''];
  return `${head.join('\r\n')}${parts.map((part) => `--B\r\n${part}\r\n`).join('')}--B--\r\n`;
}

/** As long as a certificate is; shorter texts are placeholders. */
const AUTHORITY = 'Y2VydGlm'.repeat(50);

const CONFIG = [
  'apiVersion: node.eks.aws/v1alpha1',
  'kind: NodeConfig',
  'spec:',
  '  cluster:',
  '    name: shop',
  '    apiServerEndpoint: https://ABC.gr7.eu-west-1.eks.amazonaws.com',
  `    certificateAuthority: ${AUTHORITY}`,
  '    cidr: 172.20.0.0/16',
].join('\n');
const PART = `Content-Type: application/node.eks.aws\r\n\r\n---\n${CONFIG}`;

test('a NodeConfig part gives the cluster that the machine joins', () => {
  const read = given(multipart(PART));
  assert.equal(read.form, 'mime');
  assert.equal(read.mimeFault, null);
  assert.deepEqual(clusterGiven(read), {
    name: 'shop',
    endpoint: 'https://ABC.gr7.eu-west-1.eks.amazonaws.com',
    authority: checksumOf(AUTHORITY),
    cidr: '172.20.0.0/16',
  });
});

test('reads a base64 part and a bare NodeConfig too', () => {
  const encoded = Buffer.from(CONFIG).toString('base64');
  const head = 'Content-Transfer-Encoding: base64\r\nContent-Type: application/node.eks.aws';
  assert.equal(given(multipart(`${head}\r\n\r\n${encoded}`)).nodeConfigs[0]?.name, 'shop');
  assert.equal(given(CONFIG).nodeConfigs[0]?.name, 'shop');
});

test('each break of the MIME structure is named', () => {
  const sound = multipart(PART);
  const faults = [
    [sound.replace('--B\r\n', '--C\r\n'), /no line is “--B”.*“--C” instead/],
    [sound.replace('"B"\r\n\r\n', '"B"\r\n'), /“--B” follows the headers without an empty line/],
    [sound.replace('eks.aws\r\n\r\n', 'eks.aws\r\n'), /“---” follows the headers of a part/],
    [sound.replace('--B--', '--B--x'), /closing line “--B--” is missing/],
    [sound.replace('; boundary="B"', ''), /declares no boundary/],
  ] as const;
  for (const [text, fault] of faults) {
    const read = given(text);
    assert.match(read.mimeFault ?? '', fault);
    assert.deepEqual(read.nodeConfigs, []);
  }
});

test('a NodeConfig that nodeadm cannot decode says why, without its text', () => {
  const broken = given(CONFIG.replace('  cluster:', '  cluster: "s3cret\n  more'));
  assert.match(broken.nodeConfigs[0]?.unreadable ?? '', /^line \d+ of the NodeConfig: /);
  assert.doesNotMatch(JSON.stringify(broken), /s3cret/);
  const version = given(CONFIG.replace('v1alpha1', 'v1'));
  assert.match(version.nodeConfigs[0]?.unreadable ?? '', /apiVersion is “node\.eks\.aws\/v1”/);
});

test('a call of bootstrap.sh names its cluster unless that is a variable', () => {
  const call = (args: string): UserData['bootstrapCall'] =>
    given(`#!/bin/bash\nset -ex\n/etc/eks/bootstrap.sh ${args}\n`).bootstrapCall;
  assert.equal(call("shop --kubelet-extra-args '--node-labels=a=b'")?.cluster, 'shop');
  assert.equal(call("--kubelet-extra-args '--max-pods=20' 'shop'")?.cluster, 'shop');
  assert.equal(call('"$CLUSTER_NAME"')?.cluster, null);
  assert.equal(
    call('shop \\\n  --b64-cluster-ca X \\\n  --apiserver-endpoint Y')?.isExplicit,
    true,
  );
  assert.equal(given('#!/bin/bash\n# /etc/eks/bootstrap.sh shop\n').bootstrapCall, null);
});

test('takes the cluster from the matching table of Bottlerocket settings only', () => {
  const read = given(
    '[settings.kubernetes]\ncluster-name = "shop"\n[settings.other]\napi-server = "x"',
  );
  assert.equal(read.form, 'toml');
  assert.deepEqual(read.settings, { name: 'shop', endpoint: null, authority: null, cidr: null });
});

test('of a kubeadm token only the public part is kept, and of several none', () => {
  const join = (token: string) => given(`#!/bin/bash\nkubeadm join a:6443 --token ${token}\n`);
  assert.equal(join('abcdef.0123456789abcdef').joinTokenId, 'abcdef');
  assert.doesNotMatch(JSON.stringify(join('abcdef.0123456789abcdef')), /0123456789abcdef/);
  assert.equal(join('abcdef.0123456789abcdef --x qwerty.0123456789abcdef').joinTokenId, null);
  assert.equal(join('abcdef.0123456789abcdef0').joinTokenId, null);
  assert.equal(given('#!/bin/bash\necho abcdef.0123456789abcdef\n').joinTokenId, null);
});

test('distinguishes missing user data, text that is not base64 and compressed text', () => {
  assert.equal(readUserData('i-0b7c1d2e3f4a5b6c7', null).form, 'empty');
  assert.equal(readUserData('i-0b7c1d2e3f4a5b6c7', '%%%').form, 'compressed');
  assert.equal(given('\u001f').form, 'other');
  assert.equal(readUserData('i-0b7c1d2e3f4a5b6c7', 'H4sIAAAAAAAA').form, 'compressed');
});

for (const [form, text] of [
  ['empty', ' \n '],
  ['script', '\n #!/bin/sh'],
  ['cloud-config', '#cloud-config\n'],
  ['node-config', '---\nkind: NodeConfig'],
  ['node-config', '--- \n\napiVersion: node.eks.aws/v1alpha1'],
  ['other', 'x\nkind: NodeConfig'],
  ['toml', 'a = 1\n  [settings.host]'],
  ['other', 'x [settings.host]'],
  ['other', '[settingsx]'],
  ['mime', 'Content-Type: multipart/mixed; boundary=B'],
  ['other', 'words'],
] as const)
  test(`${JSON.stringify(text)} is ${form}`, () => assert.equal(given(text).form, form));

test('reads the bytes and the machine, and null for what a form does not have', () => {
  const read = given('words');
  assert.deepEqual([read.instanceId, read.bytes], ['i-0b7c1d2e3f4a5b6c7', 5]);
  const { form, instanceId, bytes, ...rest } = read;
  assert.deepEqual([form, instanceId, bytes], ['other', 'i-0b7c1d2e3f4a5b6c7', 5]);
  assert.deepEqual(rest, {
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
  assert.equal(readUserData('i-1', btoa('\u001f\u008bxx')).bytes, 4);
  assert.equal(readUserData('i-1', '%').bytes, 0);
});

test('base64 may be broken over lines, and holds UTF-8', () => {
  const text = '#!/bin/sh\n# ü';
  const encoded = Buffer.from(text).toString('base64');
  assert.equal(decodedUserData(encoded), text);
  assert.equal(decodedUserData(`${encoded.slice(0, 4)}\n ${encoded.slice(4)}`), text);
  assert.equal(decodedUserData('%'), '');
});

test('text beyond 256 kB is not looked at', () => {
  const long = `#!/bin/sh\n${'#'.repeat(256 * 1024)}\nnodeadm`;
  assert.equal(given(long).namesNodeadm, false);
  assert.equal(given(long.slice(0, 100_000).concat('\nnodeadm')).namesNodeadm, true);
});

for (const [text, names] of [
  ['#!/bin/sh\nnodeadm init', true],
  ['#!/bin/sh\nmynodeadm', false],
  ['#!/bin/sh\nnodeadmin', false],
] as const)
  test(`${JSON.stringify(text)} ${names ? 'names' : 'does not name'} nodeadm`, () => {
    assert.equal(given(text).namesNodeadm, names);
    const script = `Content-Type: text/x-shellscript\r\n\r\n${text}`;
    assert.equal(given(multipart(script)).namesNodeadm, names);
  });

test('a part of MIME gives what a script of its own gives', () => {
  const script = [
    '#!/bin/sh',
    '/etc/eks/bootstrap.sh shop',
    'kubeadm join a --token abcdef.0123456789abcdef',
    'kubelet --node-labels=node-role.kubernetes.io/web=',
  ].join('\n');
  const part = (head: string, body: string): UserData => given(multipart(`${head}\r\n\r\n${body}`));
  for (const read of [
    given(script),
    part('Content-Type: text/x-shellscript', script),
    part('Content-Transfer-Encoding: base64', Buffer.from(script).toString('base64')),
  ])
    assert.deepEqual(
      [read.bootstrapCall?.cluster, read.joinTokenId, read.reservedLabels],
      ['shop', 'abcdef', ['node-role.kubernetes.io/web']],
    );
  assert.equal(part('Content-Transfer-Encoding: base64', '%').bootstrapCall, null);
  const broken = given(multipart(`\r\n${script}`).replace('--B--', ''));
  assert.equal(broken.bootstrapCall?.cluster, 'shop');
});

for (const [title, text, unreadable] of [
  ['another kind', CONFIG.replace('NodeConfig', 'Pod'), 'its kind is “Pod”, not NodeConfig'],
  ['no kind', CONFIG.replace('kind: NodeConfig\n', ''), 'its kind is “”, not NodeConfig'],
  [
    'no version',
    CONFIG.replace('apiVersion: node.eks.aws/v1alpha1\n', ''),
    'its apiVersion is “”, not node.eks.aws/v1alpha1',
  ],
  [
    'another version',
    CONFIG.replace('v1alpha1', 'v1alpha10'),
    'its apiVersion is “node.eks.aws/v1alpha10”, not node.eks.aws/v1alpha1',
  ],
  [
    'a version behind words',
    CONFIG.replace('node.eks', 'my.node.eks'),
    'its apiVersion is “my.node.eks.aws/v1alpha1”, not node.eks.aws/v1alpha1',
  ],
  ['a later version', CONFIG.replace('v1alpha1', 'v1beta2'), null],
  ['a text', 'kind: NodeConfig words'.replace('kind: ', ''), 'it is not a YAML mapping'],
] as const)
  test(`a NodeConfig with ${title} is told`, () => {
    const part = `Content-Type: application/node.eks.aws\r\n\r\n${text}`;
    const script = 'Content-Type: text/x-shellscript\r\n\r\n#!/bin/sh';
    const { nodeConfigs } = given(multipart(script, part));
    assert.deepEqual(
      nodeConfigs.map((config) => config.unreadable),
      [unreadable],
    );
  });

test('a NodeConfig of several lines says in which it breaks, in few words', () => {
  const broken = given('kind: NodeConfig\na:\n  - b\n c: [').nodeConfigs[0]?.unreadable ?? '';
  assert.match(broken, /^line 4 of the NodeConfig: /);
  assert.ok(broken.length <= 190);
  const named = given(CONFIG.replace('kind: NodeConfig', `kind: NodeConfig${'x'.repeat(100)}`));
  assert.ok((named.nodeConfigs[0]?.unreadable ?? '').length < 110);
});

test('what a NodeConfig leaves empty is not given, and long values are cut', () => {
  const text = CONFIG.replace('name: shop', "name: '  '").replace(
    '172.20.0.0/16',
    'x'.repeat(9000),
  );
  const [config] = given(text).nodeConfigs;
  assert.deepEqual([config?.name, config?.cidr?.length], [null, 8192]);
  const template = given(CONFIG.replace(AUTHORITY, '${CA}')).nodeConfigs[0];
  assert.equal(template?.authority, '${CA}');
  const none = given(CONFIG.replace(/ +certificateAuthority.*\n/, '')).nodeConfigs[0];
  assert.equal(none?.authority, null);
});

for (const [args, cluster, isExplicit] of [
  ['shop', 'shop', false],
  ['"shop-1"', 'shop-1', false],
  ['\'shop"', null, false],
  ['--use-max-pods=false shop', 'shop', false],
  ['--use-max-pods false shop', 'shop', false],
  ['--a "b c" shop;', 'shop', false],
  ['shop && echo', 'shop', false],
  ['shop | tee', 'shop', false],
  ["--kubelet-extra-args '--a b' shop", 'shop', false],
  ['--a   b shop', 'shop', false],
  ['-shop', null, false],
  ['shop.example', null, false],
  ['x'.repeat(101), null, false],
  ['x'.repeat(100), 'x'.repeat(100), false],
  ['shop --apiserver-endpoint e', 'shop', false],
  ['shop --b64-cluster-ca c', 'shop', false],
  ['shop --b64-cluster-ca c --apiserver-endpoint e', 'shop', true],
  ['', null, false],
] as const)
  test(`bootstrap.sh ${args.slice(0, 50)}`, () => {
    const call = given(
      `#!/bin/sh\nset -x; /etc/eks/bootstrap.sh ${args}\nother words`,
    ).bootstrapCall;
    const words = `/etc/eks/bootstrap.sh ${cluster ?? ''}`.trim();
    assert.deepEqual(call, { cluster, isExplicit, words });
  });

test('bootstrap.sh of another name, or in a comment behind it, is not a call', () => {
  for (const text of ['/etc/eks/bootstrap.shx shop', 'x # /etc/eks/bootstrap.sh shop'])
    assert.equal(given(`#!/bin/sh\n${text}`).bootstrapCall, null);
});

for (const [text, id] of [
  ['kubeadm join --token abcdef.0123456789abcdef', 'abcdef'],
  ['kind: JoinConfiguration\ntoken: abcdef.0123456789abcdef', 'abcdef'],
  ['kubeadm join ‹token abcdef›', 'abcdef'],
  ['kubeadm join ‹token abcdef› abcdef.0123456789abcdef', 'abcdef'],
  ['kubeadm join ‹token abcdef› qwerty.0123456789abcdef', null],
  ['kubeadm joins abcdef.0123456789abcdef', null],
  ['MyJoinConfiguration abcdef.0123456789abcdef', null],
  ['kubeadm join xabcdef.0123456789abcdef', null],
  ['kubeadm join x.abcdef.0123456789abcdef', null],
  ['kubeadm join abcdef.0123456789abcdef.x', null],
  ['kubeadm join', null],
] as const)
  test(`${JSON.stringify(text)} gives ${id ?? 'no token'}`, () => {
    assert.equal(given(`#!/bin/sh\n${text}`).joinTokenId, id);
  });

test('all settings of Bottlerocket are read, in any form of TOML', () => {
  const read = given(
    [
      '[settings.host-containers.admin]',
      'enabled = true',
      '  [ settings.kubernetes ] ',
      `  "cluster-name" = 'shop'`,
      'api-server="https://e"',
      `cluster-certificate   =   "${AUTHORITY}"`,
      'x = 1',
      '[settings.ntp]',
      'cluster-name = "other"',
    ].join('\n'),
  ).settings;
  assert.deepEqual(read, {
    name: 'shop',
    endpoint: 'https://e',
    authority: checksumOf(AUTHORITY),
    cidr: null,
  });
  assert.equal(given('[settings.ntp]\nx = 1').settings, null);
  assert.equal(given('[settings.kubernetes]x\ncluster-name = "a"').settings, null);
  assert.deepEqual(given('[settings.kubernetes]\nmy cluster-name = "a"').settings, {
    name: null,
    endpoint: null,
    authority: null,
    cidr: null,
  });
});
