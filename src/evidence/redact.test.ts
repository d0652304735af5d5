import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  excerptAround,
  excerptOf,
  excerptWithin,
  printable,
  redact,
  redactKeys,
  redactShared,
  redactValue,
  shownBeginning,
} from './redact.ts';

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
  // The longest suffix of a name, in both places that a check looks at first.
  ['set passphrase_production=correcthorse', 'set passphrase_production=‹redacted›'],
  ['the passphrase_production hunter2A!x', 'the passphrase_production ‹redacted›'],
];

describe('redact', () => {
  for (const [text, shown] of LEAKED) test(text, () => assert.equal(redact(text), shown));

  test('a private key without its beginning, and the words around it', () => {
    const line = 'kn+YlCwkWEbyNrzOghuGFFXzyKPs+PLkkyL7SynLKnLJIsUsWFrAcauBUgTnfnNE';
    const cut = `Unauthorized ${line} x9Q= -----END RSA PRIVATE KEY----- after`;
    assert.equal(redact(cut), 'Unauthorized ‹redacted› after');
    assert.equal(redact(`Unauthorized ${line} after`), 'Unauthorized ‹redacted› after');
  });

  test('names, paths and hashes do not count as secrets', () => {
    const texts = [
      'arn:aws:iam::123456789012:role/aws-service-role/eks/AWSServiceRoleForAmazonEKSNodegroup',
      '/var/lib/kubelet/pods/volumes/kubernetes/configmap/metadata/annotations/9',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'docker run -u 1000:1000 image',
    ];
    for (const text of texts) assert.equal(redact(text), text);
  });

  test('kinds, operations and error codes do not count as random strings', () => {
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

  test('the reason after a sentence about a token or credentials does not count as a secret', () => {
    const texts = [
      'could not get token: NoCredentialProviders: no valid providers in chain',
      'getting credentials: failed to assume the role',
      'getting credentials: decoding stdout: no kind is registered',
      'failed to verify token: sending STS request: Post "https://sts.us-east-1.amazonaws.com/"',
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

describe('printable text', () => {
  const PRINTED: readonly (readonly [string, string])[] = [
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b[1;31mred\u001b[m', 'red'],
    ['\u001b[?25lhidden', 'hidden'],
    ['\u001b[4 qbar', 'bar'],
    ['\u001b[2  qbar', 'bar'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;address\u001b\\link', 'link'],
    ['\u001b]0;title', ''],
    ['\u001bMup', 'up'],
    ['\u001b_up', 'up'],
    ['a\tb\nc', 'a b\nc'],
    ['a\u0000b\u0007c\u007fd\u0085e\r', 'abcde'],
    ['a\u200bb\u202ec\u2066d\ufeffe\u061cf', 'abcdef'],
  ];
  for (const [text, plain] of PRINTED)
    test(JSON.stringify(text), () => assert.equal(printable(text), plain));
});

describe('an excerpt', () => {
  test('is one line with single blanks', () => {
    assert.equal(excerptOf('  a  b\n\n c\t\td '), 'a b c d');
  });

  test('has a maximum length and ends with a mark that there is more', () => {
    assert.equal(excerptOf('12345', 5), '12345');
    assert.equal(excerptOf('123456', 5), '1234…');
    assert.equal(excerptOf('x'.repeat(401)).length, 400);
  });

  test('hides a secret that the cut would divide', () => {
    const shown = excerptOf(`${'x '.repeat(195)}password=hunter2hunter2`);
    assert.doesNotMatch(shown, /hunter/);
  });

  test('of the beginning alone keeps its blanks, and hides the same', () => {
    assert.equal(shownBeginning('  a  b ', 80), '  a  b ');
    assert.equal(shownBeginning('123456', 5), '12345');
    assert.equal(shownBeginning('a\u0007b', 80), 'ab');
    assert.equal(
      shownBeginning('token ghp_0123456789abcdefghijABCDEFGHIJ012345', 12),
      'token ‹redac',
    );
    assert.equal(shownBeginning(`${' '.repeat(9000)}x`, 5000), ' '.repeat(5000));
  });

  test('of far beyond the cut nothing is looked at', () => {
    assert.equal(excerptOf(`${' '.repeat(4400)}late`), '');
  });

  const filler = 'and so on '.repeat(60);
  test('around words is one line with single blanks', () => {
    assert.equal(excerptAround('  a  b\n c ', 'b'), 'a b c');
    assert.equal(excerptAround('x'.repeat(400), 'x'), 'x'.repeat(400));
    assert.equal(excerptAround('x'.repeat(401), 'no'), `${'x'.repeat(399)}…`);
    assert.equal(excerptAround(filler, ''), `${filler.slice(0, 399)}…`);
  });

  test('around words at the end shows the end without a sign of more', () => {
    const line = `${filler}the very last  words`;
    const shown = excerptAround(line, 'the very  last words ');
    const whole = line.replace('  ', ' ');
    assert.equal(shown, `${whole.slice(0, 120)} … ${whole.slice(-59)}`);
  });

  test('around words in the middle shows 40 characters before and 80 behind', () => {
    const line = `${'a'.repeat(500)} quoted words ${'b'.repeat(500)}`;
    const shown = excerptAround(line, 'quoted words');
    assert.equal(shown.length, 400);
    assert.equal(shown.slice(0, 123), `${'a'.repeat(120)} … `);
    assert.equal(shown.slice(123), `${line.slice(461, 461 + 276)}…`);
  });

  test('begins behind the head when the words stand right behind it', () => {
    const line = `${'a'.repeat(330)} quoted ${'b'.repeat(500)}`;
    assert.match(excerptAround(line, 'quoted'), /^a{120} … a+ quoted b{80,}…$/);
  });
});

const HIDDEN = '‹redacted›';

describe('redaction of values', () => {
  test('an entry that names what it holds', () => {
    const names = ['name', 'Key', 'parameterName', 'optionName', 'tagKey', 'TagKey'];
    const values = ['value', 'Value', 'parameterValue', 'optionValue', 'tagValue'];
    for (const name of names)
      for (const value of values) {
        const entry = { [name]: 'DB_PASSWORD', [value]: 'abc' };
        assert.deepEqual(redactValue([entry]), [{ ...entry, [value]: HIDDEN }]);
      }
    const others = [
      { name: 'REGION', value: 'abc' },
      { names: 'DB_PASSWORD', value: 'abc' },
      { rename: 'DB_PASSWORD', value: 'abc' },
      { name: 'DB_PASSWORD', values: 'abc' },
      { name: 'DB_PASSWORD', devalue: 'abc' },
      { name: 7, value: 'abc' },
      { value: 'abc' },
    ];
    for (const other of others) assert.equal(redactValue(other), other);
  });

  test('every item of a list under the name of a secret', () => {
    assert.deepEqual(redactValue({ password: ['a', 'b'], note: ['a'] }), {
      password: [HIDDEN, HIDDEN],
      note: ['a'],
    });
    assert.deepEqual(redactValue(['a', 'token=hunter2hunter2']), ['a', `token=${HIDDEN}`]);
  });

  test('texts keep their lines and lose unprintable characters', () => {
    assert.deepEqual(redactValue({ a: 'one\ntwo\u202e three\n' }), { a: 'one\ntwo three\n' });
    assert.equal(redactValue('one\n\ttwo three'), 'one\n\ttwo three');
    assert.equal(redactValue('pw=12345'), `pw=${HIDDEN}`);
    assert.equal(redactValue('pw=1234'), 'pw=1234');
  });
});

describe('redaction of large and shared values', () => {
  test('leaves out what is nested deeper than 400 levels', () => {
    const nest = (levels: number, inner: unknown): unknown =>
      levels === 0 ? inner : nest(levels - 1, levels % 2 === 0 ? { a: inner } : [inner]);
    const kept = nest(400, { a: 'b' });
    assert.equal(redactValue(kept), kept);
    assert.deepEqual(redactValue(nest(401, { a: 'b' })), nest(401, {}));
    assert.deepEqual(redactValue(nest(401, ['b'])), nest(401, []));
  });

  test('names of fields are redacted where all is written to a file', () => {
    const value = { 'token=hunter2hunter2': [{ 'a\u202eb': 1 }, 'x', null] };
    assert.deepEqual(redactKeys(value), { [`token=${HIDDEN}`]: [{ ab: 1 }, 'x', null] });
    assert.equal(redactKeys('a'), 'a');
    assert.equal(redactKeys(null), null);
  });

  test('what many objects share is looked through once, with its parts', () => {
    const shared = redactShared({ part: { a: 'b' }, none: null, text: 'a' });
    Object.assign(shared.part, { a: 'token=hunter2hunter2' });
    assert.equal(redactValue(shared), shared);
    assert.equal(redactValue(shared.part), shared.part);
    const fresh = { part: { a: 'token=hunter2hunter2' } };
    assert.deepEqual(redactShared(fresh), { part: { a: `token=${HIDDEN}` } });
    assert.equal(redactShared('token=hunter2hunter2'), `token=${HIDDEN}`);
    assert.equal(redactShared(null), null);
  });

  test('a value of any shape keeps its shape, and once more changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 8 }), (value, text) => {
        const clean = redactValue({ value, password: text });
        assert.deepEqual(redactValue(clean), clean);
        assert.ok(
          text.startsWith('‹') ||
            clean.password !== text ||
            /^[$<{[%#*]|^(?:true|false|null|none|nil|undefined|unset|empty|yes|no|n\/a)$/i.test(
              text,
            ),
        );
      }),
    );
  });
});
