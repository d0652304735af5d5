/** How long a signature is good, in headers and in URLs. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Claim, claimOf, isTimely } from '../../../src/doors/aws/signature.ts';
import { smallAws } from '../../sim/aws/world.ts';
import { openDoorTo } from './site.ts';
import { signedUrl, type SigningKeys } from './signed-url.ts';

const AT_MS = Date.parse('2026-03-02T09:00:00Z');
const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;

const HEADER: Claim = {
  accessKeyId: 'AKIAAAAAAAAAAAAAAAAA',
  region: 'us-west-2',
  service: 'sts',
  date: '20260302T090000Z',
  signedHeaders: ['host'],
  signature: '0'.repeat(64),
  sessionToken: '',
  expiresS: null,
  scope: '20260302/us-west-2/sts/aws4_request',
};

/** Whether a signature is good this long after its own date, s; before it when negative. */
function isGood(expiresS: number | null, ageS: number): boolean {
  return isTimely({ ...HEADER, expiresS }, AT_MS + ageS * 1000);
}

test('a signed header is good for five minutes to either side', () => {
  for (const ageS of [-5 * MINUTE_S, 0, 5 * MINUTE_S]) assert.ok(isGood(null, ageS), String(ageS));
  for (const ageS of [-5 * MINUTE_S - 1, 5 * MINUTE_S + 1])
    assert.ok(!isGood(null, ageS), String(ageS));
});

test('a signed URL is good until it expires, and five minutes for clocks', () => {
  const expiresS = 15 * MINUTE_S;
  assert.ok(isGood(expiresS, 20 * MINUTE_S));
  assert.ok(!isGood(expiresS, 20 * MINUTE_S + 1));
  assert.ok(!isGood(expiresS, -5 * MINUTE_S - 1));
});

test('a signed URL is good for seven days at most, whatever it says', () => {
  const expiresS = 365 * DAY_S;
  assert.ok(isGood(expiresS, 7 * DAY_S));
  assert.ok(!isGood(expiresS, 7 * DAY_S + 5 * MINUTE_S + 1));
});

interface Site {
  readonly url: string;
  readonly keys: SigningKeys;
}

/** A door at which it is nine o'clock. */
async function siteAtNine(t: TestContext): Promise<Site> {
  const { aws, admin } = smallAws();
  const { url } = await openDoorTo(t, { cloud: aws, nowMs: () => AT_MS });
  const { accessKeyId } = admin;
  return { url, keys: { accessKeyId, secret: aws.secretOf(accessKeyId) ?? '' } };
}

const URLS = [
  { what: 'of now', ageS: 0, expires: '60', status: 200 },
  { what: 'of ten minutes to come', ageS: -10 * MINUTE_S, expires: '900', status: 403 },
  { what: 'that has not expired', ageS: 10 * MINUTE_S, expires: '900', status: 200 },
  { what: 'that has expired', ageS: 30 * MINUTE_S, expires: '900', status: 403 },
  { what: 'of eight days ago for a year', ageS: 8 * DAY_S, expires: '31536000', status: 403 },
  { what: 'that says nothing of its time, new', ageS: 0, expires: null, status: 200 },
  { what: 'that says nothing of its time, old', ageS: 7 * MINUTE_S, expires: null, status: 403 },
  { what: 'of which the time is no number', ageS: 0, expires: 'soon', status: 403 },
];

for (const { what, ageS, expires, status } of URLS)
  test(`a signed URL ${what} is answered ${status}`, async (t) => {
    const { url, keys } = await siteAtNine(t);
    const answer = await fetch(signedUrl(url, keys, { atMs: AT_MS - ageS * 1000, expires }));
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    if (status === 403) assert.match(text, /<Code>SignatureDoesNotMatch<.*Signature expired/s);
    else assert.match(text, /<Arn>/);
  });

