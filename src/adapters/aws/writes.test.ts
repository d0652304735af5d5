import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { AwsCall } from '../../ports/aws-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { type Answer, ec2Error, inTurn, KEYS, serve, testClock } from './testing.ts';
import { type OpenedAwsWrites, openAwsWrites } from './writes.ts';

const DELETE: AwsCall = {
  service: 'ec2',
  operation: 'DeleteNetworkInterface',
  input: { NetworkInterfaceId: 'eni-1' },
};
const NOW = { isDryRun: false, token: 'intention-1' };

function writesAt(t: TestContext, url: string, clock = testClock()): OpenedAwsWrites {
  const writes = openAwsWrites({
    region: 'eu-west-1',
    profile: null,
    env: { ...KEYS, AWS_CONFIG_FILE: '/dev/null', AWS_ENDPOINT_URL: url },
    clock,
    random: { next: () => 0 },
  });
  t.after(() => {
    writes.close();
  });
  return writes;
}

async function failureOf(
  writes: OpenedAwsWrites,
  isDryRun = false,
  call = DELETE,
): Promise<PortError> {
  const error: unknown = await writes
    .write(call, { ...NOW, isDryRun })
    .catch((one: unknown) => one);
  assert.ok(error instanceof PortError, JSON.stringify(error));
  return error;
}

const PAGE = {
  body: '<!DOCTYPE html><title>Sign in</title>',
  headers: { 'content-type': 'text/html' },
};

const ATTACHED = "Network interface 'eni-1' is currently in use.";

const CASES: readonly (readonly [string, Answer, PortFailure, PortFailure])[] = [
  ['an error inside AWS', ec2Error(500, 'InternalError'), 'unclear', 'unavailable'],
  ['AWS that is away', ec2Error(503, 'Unavailable'), 'unclear', 'unavailable'],
  ['a gateway out of time', { status: 504 }, 'unclear', 'unavailable'],
  ['a web page', PAGE, 'unclear', 'malformed'],
  ['throttling', ec2Error(503, 'RequestLimitExceeded'), 'throttled', 'throttled'],
  ['an interface in use', ec2Error(400, 'InvalidNetworkInterface.InUse'), 'conflict', 'conflict'],
  [
    'an attached interface',
    ec2Error(400, 'InvalidParameterValue', ATTACHED),
    'conflict',
    'conflict',
  ],
  ['a dependency', ec2Error(400, 'DependencyViolation'), 'conflict', 'conflict'],
  ['nothing there', ec2Error(400, 'InvalidNetworkInterfaceID.NotFound'), 'not-found', 'not-found'],
  ['a refusal', ec2Error(403, 'UnauthorizedOperation'), 'denied', 'denied'],
  ['a wrong id', ec2Error(400, 'InvalidParameterValue'), 'invalid', 'invalid'],
];

for (const [what, answer, failure, ofDryRun] of CASES)
  test(`a write answered with ${what} is ${failure}, and is sent once`, async (t) => {
    const writes = writesAt(t, await serve(t, inTurn(answer)));
    assert.equal((await failureOf(writes)).failure, failure);
    assert.deepEqual(writes.requests(), new Map([['ec2:DeleteNetworkInterface', 1]]));
    assert.equal((await failureOf(writes, true)).failure, ofDryRun);
  });

test('a connection that is cut leaves a write unclear', async (t) => {
  const url = await serve(t, (request) => request.socket.destroy());
  const failure = await failureOf(writesAt(t, url));
  assert.equal(failure.failure, 'unclear');
  assert.match(failure.message, /^Whether ec2:DeleteNetworkInterface in eu-west-1 took effect/);
});

test('a write without an answer in time is unclear', async (t) => {
  const clock = testClock();
  const url = await serve(t, () => clock.expire(30_000));
  assert.equal((await failureOf(writesAt(t, url, clock))).failure, 'unclear');
});

test('a write to a port at which nothing listens was not sent', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  assert.equal((await failureOf(writesAt(t, `http://127.0.0.1:${port}`))).failure, 'unreachable');
});

test('a dry run of a call that would be allowed is answered with nothing', async (t) => {
  const writes = writesAt(t, await serve(t, inTurn(ec2Error(412, 'DryRunOperation'))));
  assert.deepEqual(await writes.write(DELETE, { ...NOW, isDryRun: true }), {});
});

async function bodyOf(t: TestContext, call: AwsCall): Promise<string> {
  let body = '';
  const url = await serve(t, (request, response) => {
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => response.writeHead(403).end('{}'));
  });
  await failureOf(writesAt(t, url), false, call);
  return body;
}

test('a token is sent where the API takes one, so that a call that comes twice counts once', async (t) => {
  const input = { clusterName: 'lab', principalArn: 'arn:aws:iam::1:role/x' };
  for (const operation of ['CreateAccessEntry', 'UpdateAccessEntry'])
    assert.match(
      await bodyOf(t, { service: 'eks', operation, input }),
      /"clientRequestToken":"intention-1"/,
    );
  const policy = { ...input, policyArn: 'arn:x', accessScope: { type: 'cluster' } };
  const call = { service: 'eks', operation: 'AssociateAccessPolicy', input: policy } as const;
  assert.doesNotMatch(await bodyOf(t, call), /intention-1/);
});

test('an instance is ended and a hook completed by their groups', async (t) => {
  const input = { InstanceId: 'i-1', ShouldDecrementDesiredCapacity: false };
  const operation = 'TerminateInstanceInAutoScalingGroup';
  assert.match(await bodyOf(t, { service: 'autoscaling', operation, input }), /InstanceId=i-1/);
  const hook = {
    LifecycleHookName: 'h',
    AutoScalingGroupName: 'g',
    LifecycleActionResult: 'CONTINUE',
    InstanceId: 'i-1',
  };
  const completed = { service: 'autoscaling', operation: 'CompleteLifecycleAction' } as const;
  assert.match(await bodyOf(t, { ...completed, input: hook }), /LifecycleActionResult=CONTINUE/);
});

test('what is there already is distinguished from what is in use', async (t) => {
  const error = (code: string): Answer => ({
    status: 409,
    headers: { 'x-amzn-errortype': code, 'content-type': 'application/json' },
    body: '{"message":"It is there."}',
  });
  const input = { clusterName: 'lab', principalArn: 'arn:aws:iam::1:role/x' };
  for (const [operation, failure, words] of [
    [
      'CreateAccessEntry',
      'already-exists',
      /^eks:CreateAccessEntry in eu-west-1 found it there already \(ResourceInUseException\);/,
    ],
    [
      'UpdateAccessEntry',
      'conflict',
      /^eks:UpdateAccessEntry in eu-west-1 met it in use \(ResourceInUseException\);/,
    ],
  ] as const) {
    const writes = writesAt(t, await serve(t, inTurn(error('ResourceInUseException'))));
    const told = await failureOf(writes, false, { service: 'eks', operation, input });
    assert.equal(told.failure, failure);
    assert.match(told.message, words);
  }
});

test('a bug while a write is sent is thrown as it is', async (t) => {
  const writes = writesAt(t, 'http://127.0.0.1:1');
  const call = { ...DELETE, operation: 'DescribeInstances' };
  await assert.rejects(writes.write(call, NOW), TypeError);
  assert.deepEqual(writes.requests(), new Map());
});
