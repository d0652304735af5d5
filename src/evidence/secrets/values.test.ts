import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redactAssignments } from './assignments.ts';
import { assertCut, shown } from './testing.ts';
import { isSecretField, isSecretValue } from './values.ts';

const DRAWN = 'bQ7xW2kPz9LmT4vR';
const HEX = '0a1b2c3d4e5f'.repeat(2);

const LINES: Readonly<Record<string, readonly string[]>> = {
  'a value ends with its quotes': [
    'password="«two words»" rest',
    'password=\'«it has "two"»\' rest',
    'password=`«two words»` rest',
    '{"password":"«two \\\\\\" words»","user":"a"}',
    '"{\\"password\\":\\"«two words»\\",\\"user\\":\\"a\\"}"',
    '"a,""password"":""«two words»"",b"',
    "sh -c 'password='\\''«two words»'\\'' rest'",
    '{\\\\\\"password\\\\\\":\\\\\\"«two words»\\\\\\",\\\\\\"user\\\\\\":\\\\\\"a\\\\\\"}',
    'password="«never closed»',
  ],
  'a value without quotes ends with its word, or before the next field': [
    'password=«walrus», user=a',
    'password=«walrus;» b',
    'password=«walrus»&user=a',
    'password=«wal,rus;x&y» rest',
    'password=«wal}rus» rest',
    '{password: «walrus»}',
    '[password: «walrus»]',
    'password=«walrus»&& true',
    'password=«walrus»,',
    'password=«walrus», user = a',
    'password=«walrus»,user\\": a',
    '{a: [{password: «walrus»}]}',
    'password=«,walrus» rest',
    'password=«;» rest',
    'password=«,user=walrus» rest',
    'password=«walrus»\\n next',
    'password=«walrus»"',
    'password=«walrus»<br>',
    'password: «walrus»',
    'password => «walrus» rest',
    'password=«a\\b» rest',
  ],
  'a block of YAML is one value': [
    'password: |\n«  walrus\n  otter»\nuser: a',
    'a:\n  password: >-\n«    walrus\n\n    otter»\n  user: a',
    'password: |\n«  walrus\n  otter»',
    'password: |-2\n«  walrus»\nuser: a',
    'password: |2+\n«  walrus»\nuser: a',
    'password: | «walrus» rest',
    'password: >- «walrus» rest',
    'password: |  «walrus» rest',
    'password: | \n«  walrus»\nuser: a',
    'a:\n  password: |\n«    walrus\n \n    otter»\n  user: a',
    'password: |\n«  walrus»\nb',
    'set  password: |\n«  walrus  otter»\nuser:  a',
  ],
  'a placeholder is no value': [
    'password=$DB_PASSWORD rest',
    'password=<redacted> rest',
    'password={{ password }}',
    'password=*** rest',
    'password=%s rest',
    'password: null',
    'password: true',
    'password=«nullify» rest',
    'password=«*a» rest',
    'password=""',
  ],
  'a name of something is no secret where only secrets are': [
    'token=/var/run/token rest',
    'token=~/token rest',
    'token=./token rest',
    'token=../a/token rest',
    'token=arn:aws:iam::123456789012:role/a rest',
    'token=arn:aws-cn:iam::123456789012:role/a rest',
    'secret=kube-system/aws-node-token rest',
    'token=v1.30.1-eks-1 rest',
    'token=1.30.1 rest',
    'token=2026.1.1 rest',
    'token=«v1.30.1!walrus» rest',
    'token=«!kube-system/walrus» rest',
    'token=«/walrus!otter» rest',
    'token=«walrus-arn:aws:iam» rest',
    'token=/a1/B2/c3/d4/e5/f6 rest',
    'token=«/aB/c1/d2/e3/f4/gH» rest',
    'token=/AB1/CD2/EF3/GH4/IJ5 rest',
    'token=/abcd/EFGH/abcd/EFGH rest',
    'secret=http://example.net/path rest',
    'secret=«xhttps://example.net/path» rest',
    'token=1.30.1+build rest',
    'secret=DB_PASSWORD_NAME rest',
    'secret=https://example.net/path rest',
    `secret=«https://example.net/${DRAWN}» rest`,
    'secret=«https://example.net/a?b=c» rest',
    'token=short rest',
    'token=«sixsix»',
    'token=«a/B/walrus» rest',
    'password=«/var/run/walrus» rest',
  ],
  'what may be a secret is one where it looks drawn by chance': [
    `key=«${DRAWN}» rest`,
    `key=«${HEX}» rest`,
    `key=${HEX.slice(1)} rest`,
    'key=«aB3aB3aB3aB3» rest',
    'key=aB3aB3aB3aB rest',
    'key=some-longer-name-of-it rest',
    'key=SomeLongerNameOfIt rest',
    'key=/a/path/of/some/words rest',
    `session=«a.${DRAWN}»`,
    'key=«aB/cD/eF/gH/iJ/kL» rest',
    'key=!aB/cD/eF/gH/iJ/kL rest',
    'key=aB/cD/eF/gH/iJ/kL! rest',
    'key=«x.aBcDeFgHiJkLmNoPqRsTuVwXyZaB» rest',
    'key=name.of.aB3dE5gH7 rest',
    `key=zz${HEX} rest`,
    `key=${HEX}zz rest`,
    'key=AB3AB3AB3AB3 rest',
    'key=ab3ab3ab3ab3 rest',
  ],
};

