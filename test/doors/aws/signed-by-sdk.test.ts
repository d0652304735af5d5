/** Signatures that the signer of the AWS SDK (@smithy/signature-v4) makes hold at the door. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Claim, isSignedBy, type SignedRequest } from '../../../src/doors/aws/signature.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const DATE = '20260302T090000Z';
const HOST = 'eks.eu-west-1.amazonaws.com';
/** Of the root with the hash of its empty body, by hand as the General Reference has it. */
const HASHED = '7c59d7bbcd0da9ec48ffbcc943673a66c89022d50a8e143d742711de636d0ece';

interface Signed {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly names: string;
  readonly signature: string;
}

const SIGNED: readonly Signed[] = [
  {
    what: 'the root',
    method: 'GET',
    path: '/',
    query: [],
    headers: {},
    body: '',
    names: 'host;x-amz-date',
    signature: '02e37502904cec7a47b85a725beef0c021c02bca6a469928f357f21f9dcadfbe',
  },
  {
    what: 'a path with signs',
    method: 'GET',
    path: "/clusters/a%20b/x!'()*y~z",
    query: [],
    headers: {},
    body: '',
    names: 'host;x-amz-date',
    signature: 'afc6670fda8796fed7bc71658cd15dbd016aece4fbf1a658cadc18aca6907f69',
  },
  {
    what: 'a path with a colon, encoded as it is sent',
    method: 'DELETE',
    path: '/clusters/web/access-entries/arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr',
    query: [],
    headers: {},
    body: '',
    names: 'host;x-amz-date',
    signature: '42eb34774bf924a82b0440bdb3b3c5be03f0b7f3d1ea01df05ba1aa7c980ed5a',
  },
  {
    what: 'names that begin alike',
    method: 'GET',
    path: '/clusters',
    query: [
      ['a-b', '1'],
      ['a', '2'],
      ['A', '3'],
      ['aa', '4'],
    ],
    headers: {},
    body: '',
    names: 'host;x-amz-date',
    signature: 'fb23de731d8188deb78bf32767fd415d43935b242641c2d089515ac129e02223',
  },
  {
    what: 'values with signs',
    method: 'GET',
    path: '/clusters',
    query: [
      ['maxResults', '1 0+/=&~*'],
      ['next', 'é(1)'],
    ],
    headers: {},
    body: '',
    names: 'host;x-amz-date',
    signature: 'ff7349faa442a27b10e56ff07f80c9515fd2dccf9c92278ad93de710d48a673f',
  },
  {
    what: 'a name twice',
    method: 'GET',
    path: '/clusters',
    query: [
      ['include', 'b'],
      ['include', 'a'],
      ['include', 'ab'],
    ],
    headers: {},
    body: '',
    names: 'host;x-amz-date',
    signature: '0e4f04c22ad22d2142b6831b484ef599549d8a5b6f7e1c4bb0f796d1a7824c1c',
  },
  {
    what: 'a body',
    method: 'POST',
    path: '/clusters/web/node-groups',
    query: [],
    headers: { 'content-type': 'application/json' },
    body: '{"a":"é"}',
    names: 'content-type;host;x-amz-date',
    signature: 'beafad5bae888ffd23b82f1aeea9ea1f7b393148643d924fc9556461228d1b8a',
  },
  {
    what: 'blanks in a header',
    method: 'GET',
    path: '/',
    query: [],
    headers: { 'x-note': '  one   two  ' },
    body: '',
    names: 'host;x-amz-date;x-note',
    signature: '11dba71d9f3078ff4534a59c30f24c7c9d29f2d8038019a48df1b80e2d523588',
  },
];

function requestOf({ method, path, query, headers, body }: Signed): SignedRequest {
  return {
    method,
    path,
    query: new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])),
    headers: { host: HOST, 'x-amz-date': DATE, ...headers },
    body: new TextEncoder().encode(body),
  };
}

function claimOn({ names, signature }: Signed): Claim {
  return {
    accessKeyId: 'AKIAAAAAAAAAAAAAAAAA',
    region: 'eu-west-1',
    service: 'eks',
    date: DATE,
    signedHeaders: names.split(';'),
    signature,
    sessionToken: '',
    expiresS: null,
    scope: '20260302/eu-west-1/eks/aws4_request',
  };
}

for (const signed of SIGNED) {
  test(`a signature of the SDK over ${signed.what} holds, and over nothing else`, async () => {
    const request = requestOf(signed);
    const claim = claimOn(signed);
    assert.ok(await isSignedBy(request, claim, SECRET));
    const reversed = new URLSearchParams([...request.query].toReversed());
    assert.ok(await isSignedBy({ ...request, query: reversed }, claim, SECRET));
    const more = new URLSearchParams(request.query);
    more.append('more', '');
    const others: readonly Partial<SignedRequest>[] = [
      { method: 'PUT' },
      { path: `${signed.path}/more` },
      { query: more },
      { body: new Uint8Array([0]) },
      { headers: { ...request.headers, host: 'elsewhere' } },
    ];
    for (const other of others)
      assert.ok(!(await isSignedBy({ ...request, ...other }, claim, SECRET)));
    assert.ok(!(await isSignedBy(request, claim, `${SECRET}x`)));
    assert.ok(!(await isSignedBy(request, { ...claim, date: '20260302T090001Z' }, SECRET)));
    const scope = '20260303/eu-west-1/eks/aws4_request';
    assert.ok(!(await isSignedBy(request, { ...claim, scope }, SECRET)));
  });
}

/** `GET /` as above, with these headers signed besides. */
function rootWith(headers: Readonly<Record<string, string>>, signature: string): Signed {
  const names = ['host', 'x-amz-date', ...Object.keys(headers)].toSorted().join(';');
  const root = SIGNED[0];
  assert.ok(root !== undefined);
  return { ...root, headers, names, signature };
}

test('a path counts without its empty and relative parts, as AWS documents', async () => {
  const [root] = SIGNED;
  assert.ok(root !== undefined);
  for (const path of ['//', '/./', '/clusters/../'])
    assert.ok(await isSignedBy({ ...requestOf(root), path }, claimOn(root), SECRET), path);
});

test('a hash of the body that is signed holds for that body only', async () => {
  const empty = createHash('sha256').digest('hex');
  const signed = rootWith({ 'x-amz-content-sha256': empty }, HASHED);
  assert.ok(await isSignedBy(requestOf(signed), claimOn(signed), SECRET));
  const other = { ...requestOf(signed), body: new Uint8Array([0]) };
  assert.ok(!(await isSignedBy(other, claimOn(signed), SECRET)));
});

test('a request that no signer signs counts as unsigned, not as a bug', async () => {
  const [root] = SIGNED;
  assert.ok(root !== undefined);
  const claim = claimOn(root);
  const request = requestOf(root);
  const query = new URLSearchParams([
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['', 'z'],
  ]);
  const claims: readonly Partial<Claim>[] = [
    { date: '20261399T996199Z' },
    { signedHeaders: ['__proto__', 'constructor', ''] },
    { signedHeaders: ['host', 'host', 'x-amz-date'] },
    { signedHeaders: ['x-amz-date', 'host'] },
    { signedHeaders: ['authorization'] },
  ];
  for (const other of claims)
    assert.ok(!(await isSignedBy(request, { ...claim, ...other }, SECRET)), JSON.stringify(other));
  assert.ok(!(await isSignedBy({ ...request, query }, claim, SECRET)));
});
