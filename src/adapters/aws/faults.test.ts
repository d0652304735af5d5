import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PortError, PortFailure } from '../../ports/port-error.ts';
import {
  type Answer,
  allPages,
  DESCRIBE,
  ec2Error,
  failureOf,
  instances,
  inTurn,
  KEYS,
  openAt,
  serve,
  testClock,
} from './testing.ts';

const PAGE = { Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] };
const THROTTLED = ec2Error(503, 'RequestLimitExceeded');

test('a throttled call is sent again until it is answered, each time later', async (t) => {
  const clock = testClock();
  const aws = openAt(await serve(t, inTurn(THROTTLED, THROTTLED, instances('i-1'))), { clock });
  assert.deepEqual(await allPages(aws), [PAGE]);
  assert.deepEqual(aws.requests(), new Map([['ec2:DescribeInstances', 3]]));
  const [first = 0, second = 0] = clock.pauses;
  assert.ok(first > 0 && second > first);
});

test('a call that is always throttled stops after its tries and says so', async (t) => {
  const aws = openAt(await serve(t, inTurn(THROTTLED)));
  const failure = await failureOf(aws);
  assert.equal(failure.failure, 'throttled');
  assert.match(failure.message, /^ec2:DescribeInstances was throttled in eu-west-1/);
  assert.equal(aws.requests().get('ec2:DescribeInstances'), 4);
});

test('all calls of a service share one budget of retries', async (t) => {
  const aws = openAt(await serve(t, inTurn(THROTTLED)), { maxAttempts: 4 });
  const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(aws)));
  const sent = aws.requests().get('ec2:DescribeInstances') ?? 0;
  assert.ok(sent < 20 * 2, `${sent} requests were sent`);
  assert.ok(failures.every(({ failure }) => failure === 'throttled'));
  assert.ok(failures.some(({ message }) => message.includes('retries of this run are used up')));
});

test('the wait that the service asks for is kept', async (t) => {
  const clock = testClock();
  const later = { ...THROTTLED, headers: { 'retry-after': '7' } };
  await allPages(openAt(await serve(t, inTurn(later, instances('i-1'))), { clock }));
  assert.ok(clock.pauses.includes(7000));
});

interface Case {
  readonly name: string;
  readonly answer: Answer;
  readonly failure: PortFailure;
  readonly says: RegExp;
}

const WHO = 'arn:aws:sts::123456789012:assumed-role/reader/me';
const DENIED = `You are not authorized to perform this operation. User: ${WHO} is not authorized to perform: ec2:DescribeInstances`;
const ENCODED = 'Encoded authorization failure message: SECRETSECRETSECRET';