describe('where a value ends, and which values are secrets', () => {
  for (const [what, lines] of Object.entries(LINES))
    describe(what, () => {
      for (const line of lines) test(line, () => assertCut(line));
    });
});

test('looks 4,000 characters and 200 lines far for the end of a value', () => {
  assertCut(`password="«${'walrus '.repeat(571)}abc»def`);
  assertCut(`password: |\n«${'  walrus\n'.repeat(199)}  otter»\n  seal\nuser: a`);
});

test('a value is empty, harmless or a secret, by the strength of its name', () => {
  for (const strength of ['password', 'secret', 'perhaps'] as const) {
    assert.equal(isSecretField('', strength), false);
    assert.equal(isSecretValue('', strength), false);
    assert.equal(isSecretField('none', strength), false);
    assert.equal(isSecretField(DRAWN, strength), true);
  }
  assert.equal(isSecretField('abc', 'secret'), true);
  assert.equal(isSecretValue('abc', 'secret'), false);
  assert.equal(isSecretField('/etc/passwd', 'password'), true);
  assert.equal(isSecretField('/etc/passwd', 'secret'), false);
  assert.equal(isSecretField('https://example.net/a', 'secret'), false);
  assert.equal(isSecretField(`/${DRAWN}${DRAWN}`, 'secret'), true);
  assert.equal(isSecretField('walrus', 'perhaps'), false);
});

const SETTINGS: readonly string[] = [
  'WALRUS=«Zebra9!» next',
  'export WALRUS="«two Zebras9!»"; b',
  "walrus: '«Zebra9!»'",
  '{walrus:   «Zebra9!»}',
  'W=«Zebra9!»',
  '(W=«Zebra9!» a; O=«Zebra8!;» `V=«Zebra7!»`',
  'W="«a=Zebra8! b=Zebra9!»"; O="«Zebra7!»"',
  'W=«Zebra_9»',
  'W=«Zebra9!/path»',
  'W=«!walrus»',
  'W="«plain Zebra9!»"',
  '{"walrus":"x","other": "«Zebra9!»"}',
  'a=b WALRUS=«Zebra9!»\nOTTER=«Zebra8!»',
  'PATH=/usr/bin:/bin',
  'a=path/to/some.file b=https://example.net:443/a/b c=gs://bucket/key',
  'a=10.0.0.1:443 b=v1.30.1 c=1.5 d=Word e=some-name_of.it f=DB_NAME g=--flag=1.2/a h=-x',
  'a=i-0123456789abcdef0 b=subnet-0123456789abcdef0 c=arn:aws:iam::123456789012:role/a',
  'a=Path/To/Some.File b=http://10.0.0.1:8080/a c=https://example.net:443',
  'a=10Gi b=100m c=1.30.1-eks-Ab d=NAME_OF_IT e=arn:aws-cn:iam::123456789012:role/A',
  'a=‹redacted› b=$BB c="<two>" d="two  words"',
  'curl https://example.net/?walrus=Zebra9!',
  'a=$B b=<c> c=[1,2] d={x} e=*a f=%d',
  'a="two words and 10.0.0.1"',
  'a == Zebra9!',
  'no assignment: at all',
  'a=',
];

describe('any value of a script that is not plain may be a secret', () => {
  for (const line of SETTINGS)
    test(line, () => assert.equal(redactAssignments(line.replace(/[«»]/g, '')), shown(line)));
});

const SENTENCES: readonly string[] = [
  'failed to read secret: not found in it',
  'failed to read token: required but absent',
  'could not read token: a file is missing',
  'getting credentials: refused, as before',
  'authorization: «refused» 7 times',
  'credentials: «notable» Words',
  'token: «refused-here:» and more',
  'password: «refused» and more',
  'Password: panic: provided file is not a console',
  'password: «panic:» 7 times',
  'password: «panic» at last',
  'token: 1234567 bytes',
  'token: «12345678» bytes',
  'token: «x1234567» bytes',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:walrus-a1b2c3',
  'arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:walrus-a1b2c3',
  'with password «Tr0ub4d!» at the door',
  'with password Tr0ub4! at the door',
  'with password «12345678A.» at the door',
  'with password accepted at the door',
];

describe('distinguishes a sentence after the name of a secret from a value', () => {
  for (const line of SENTENCES) test(line, () => assertCut(line));
});
