import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Claim, claimOf, isSignedBy, isTimely, type SignedRequest } from './signature.ts';
import { KEY_ID, NOW_MS, SECRET, signedRequest, unsignedRequest } from './testing.ts';

const FROM = {
  service: 'sts',
  method: 'POST',
  path: '/a b',
  query: { x: '1', y: '' },
  headers: { 'x-note': 'n' },
  body: 'Action=GetCallerIdentity',
};

async function isGood(change: (request: SignedRequest) => SignedRequest): Promise<boolean> {
  const request = await signedRequest(FROM);
  const claimed = claimOf(request);
  assert.ok(claimed);
  return isSignedBy(change(request), claimed, SECRET);
}

test('a signature says whose it is, for what and of when', async () => {
  const claimed = claimOf(await signedRequest(FROM));
  const { signature, signedHeaders, ...rest } = claimed ?? assert.fail('nothing is claimed');
  assert.match(signature, /^[0-9a-f]{64}$/);
  assert.deepEqual(signedHeaders.toSorted(), [
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    'x-note',
  ]);
  assert.deepEqual(rest, {
    accessKeyId: KEY_ID,
    region: 'us-west-2',
    service: 'sts',
    date: '20260302T090000Z',
    sessionToken: '',
    expiresS: null,
    scope: '20260302/us-west-2/sts/aws4_request',
  });
});

describe('a request is the one that was signed', () => {
  test('as it came, and with more headers that nobody signed', async () => {
    assert.equal(await isGood((request) => request), true);
    const more = { 'user-agent': 'x' };
    assert.equal(
      await isGood((request) => ({ ...request, headers: { ...request.headers, ...more } })),
      true,
    );
  });

  test('with the same method, path, query, headers and body', async () => {
    const { 'x-note': _note, ...without } = (await signedRequest(FROM)).headers;
    for (const [what, change] of Object.entries({
      method: { method: 'GET' },
      path: { path: '/b' },
      query: { query: new URLSearchParams({ x: '2', y: '' }) },
      more: { query: new URLSearchParams({ x: '1', y: '', z: '' }) },
      body: { body: new TextEncoder().encode('Action=Other') },
      missing: { headers: without },
      changed: { headers: { ...without, 'x-note': 'm' } },
    }))
      assert.equal(await isGood((request) => ({ ...request, ...change })), false, what);
  });

  test('with the body that its header tells', async () => {
    const lied = { 'x-amz-content-sha256': '0'.repeat(64) };
    assert.equal(
      await isGood((request) => ({ ...request, headers: { ...request.headers, ...lied } })),
      false,
    );
    const told = await signedRequest({ ...FROM, headers: lied });
    const claimed = claimOf(told);
    assert.ok(claimed);
    assert.equal(await isSignedBy(told, claimed, SECRET), false);
  });

  test('with the secret of its key', async () => {
    const request = await signedRequest(FROM);
    const claimed = claimOf(request);
    assert.ok(claimed);
    assert.equal(await isSignedBy(request, claimed, `${SECRET}x`), false);
    const impossible = { ...claimed, date: '20261332T000000Z' };
    assert.equal(await isSignedBy(request, impossible, SECRET), false);
    assert.equal(await isSignedBy(request, { ...claimed, signature: '' }, SECRET), false);
  });
});

const day = '20260302';
const scope = `${day}/us-west-2/sts/aws4_request`;
const signature = '0'.repeat(64);