const CASES: readonly Case[] = [
  {
    name: 'denied, as no policy allows it',
    answer: ec2Error(
      403,
      'UnauthorizedOperation',
      `${DENIED} because no identity-based policy allows the ec2:DescribeInstances action. ${ENCODED}`,
    ),
    failure: 'denied',
    says: /reader\/me may not call ec2:DescribeInstances: no identity-based policy allows it; allow/,
  },
  {
    name: 'denied by an organization',
    answer: ec2Error(
      403,
      'UnauthorizedOperation',
      `${DENIED} with an explicit deny in a service control policy. ${ENCODED}`,
    ),
    failure: 'denied',
    says: /a service control policy denies it/,
  },
  {
    name: 'denied without words',
    answer: ec2Error(403, 'UnauthorizedOperation'),
    failure: 'denied',
    says: /^The AWS keys in the environment may not call ec2:DescribeInstances; allow/,
  },
  {
    name: 'an expired token',
    answer: ec2Error(400, 'ExpiredToken'),
    failure: 'unauthenticated',
    says: /^The AWS keys in the environment have expired; renew them/,
  },
  {
    name: 'keys that AWS does not know',
    answer: ec2Error(401, 'AuthFailure'),
    failure: 'unauthenticated',
    says: /not accepted .* check them with `aws sts get-caller-identity`/,
  },
  {
    name: 'a wrong clock',
    answer: ec2Error(
      403,
      'SignatureDoesNotMatch',
      'Signature expired: 20260101T000000Z is now earlier than 20260101T010000Z',
    ),
    failure: 'unauthenticated',
    says: /because the clock of this machine is wrong/,
  },
  {
    name: 'a region that was not enabled',
    answer: ec2Error(401, 'OptInRequired'),
    failure: 'not-configured',
    says: /aws account enable-region --region-name eu-west-1/,
  },
  {
    name: 'an instance that is not there',
    answer: ec2Error(400, 'InvalidInstanceID.NotFound'),
    failure: 'not-found',
    says: /found no such object in eu-west-1/,
  },
  {
    name: 'an id that is none',
    answer: ec2Error(400, 'InvalidInstanceID.Malformed'),
    failure: 'invalid',
    says: /refused as invalid \(InvalidInstanceID\.Malformed\)/,
  },
  {
    name: 'an action that the endpoint lacks',
    answer: ec2Error(400, 'InvalidAction'),
    failure: 'unsupported',
    says: /does not exist at this endpoint/,
  },
  {
    name: 'a code that nobody knows, by its status',
    answer: ec2Error(418, 'Teapot'),
    failure: 'invalid',
    says: /Teapot/,
  },
  {
    name: 'a web page where XML was expected',
    answer: { status: 200, body: '<!DOCTYPE html><html><body>Log in</body></html>' },
    failure: 'malformed',
    says: /answered with a web page \(HTTP 200\); check AWS_ENDPOINT_URL/,
  },
  {
    name: 'a web page that says not found',
    answer: { status: 404, body: '<html>404</html>' },
    failure: 'malformed',
    says: /web page \(HTTP 404\)/,
  },
  {
    name: 'a refusal of somebody on the way',
    answer: { status: 403, body: 'Blocked by policy' },
    failure: 'malformed',
    says: /not of AWS \(HTTP 403\)/,
  },
  {
    name: 'half a document',
    answer: { body: '<DescribeInstancesResponse><reservationSet><item></item>' },
    failure: 'malformed',
    says: /document that is cut off/,
  },
  {
    name: 'another document',
    answer: { body: '<Hello><there/></Hello>' },
    failure: 'malformed',
    says: /without Reservations/,
  },
  {
    name: 'nothing at all',
    answer: { body: '' },
    failure: 'malformed',
    says: /without Reservations/,
  },
  {
    name: 'a redirect',
    answer: { status: 302, headers: { location: 'https://login.example/x?token=1' } },
    failure: 'malformed',
    says: /redirected to login\.example \(HTTP 302\)/,
  },
  {
    name: 'a service that is down',
    answer: ec2Error(503, 'Unavailable'),
    failure: 'unavailable',
    says: /failed inside AWS/,
  },
  {
    name: 'a load balancer without a service',
    answer: { status: 502, body: '<html>Bad Gateway</html>' },
    failure: 'unavailable',
    says: /web page \(HTTP 502\)/,
  },
];

for (const { name, answer, failure, says } of CASES) {
  test(`${name} is named ${failure}`, async (t) => {
    const named = await failureOf(openAt(await serve(t, inTurn(answer)), { maxAttempts: 1 }));
    assert.equal(named.failure, failure);
    assert.match(named.message, says);
    checkSilence(named);
    assert.equal(named.permission, failure === 'denied' ? 'ec2:DescribeInstances' : null);
  });
}

/** One sentence, nothing that must not be shown. */
function checkSilence({ message }: PortError): void {
  assert.doesNotMatch(message, /SECRET|keyOfTheTest|token=1|\n/);
}

test('a refusal that tells the time is answered with it', async (t) => {
  const refusal = ec2Error(
    403,
    'SignatureDoesNotMatch',
    'Signature expired: x is now earlier than y',
  );
  const date = new Date(Date.now() + 7_200_000).toUTCString();
  const aws = openAt(await serve(t, inTurn({ ...refusal, headers: { date } }, instances('i-1'))));
  assert.deepEqual(await allPages(aws), [PAGE]);
  assert.equal(aws.requests().get('ec2:DescribeInstances'), 2);
});