test('a signed URL is good for the request that was signed only', async (t) => {
  const { url, keys } = await siteAtNine(t);
  const signed = signedUrl(url, keys, { atMs: AT_MS, expires: '60' });
  const longer = signed.replace('X-Amz-Expires=60', 'X-Amz-Expires=600000');
  for (const changed of [longer, `${signed}&Extra=1`, signed.replace('/?', '/other?')])
    assert.equal((await fetch(changed)).status, 403, changed);
  const other = await siteAtNine(t);
  assert.equal((await fetch(signed.replace(url, other.url))).status, 403);
});

test('a signed URL may name its parameters in any order', async (t) => {
  const { url, keys } = await siteAtNine(t);
  const [base = '', query = ''] = signedUrl(url, keys, { atMs: AT_MS, expires: '60' }).split('?');
  const reversed = query.split('&').toReversed().join('&');
  assert.equal((await fetch(`${base}?${reversed}`)).status, 200);
});

test('of the blanks in a signed header one counts', async (t) => {
  const { url, keys } = await siteAtNine(t);
  const signed = signedUrl(url, keys, { atMs: AT_MS, expires: '60', note: 'one two' });
  const status = async (note: string): Promise<number> =>
    (await fetch(signed, { headers: { 'x-note': note } })).status;
  assert.equal(await status('one   two'), 200);
  assert.equal(await status('onetwo'), 403);
});

test('requires a valid signature only from callers that sign', async (t) => {
  const { url } = await siteAtNine(t);
  const body = 'Action=AssumeRoleWithWebIdentity&Version=2011-06-15';
  const ask = async (headers: Record<string, string>): Promise<string> =>
    (await fetch(url, { method: 'POST', body, headers })).text();
  assert.doesNotMatch(await ask({}), /MissingAuthenticationToken|IncompleteSignature/);
  assert.match(await ask({ authorization: 'Basic eDp5' }), /<Code>IncompleteSignature</);
});

test('of a signature that is not whole nothing is claimed', () => {
  const request = (authorization: string, date: string): Parameters<typeof claimOf>[0] => ({
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: { authorization, 'x-amz-date': date },
    body: new Uint8Array(),
  });
  const whole =
    `AWS4-HMAC-SHA256 Credential=${HEADER.accessKeyId}/${HEADER.scope}, ` +
    `SignedHeaders=host;x-amz-date, Signature=${HEADER.signature}`;
  const date = HEADER.date;
  const claimed = claimOf(request(whole, date));
  assert.deepEqual(claimed, { ...HEADER, signedHeaders: ['host', 'x-amz-date'] });
  assert.equal(claimOf(request(whole, '2026-03-02T09:00:00Z')), null);
  assert.equal(claimOf(request(whole.replace('SHA256', 'SHA1'), date)), null);
  assert.equal(claimOf(request(whole.slice(0, -1), date)), null);
  assert.equal(claimOf(request(`${whole}0`, date)), null);
  assert.equal(claimOf(request(whole.replace('Signature=', 'Signature=0'), date)), null);
  assert.equal(claimOf(request(whole, `2${date}`)), null);
  assert.equal(claimOf(request(whole, `${date}Z`)), null);
  for (const name of ['Credential', 'Signature='])
    assert.equal(claimOf(request(whole.replace(name, 'X'), date)), null);
  assert.equal(claimOf(request(whole.replace('/aws4_request', ''), date)), null);
});

test('of a URL without one of its parts nothing is claimed, and its token is read', () => {
  const keys = { accessKeyId: HEADER.accessKeyId, secret: 'x' };
  const url = new URL(signedUrl('http://127.0.0.1', keys, { atMs: AT_MS, expires: '60' }));
  const claimed = (query: URLSearchParams): Claim | null =>
    claimOf({ method: 'GET', path: '/', query, headers: {}, body: new Uint8Array() });
  const { searchParams } = url;
  assert.equal(claimed(searchParams)?.expiresS, 60);
  assert.equal(claimed(searchParams)?.sessionToken, '');
  for (const name of ['Algorithm', 'Credential', 'Date', 'Signature']) {
    const without = new URLSearchParams(searchParams);
    without.delete(`X-Amz-${name}`);
    assert.equal(claimed(without), null, name);
  }
  searchParams.set('X-Amz-Security-Token', 'of a session');
  assert.equal(claimed(searchParams)?.sessionToken, 'of a session');
});