describe('nothing is claimed', () => {
  const whole = (change: Readonly<Record<string, string>> = {}): Claim | null => {
    const parts = {
      Credential: `${KEY_ID}/${scope}`,
      SignedHeaders: 'host',
      Signature: signature,
      date: `${day}T090000Z`,
      ...change,
    };
    const { date, ...own } = parts;
    const words = Object.entries(own).map(([name, value]) => `${name}=${value}`);
    const headers = { authorization: `AWS4-HMAC-SHA256 ${words.join(', ')}`, 'x-amz-date': date };
    return claimOf(unsignedRequest({ headers }));
  };

  test('by a request that is not signed, or by another algorithm', () => {
    assert.equal(claimOf(unsignedRequest({})), null);
    for (const authorization of ['', 'AWS4-HMAC-SHA256', 'Basic x', 'AWS4-HMAC-SHA1 Credential=x'])
      assert.equal(claimOf(unsignedRequest({ headers: { authorization } })), null, authorization);
  });

  test('by parts of another form', () => {
    assert.deepEqual(whole()?.signedHeaders, ['host']);
    const longest = 'x'.repeat(32);
    for (const credential of [
      `${'A'.repeat(16)}/${scope}`,
      `${'A'.repeat(128)}/${scope}`,
      `${KEY_ID}/${day}/${longest}/${longest}/aws4_request`,
    ])
      assert.ok(whole({ Credential: credential }), credential);
    for (const credential of [
      '',
      `${'A'.repeat(15)}/${scope}`,
      `${'A'.repeat(129)}/${scope}`,
      `${KEY_ID.toLowerCase()}/${scope}`,
      `x${KEY_ID}/${scope}`,
      `${KEY_ID}/${scope}/x`,
      `${KEY_ID}/2026030/us-west-2/sts/aws4_request`,
      `${KEY_ID}/${day}/US/sts/aws4_request`,
      `${KEY_ID}/${day}/${longest}x/sts/aws4_request`,
      `${KEY_ID}/${day}/us-west-2/${longest}x/aws4_request`,
      `${KEY_ID}/${day}//sts/aws4_request`,
      `${KEY_ID}/${day}/us-west-2/sts/aws5_request`,
    ])
      assert.equal(whole({ Credential: credential }), null, credential);
    for (const wrong of [signature.slice(1), `${signature}0`, signature.replace('0', 'G'), ''])
      assert.equal(whole({ Signature: wrong }), null, wrong);
    for (const date of ['', day, `${day}T0900Z`, `x${day}T090000Z`, `${day}T090000Zx`])
      assert.equal(whole({ date }), null, date);
  });

  test('by a URL without its parts', () => {
    const query = {
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${KEY_ID}/${scope}`,
      'X-Amz-Date': `${day}T090000Z`,
      'X-Amz-SignedHeaders': 'host;x-note',
      'X-Amz-Signature': signature,
    };
    const claimed = (more: Readonly<Record<string, string>>): Claim | null =>
      claimOf(unsignedRequest({ method: 'GET', query: { ...query, ...more } }));
    const { expiresS, sessionToken, signedHeaders } = claimed({}) ?? assert.fail('nothing');
    assert.deepEqual([expiresS, sessionToken, signedHeaders], [60, '', ['host', 'x-note']]);
    const more = { 'X-Amz-Expires': '900', 'X-Amz-Security-Token': 't' };
    assert.deepEqual([claimed(more)?.expiresS, claimed(more)?.sessionToken], [900, 't']);
    for (const name of ['Algorithm', 'Credential', 'Date', 'Signature'])
      assert.equal(claimed({ [`X-Amz-${name}`]: '' }), null, name);
  });
});

describe('a signature is good', () => {
  const claim = (expiresS: number | null): Claim => ({
    accessKeyId: KEY_ID,
    region: 'us-west-2',
    service: 'sts',
    date: '20260302T090000Z',
    signedHeaders: [],
    signature: '',
    sessionToken: '',
    expiresS,
    scope: '',
  });
  const isAfter = (expiresS: number | null, seconds: number): boolean =>
    isTimely(claim(expiresS), NOW_MS + seconds * 1000);

  test('for five minutes to either side', () => {
    for (const seconds of [-300, 300]) assert.equal(isAfter(null, seconds), true);
    for (const seconds of [-301, 301]) assert.equal(isAfter(null, seconds), false);
  });

  test('in a URL until it expires, at most seven days, and five minutes for clocks', () => {
    assert.equal(isAfter(900, 1200), true);
    assert.equal(isAfter(900, 1201), false);
    const week = 7 * 86_400;
    assert.equal(isAfter(10 * week, week + 300), true);
    assert.equal(isAfter(10 * week, week + 301), false);
    assert.equal(isAfter(Number.NaN, 0), false);
  });
});
