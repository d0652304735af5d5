import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { excerptAround, excerptOf, excerptWithin, redact, redactValue } from './redact.ts';

/** Texts whose secret was once shown, in part or as a whole. */
const LEAKED: readonly (readonly [string, string])[] = [
  ['export DB_PASSWORD=ab,cd}ef rest', 'export DB_PASSWORD=‹redacted› rest'],
  ["password='two words' rest", "password='‹redacted›' rest"],
  ['curl -u deploy:hunter2 https://a', 'curl -u deploy:‹redacted› https://a'],
  ['API_KEY=hunter2hunter2', 'API_KEY=‹redacted›'],
  ['http://u:p@ss@proxy:3128', 'http://‹redacted›@proxy:3128'],
  ['logs/http:/u:pass@proxy', 'logs/http:/‹redacted›@proxy'],
  ['key_AKIAIOSFODNN7EXAMPLE_used', 'key_‹redacted›_used'],
  ['X=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'X=‹redacted›'],
  ['token_abcdef.0123456789abcdef_known', 'token_‹redacted›_known'],
];

describe('redact', () => {
  for (const [text, shown] of LEAKED) test(text, () => assert.equal(redact(text), shown));

  test('a private key without its beginning, and the words around it', () => {
    const line = 'kn+YlCwkWEbyNrzOghuGFFXzyKPs+PLkkyL7SynLKnLJIsUsWFrAcauBUgTnfnNE';
    const cut = `Unauthorized ${line} x9Q= -----END RSA PRIVATE KEY----- after`;
    assert.equal(redact(cut), 'Unauthorized ‹redacted› after');
    assert.equal(redact(`Unauthorized ${line} after`), 'Unauthorized ‹redacted› after');
  });

  test('names, paths and hashes are no secrets', () => {
    const texts = [
      'arn:aws:iam::123456789012:role/aws-service-role/eks/AWSServiceRoleForAmazonEKSNodegroup',
      '/var/lib/kubelet/pods/volumes/kubernetes/configmap/metadata/annotations/9',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'docker run -u 1000:1000 image',
    ];
    for (const text of texts) assert.equal(redact(text), text);
  });

  test('kinds, operations and error codes are no runs drawn by chance', () => {
    const texts = [
      'EC2NodeClassList',
      'route53:ListHostedZonesByVPC',
      'ec2:DescribeInstanceTypes',
      'AssignPodIPv4Address',
      'Ec2SubnetNotFound',
      'Ipv4AddressesPerInterface',
      'eks.amazonaws.com/AmazonEKS2022NodeRole',
      'InvalidLaunchTemplateId.VersionNotFound',
    ];
    for (const text of texts) assert.equal(redact(text), text);
    assert.equal(redact('used bQ7xW2kPz9LmT4vR today'), 'used ‹redacted› today');
  });

  test('the reason behind a sentence about a token or credentials is none', () => {
    const texts = [
      'could not get token: NoCredentialProviders: no valid providers in chain',
      'getting credentials: failed to assume the role',
      'getting credentials: decoding stdout: no kind is registered',
    ];
    for (const text of texts) assert.equal(redact(text), text);
    assert.equal(redact('token: hunterhunter'), 'token: ‹redacted›');
    assert.equal(redact('credentials: hunter2hunter2 used'), 'credentials: ‹redacted› used');
    assert.equal(redact('secret: CorrectHorse and more'), 'secret: ‹redacted› and more');
  });

  test('once more changes nothing', () => {
    for (const [text] of LEAKED) assert.equal(redact(redact(text)), redact(text));
  });
});

describe('redactValue', () => {
  test('fields that name a secret, at any depth', () => {
    const value = {
      users: [{ user: { token: 'short', name: 'a' } }],
      note: 'token=hunter2hunter2',
    };
    const clean = { users: [{ user: { token: '‹redacted›', name: 'a' } }] };
    assert.deepEqual(redactValue(value), { ...clean, note: 'token=‹redacted›' });
  });

  test('a value without secrets is the same value', () => {
    const value = { name: 'ip-10-0-0-1.ec2.internal', list: ['a/b', 1, null, true] };
    assert.equal(redactValue(value), value);
  });
});

test('a piece of a secret is not shown, a piece of the rest is', () => {
  const shown = excerptOf('password=hunter2hunter2 refused');
  assert.equal(excerptWithin('hunter2hun', shown), '‹redacted›');
  assert.equal(excerptWithin('refused', shown), 'refused');
});

test('a long line is shown with its beginning and the words for which it is quoted', () => {
  const filler = 'and so on '.repeat(60);
  const line = `Nov 22 04:41:04 host karpenter[1]: ${filler}is not authorized to perform: ec2:CreateTags on it ${filler}`;
  const shown = excerptAround(line, 'is not authorized to perform: ec2:CreateTags');
  assert.ok(shown.length <= 400, `${shown.length}`);
  assert.match(shown, /^Nov 22 04:41:04 host karpenter\[1\]: .* … .*ec2:CreateTags on it .*…$/);
  const near = excerptAround(line, 'karpenter');
  assert.equal(near, `${line.slice(0, 399)}…`);
  assert.equal(excerptAround('short', 'sho'), 'short');
});

test('words behind a secret are still found, and the secret is not shown', () => {
  const secret = 'password=hunter2hunter2hunter2';
  const line = `start ${'x '.repeat(300)}${secret} refused by the server ${'y '.repeat(100)}`;
  const shown = excerptAround(line, `${secret} refused by the server`);
  assert.match(shown, /refused by the server/);
  assert.doesNotMatch(shown, /hunter2/);
});

test('a secret is cut behind a blank and an equals sign, and in a line joined to another', () => {
  const key = Array.from('cn/TeTMJuWoqtblzIUIeGepCqncHs/TeiJJlqjA').toReversed().join('');
  assert.equal(redact(`(aws_secret_access_key = ${key})`), '(aws_secret_access_key = ‹redacted›)');
  assert.equal(
    redact('gone: ip-10-0-32-242docker login -u deploy -p Lifudemu18!kehar r.example.net'),
    'gone: ip-10-0-32-242docker login -u deploy -p ‹redacted› r.example.net',
  );
});
