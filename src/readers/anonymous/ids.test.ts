import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutIds } from './ids.ts';
import { otherDigits, otherHex, scramble } from './scramble.ts';

const SEVENTEEN = '0123456789abcdef0';
const HASH = '4f6d2c1a9e8b7d6c5f4e3d2c1b0a9f8e';

test('ids become other ids of the same kind, each always the same one', () => {
  const text = 'i-0123456789abcdef0 subnet-01234567 111122223333 AROAIOSFODNN7EXAMPLE a@b.example';
  const other = withoutIds(text);
  assert.match(
    other,
    /^i-[0-9a-f]{17} subnet-[0-9a-f]{8} \d{12} AROA[0-9A-Z]{16} user-\w{8}@example\.com$/,
  );
  for (const part of text.split(' ')) assert.ok(!other.includes(part), part);
  assert.equal(withoutIds(text), other);
  assert.equal(withoutIds('602401143452.dkr.ecr'), '602401143452.dkr.ecr');
});

/** Words before ids: of instances, networks, volumes, images and what belongs to them. */
const KINDS = `i mi eni eni-attach subnet vpc sg sgr rtb rtbassoc igw eigw nat acl aclassoc eipalloc
  eipassoc vol snap ami ari aki lt dopt vpce vpce-svc tgw tgw-attach pl sir sfr fleet fs fsmt fsap r
  cgw vgw pcx cr key h rnat ipam ipam-pool vpc-cidr-assoc subnet-cidr-assoc iip-assoc a efs`;

describe('ids of resources', () => {
  for (const kind of KINDS.split(/\s+/))
    test(`${kind}-… becomes another id, long or short`, () => {
      for (const id of [SEVENTEEN, '01234567']) {
        const other = withoutIds(`x ${kind}-${id}/`);
        assert.match(other, new RegExp(`^x ${kind}-[0-9a-f]{${id.length}}/$`));
        assert.ok(!other.includes(id), other);
      }
    });

  test('the same id is another one of another kind', () => {
    assert.notEqual(withoutIds('vol-01234567').slice(4), withoutIds('vpc-01234567').slice(4));
  });

  for (const text of [
    'taxi-01234567',
    'i-0123456789abcdef',
    'i-01234567z',
    'i-0123456g',
    'i-01234567A',
    'web-01234567',
    'v-01234567',
  ])
    test(`${text} is none`, () => assert.equal(withoutIds(text), text));
});

const OTHER_IDS = [
  [
    'a UID',
    'a0b1c2d3-e4f5-4678-9abc-def012345678',
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  ],
  [
    'a UID in capitals',
    'A0B1C2D3-E4F5-4678-9ABC-DEF012345678',
    /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/,
  ],
  ['an issuer', HASH, /^[0-9a-f]{32}$/],
  ['an endpoint', HASH.toUpperCase(), /^[0-9A-F]{32}$/],
  ['a digest', HASH + HASH, /^[0-9a-f]{64}$/],
  ['a MAC address', '06:1b:2c:3d:4e:5f', /^0a(?::[0-9a-f]{2}){5}$/],
  ['a MAC address in capitals', '06:1B:2C:3D:4E:5F', /^0a(?::[0-9A-F]{2}){5}$/],
  ['an account', '111122223333', /^[1-9]\d{11}$/],
  ['a role', `AROA${'A'.repeat(17)}`, /^AROA[0-9A-F]{17}$/],
  ['a user', `AIDA${'B'.repeat(17)}`, /^AIDA[0-9A-F]{17}$/],
  ['a group', `AGPA${'B'.repeat(12)}`, /^AGPA[0-9A-F]{12}$/],
  ['an instance profile', `AIPA${'B'.repeat(30)}`, /^AIPA[0-9A-F]{30}$/],
  ['a policy', `ANPA${'B'.repeat(17)}`, /^ANPA[0-9A-F]{17}$/],
  ['a version of a policy', `ANVA${'B'.repeat(17)}`, /^ANVA[0-9A-F]{17}$/],
  ['a public key', `APKA${'B'.repeat(17)}`, /^APKA[0-9A-F]{17}$/],
  ['a certificate', `ASCA${'B'.repeat(17)}`, /^ASCA[0-9A-F]{17}$/],
  ['an address of mail', 'jane.doe+aws@mail.shop.example', /^user-[0-9a-f]{8}@example\.com$/],
] as const;

