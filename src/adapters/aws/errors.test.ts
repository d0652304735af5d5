import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import { CredentialError } from './credentials.ts';
import type { Asked } from './error-sentences.ts';
import { nameError } from './errors.ts';
import { NoAnswerError } from './no-answer.ts';

const ASKED: Asked = {
  service: 'ec2',
  permission: 'ec2:DescribeInstances',
  region: 'eu-west-1',
  profile: {
    name: 'default',
    chosen: false,
    found: true,
    region: null,
    source: 'keys',
    caBundle: null,
    configPath: '',
    credentialsPath: '',
  },
};
const OF_PROFILE: Asked = { ...ASKED, profile: { ...ASKED.profile, name: "o'hara", chosen: true } };

/** An error as the SDK or Node throws it. */
function thrown(name: string, message: string, fields: object = {}): Error {
  return Object.assign(new Error(message), { name, ...fields });
}

function named(error: unknown, asked: Asked = ASKED): PortError {
  const found = nameError(error, asked);
  if (found instanceof PortError) return found;
  throw new Error('it was not named', { cause: found });
}

test('what no port can meet stays a bug: it is handed back as it came', () => {
  const bugs: readonly unknown[] = [
    'a text',
    null,
    new TypeError('x is not a function'),
    thrown('AbortError', 'cut off', { $metadata: { httpStatusCode: 503 } }),
    thrown('Error', 'no status', { $metadata: {} }),
    thrown('Error', 'a status that is a text', { $metadata: { httpStatusCode: '503' } }),
  ];
  for (const bug of bugs) assert.equal(nameError(bug, ASKED), bug);
  const mine = new PortError({ failure: 'timeout', message: 'It was named before.' });
  assert.equal(nameError(mine, ASKED), mine);
});

test('names who refused a status without a code only if the document came from AWS', () => {
  const metadata = { $metadata: { httpStatusCode: 403 } };
  assert.equal(named(thrown('NewKindOfRefusal', 'No.', metadata)).failure, 'denied');
  assert.equal(named(thrown('SyntaxError', 'Unexpected token', metadata)).failure, 'malformed');
  assert.equal(named(thrown('Odd', 'Deserialization failed', metadata)).failure, 'malformed');
  assert.equal(named(thrown('Odd', 'XML parse error', metadata)).failure, 'malformed');
  assert.equal(named(thrown('UnknownError', 'No.', metadata)).failure, 'malformed');
  const reply = { $response: { statusCode: 503, headers: {} } };
  assert.equal(named(thrown('Unknown', 'No.', reply)).failure, 'unavailable');
  const both = { $metadata: { httpStatusCode: 404 }, $response: { statusCode: 503 } };
  assert.equal(named(thrown('NewKindOfRefusal', 'No.', both)).failure, 'not-found');
});

test('reports a missing object behind a validation error as missing', () => {
  const missing = thrown('ValidationError', 'Stack with id web does not exist');
  assert.equal(named(missing).failure, 'not-found');
  assert.equal(named(thrown('ValidationError', 'Stack not found')).failure, 'not-found');
  assert.equal(named(thrown('ValidationError', 'Bad name')).failure, 'invalid');
  assert.equal(named(thrown('Throttling', 'The bucket does not exist')).failure, 'throttled');
});

test('a signature that is too old or too young is the clock’s fault, whatever its code', () => {
  const messages = [
    'Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z',
    'Signature not yet current: 20260101T001000Z',
    'Timestamp date is in the future',
  ];
  for (const message of messages) {
    const { failure, message: said } = named(thrown('SignatureDoesNotMatch', message));
    assert.equal(failure, 'unauthenticated');
    assert.match(said, /the clock of this machine is wrong/);
  }
  assert.match(named(thrown('SignatureDoesNotMatch', 'Check your key')).message, /not accepted/);
  assert.match(
    named(thrown('NewCode', 'Signature expired', { $metadata: { httpStatusCode: 400 } })).message,
    /refused as invalid \(NewCode\)/,
  );
});

test('renews an expired login but not other failures of the chain', () => {
  const sso = { ...ASKED, profile: { ...ASKED.profile, chosen: true, source: 'sso' as const } };
  for (const name of ['CredentialsProviderError', 'TokenProviderError']) {
    const expired = named(thrown(name, 'The SSO session has expired'), sso);
    assert.match(expired.message, /have expired; log in with `aws sso login --profile default`/);
  }
  const others: readonly (readonly [string, string])[] = [
    ['CredentialsProviderError', 'The SSO session is odd'],
    ['CredentialsProviderError', 'The token has expired'],
  ];
  for (const [name, message] of others)
    assert.match(named(thrown(name, message)).message, /No AWS credentials|gave no credentials/);
  const foreign = thrown('OtherError', 'The SSO session has expired');
  assert.equal(nameError(foreign, ASKED), foreign);
});

test('the code is that of Node or of AWS, and never words', () => {
  const status = { $metadata: { httpStatusCode: 400 } };
  const said = (name: string, fields: object = {}): string =>
    named(thrown(name, 'No.', { ...status, ...fields })).message;
  assert.match(said('InvalidInput'), /\(InvalidInput\)/);
  assert.match(said('Error', { code: 'InvalidInput' }), /\(InvalidInput\)/);
  assert.match(said('Error', { Code: 'InvalidInput' }), /\(InvalidInput\)/);
  assert.match(said('InvalidInput', { code: 'has two words' }), /\(InvalidInput\)/);
  assert.match(said('New Code of two words'), /\(HTTP 400\)/);
  assert.match(said(`Long${'g'.repeat(80)}`), /\(HTTP 400\)/);
});