test('a dependent permission is the one that is named', async (t) => {
  const answer = ec2Error(
    403,
    'AccessDenied',
    `User: ${WHO} is not authorized to perform: sts:AssumeRole on resource: x`,
  );
  const named = await failureOf(openAt(await serve(t, inTurn(answer))));
  assert.equal(named.permission, 'sts:AssumeRole');
});

test('a connection that is reset is unreachable, after its tries', async (t) => {
  const url = await serve(t, (request) => request.socket.resetAndDestroy());
  const aws = openAt(url);
  const named = await failureOf(aws);
  assert.equal(named.failure, 'unreachable');
  assert.match(named.message, /cannot be reached \(ECONNRESET\); check the route/);
  assert.equal(aws.requests().get('ec2:DescribeInstances'), 4);
});

test('an answer that breaks off is not taken for a short one', async (t) => {
  const url = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100000' });
    response.write('<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>', () =>
      response.destroy(),
    );
  });
  const named = await failureOf(openAt(url, { maxAttempts: 1 }));
  assert.equal(named.failure, 'unreachable');
});

test('a service that does not exist in a region has no address', async () => {
  const env = { ...KEYS, AWS_CONFIG_FILE: '/dev/null', AWS_ENDPOINT_URL: 'http://eks.invalid' };
  const aws = openAt('', { env });
  const call = { service: 'eks', operation: 'ListClusters', input: {} } as const;
  const named = await failureOf(aws, call);
  assert.equal(named.failure, 'unreachable');
});

test('a server that never answers is a timeout', async (t) => {
  const clock = testClock();
  const url = await serve(t, () => {
    clock.expire(30_000);
  });
  const named = await failureOf(openAt(url, { clock, maxAttempts: 1 }));
  assert.equal(named.failure, 'timeout');
  assert.match(named.message, /gave no answer in 30 s/);
});

test('a server that begins an answer and never ends it is a timeout', async (t) => {
  const clock = testClock();
  const url = await serve(t, (_request, response) => {
    response.write('<DescribeInstancesResponse>', () => {
      clock.expire(30_000);
    });
  });
  const named = await failureOf(openAt(url, { clock, maxAttempts: 1 }));
  assert.equal(named.failure, 'timeout');
});

test('a call that is aborted ends with the reason', async (t) => {
  const stop = new AbortController();
  const url = await serve(t, () => {
    stop.abort(new Error('asked to stop'));
  });
  await assert.rejects(allPages(openAt(url), DESCRIBE, stop.signal), { message: 'asked to stop' });
});

test('pages follow one another by their tokens', async (t) => {
  const bodies: string[] = [];
  const url = await serve(t, (request, response, count) => {
    request.on('data', (chunk) => bodies.push(String(chunk)));
    const answers = [instances('i-1', 'more'), instances('i-2')];
    request.on('end', () => {
      inTurn(answers[count] ?? {})(request, response, 0);
    });
  });
  const ids = (await allPages(openAt(url))).map((page) => JSON.stringify(page));
  assert.deepEqual(
    ids,
    ['i-1', 'i-2'].map((id) => `{"Reservations":[{"Instances":[{"InstanceId":"${id}"}]}]}`),
  );
  assert.match(bodies[0] ?? '', /MaxResults=1000/);
  assert.match(bodies[1] ?? '', /NextToken=more/);
});

test('pages that lead back to themselves are ended', async (t) => {
  const named = await failureOf(openAt(await serve(t, inTurn(instances('i-1', 'again')))));
  assert.equal(named.failure, 'malformed');
  assert.match(named.message, /pages without end/);
});

test('an operation that is not among ours is a bug, and not sent', async (t) => {
  const aws = openAt(await serve(t, inTurn({})));
  const call = { service: 'ec2', operation: 'TerminateInstances', input: {} } as const;
  await assert.rejects(allPages(aws, call), TypeError);
  assert.equal(aws.requests().size, 0);
});