const NO_IDS = [
  'g4f6d2c1a9e8b7d6c5f4e3d2c1b0a9f8e',
  `${HASH}g`,
  HASH.slice(1),
  HASH + HASH + HASH,
  HASH.replace('f', 'F'),
  '1111222233334',
  '11112222333',
  '1.111122223333',
  '111122223333.5',
  '111122223333-4',
  '-111122223333',
  '06:1b:2c:3d:4e',
  '06:1b:2c:3d:4e:5f:6a',
  '2:06:1b:2c:3d:4e:5f',
  `XAROA${'A'.repeat(17)}`,
  `AROA${'A'.repeat(31)}`,
  `AROA${'A'.repeat(11)}`,
  'jane@localhost',
  '@shop.example',
  'xa0b1c2d3-e4f5-4678-9abc-def012345678',
  'a0b1c2d3-e4f5-4678-9abc-def012345678x',
];

describe('other ids', () => {
  for (const [what, id, form] of OTHER_IDS)
    test(`${what} becomes another`, () => {
      const other = withoutIds(`(${id})`).slice(1, -1);
      assert.match(other, form);
      assert.notEqual(other, id);
      assert.equal(withoutIds(id), other);
    });

  test('two of a kind stay two', () => {
    for (const [one, two] of [
      ['111122223333', '111122223334'],
      ['06:1b:2c:3d:4e:5f', '06:1b:2c:3d:4e:5e'],
      [`AROA${'A'.repeat(17)}`, `AROA${'A'.repeat(16)}B`],
      ['a@shop.example', 'b@shop.example'],
      [HASH, HASH.replace('4', '5')],
    ] as const)
      assert.notEqual(withoutIds(one), withoutIds(two));
  });

  for (const text of NO_IDS)
    test(`${text.slice(0, 40)} is none`, () => assert.equal(withoutIds(text), text));
});

test('accounts that publish images for everybody stay', () => {
  const accounts = `602401143452 800184023465 877085696533 900889452093 918309763551 961992271922
    590381155156 558608220178 151742754352 013241004608 121268973566 296578399912 491585149902
    455263428931 066635153087 759879836304 730335286997 764185013820 840364872350 509694224163
    099720109477 137112412989 379101102735 092701018921`;
  assert.equal(withoutIds(accounts), accounts);
});

describe('other digits', () => {
  test('keep what is not a digit and whether letters are capitals', () => {
    assert.match(otherHex('ab-cd:12z', 'key'), /^[0-9a-f]{2}-[0-9a-f]{2}:[0-9a-f]{2}z$/);
    assert.match(otherHex('AB-CD:12', 'key'), /^[0-9A-F]{2}-[0-9A-F]{2}:[0-9A-F]{2}$/);
    assert.equal(otherHex('ABCDEF12', 'key').toLowerCase(), otherHex('abcdef12', 'key'));
    assert.equal(otherHex('ABCDEF12', 'key'), otherHex('abcDEF12', 'key'));
  });

  test('depend on the key, on the text and on the place', () => {
    const others = ['a', 'b'].flatMap((key) => [
      otherHex(HASH, key),
      otherDigits('111122223333', key),
    ]);
    assert.equal(new Set(others).size, 4);
    assert.ok(new Set(otherHex('0'.repeat(64), 'key')).size > 10);
    assert.ok(new Set(otherDigits('0'.repeat(64), 'key')).size > 8);
  });

  test('take all values; a number never begins with a zero', () => {
    const many = Array.from({ length: 400 }, (_, index) =>
      otherDigits(`${index}`.padStart(3, '0'), 'key'),
    );
    const firsts = new Set(many.map((one) => one[0]));
    assert.deepEqual([...firsts].toSorted((a, b) => Number(a) - Number(b)).join(''), '123456789');
    const lasts = new Set(many.map((one) => one[2]));
    assert.deepEqual([...lasts].toSorted((a, b) => Number(a) - Number(b)).join(''), '0123456789');
    for (const one of many) assert.match(one, /^\d{3}$/);
  });

  test('a text has the same number in every version, so that archives can be compared', () => {
    assert.deepEqual(
      ['', 'a', 'node-1'].map(scramble),
      [723_595_804, 3_999_464_523, 4_131_344_360],
    );
  });

  test('an id has the same other one in every version', () => {
    const ids = `i-01234567 a0b1c2d3-e4f5-4678-9abc-def012345678 ${HASH} 06:1b:2c:3d:4e:5f 111122223333`;
    assert.equal(
      withoutIds(ids),
      'i-5dfc38aa 7c426efe-b542-27fe-2b9d-1f3ef5655546 4a1881379ca9332470b43242767f3c6b 0a:0d:9e:5d:c8:c2 448531309908',
    );
  });
});