test('addresses that all refuse come as one error, whose first has the code', () => {
  const refused = { errors: [{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }] };
  const { failure, message } = named(thrown('AggregateError', '', refused));
  assert.equal(failure, 'unreachable');
  assert.match(message, /^The ec2 API of eu-west-1 cannot be reached \(ECONNREFUSED\)/);
  const empty = thrown('AggregateError', '', { errors: [] });
  assert.equal(nameError(empty, ASKED), empty);
});

test('the host of the failure is named when it is a name', () => {
  const said = (fields: object): string =>
    named(thrown('Error', '', { code: 'ENOTFOUND', ...fields })).message;
  assert.match(
    said({ hostname: 'ec2.eu-west-1.amazonaws.com' }),
    /^ec2\.eu-west-1\.amazonaws\.com /,
  );
  assert.match(said({ host: 'ec2.eu-west-1.amazonaws.com' }), /^ec2\.eu-west-1\.amazonaws\.com /);
  assert.match(said({ hostname: '' }), /^The ec2 API of eu-west-1 has no address/);
  assert.match(said({ hostname: 'two words' }), /^The ec2 API of eu-west-1 has no address/);
  assert.match(said({ hostname: 'a'.repeat(254) }), /^The ec2 API/);
  assert.match(said({}), /there is no ec2 in eu-west-1, or DNS does not work here/);
  assert.doesNotMatch(named(thrown('E', '', { code: 'ECONNRESET' })).message, /DNS/);
});

test('the wait that a service asks for is a number of seconds, an hour at most', () => {
  const wait = (header: unknown): number | null =>
    named(thrown('Throttling', '', { $response: { headers: { 'retry-after': header } } }))
      .retryAfterMs;
  assert.deepEqual(['7', '0', '-1', 'Wed, 21 Oct', '999999', 7, undefined].map(wait), [
    7000,
    null,
    null,
    null,
    3_600_000,
    null,
    null,
  ]);
});

test('the permission that lacks is the one the refusal names', () => {
  const denied = (message: string): PortError => named(thrown('AccessDeniedException', message));
  const other = denied(
    'User: arn:aws:iam::1:user/me is not authorized to perform: iam:PassRole on',
  );
  assert.equal(other.permission, 'iam:PassRole');
  assert.match(other.message, /^arn:aws:iam::1:user\/me may not call iam:PassRole; allow/);
  assert.equal(denied('No.').permission, 'ec2:DescribeInstances');
  const small = 'User: arn:aws:iam::1:user/me is not authorized to perform: ec2:describeinstances';
  assert.equal(denied(small).permission, 'ec2:DescribeInstances');
  assert.equal(named(thrown('Throttling', 'is not authorized to perform: a:b')).permission, null);
});

test('a page, a redirection and a cut answer say what to look at', () => {
  const said = (...what: ConstructorParameters<typeof NoAnswerError>): PortError =>
    named(new NoAnswerError(...what));
  const statuses = [200, 429, 500, 501, 503];
  assert.deepEqual(
    statuses.map((status) => said({ kind: 'html', status }).failure),
    ['malformed', 'throttled', 'unavailable', 'malformed', 'unavailable'],
  );
  const cut = said({ kind: 'cut' });
  assert.equal(cut.failure, 'malformed');
  assert.match(cut.message, /cut off; try again$/);
  assert.match(said({ kind: 'too-long' }).message, /64 MiB; check AWS_ENDPOINT_URL/);
  assert.match(said({ kind: 'redirect', status: 301, to: 'a.b' }).message, /to a\.b \(HTTP 301\)/);
  assert.match(
    said({ kind: 'redirect', status: 301, to: null }).message,
    /redirected \(HTTP 301\)/,
  );
  assert.match(said({ kind: 'late', afterMs: 25_000 }).message, /no answer in 25 s/);
  assert.equal(said({ kind: 'late', afterMs: 25_000 }).failure, 'timeout');
});

test('a profile is a word for the shell in every command', () => {
  const said = (asked: Asked): string => named(new CredentialError('late'), asked).message;
  assert.match(said(OF_PROFILE), /--profile 'o'\\''hara'`$/);
  assert.match(
    said({ ...OF_PROFILE, profile: { ...OF_PROFILE.profile, name: 'team/dev' } }),
    /--profile team\/dev`$/,
  );
  assert.match(said(ASKED), /`aws sts get-caller-identity`$/);
  const keys = { ...OF_PROFILE.profile, source: 'environment' as const };
  const refused = named(thrown('InvalidClientTokenId', ''), { ...OF_PROFILE, profile: keys });
  assert.match(refused.message, /^The AWS keys in the environment are not accepted/);
  assert.match(refused.message, /`aws sts get-caller-identity`$/);
});

test('who gave no credentials is named by where they should come from', () => {
  const said = (source: Asked['profile']['source']): string =>
    named(new CredentialError('none'), { ...ASKED, profile: { ...ASKED.profile, source } }).message;
  assert.match(
    said('process'),
    /^The credential_process of profile default gave no credentials; see/,
  );
  assert.match(said('role'), /^The role of profile default/);
  assert.match(said('web-identity'), /^The web identity of/);
  assert.match(said('environment'), /^The environment of/);
  assert.match(said('keys'), /^The access key of/);
  assert.match(said('sso'), /^The SSO session of profile default gave no credentials; log in/);
  assert.equal(named(new CredentialError('none')).failure, 'unauthenticated');
  const none = named(new CredentialError('none'), {
    ...ASKED,
    profile: { ...ASKED.profile, source: 'none' },
  });
  assert.equal(none.failure, 'not-configured');
});
