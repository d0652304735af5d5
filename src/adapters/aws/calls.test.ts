import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeInstances$ } from '@aws-sdk/client-ec2';
import { NormalizedSchema } from '@smithy/core/schema';
import { AWS_SERVICES } from '../../ports/aws-api.ts';
import { CALLS, type CallShape, shapeOf } from './calls.ts';
import { loadService } from './clients.ts';

const OPERATIONS = AWS_SERVICES.flatMap((service) =>
  Object.entries(CALLS[service]).map(([operation, shape]) => ({ service, operation, shape })),
);

test('every call only reads', () => {
  assert.ok(OPERATIONS.length > 50);
  for (const { service, operation } of OPERATIONS) {
    if (operation === 'SendCommand') continue;
    assert.match(operation, /^(?:Describe|Filter|List|Get|Lookup|Simulate)[A-Z]/, service);
  }
});

test('of commands to machines only the document that reads is sent', () => {
  const { only } = shapeOf('ssm', 'SendCommand') ?? assert.fail('it is not there');
  assert.ok(only !== undefined);
  assert.equal(only({ DocumentName: 'Rollcall-ReadLogs', InstanceIds: ['i-1'] }), true);
  for (const input of [
    { DocumentName: 'AWS-RunShellScript' },
    { DocumentName: 'Rollcall-ReadLogs', Parameters: { commands: ['reboot'] } },
    {},
  ])
    assert.equal(only(input), false);
});

test('a name outside the table has no shape, even a member of all objects', () => {
  assert.equal(shapeOf('ec2', 'TerminateInstances'), null);
  assert.equal(shapeOf('iam', 'constructor'), null);
  assert.equal(shapeOf('iam', 'DescribeInstances'), null);
});

for (const service of AWS_SERVICES) {
  test(`the SDK has every call of ${service}`, async () => {
    const { client, command } = await loadService(service, { region: 'eu-west-1' });
    for (const operation of Object.keys(CALLS[service])) {
      assert.equal(command(operation, {}).constructor.name, `${operation}Command`);
    }
    client.destroy();
  });
}

test('only members that are in the call are times', () => {
  const timed = OPERATIONS.filter(({ shape }) => shape.times.length > 0);
  assert.deepEqual(
    timed.map(({ operation }) => operation),
    ['DescribeSpotPriceHistory', 'LookupEvents'],
  );
});

/** What the SDK says of an operation. */
type OperationSchema = typeof DescribeInstances$;

interface Model {
  readonly input: ReadonlyMap<string, NormalizedSchema>;
  readonly output: ReadonlyMap<string, NormalizedSchema>;
}

function modelOf(command: object): Model {
  const schema = 'schema' in command ? command.schema : null;
  const where =
    'commands of the AWS SDK no longer carry their schema (StaticOperationSchema of ' +
    '@smithy/types); adapt src/adapters/aws/calls.test.ts';
  assert.ok(Array.isArray(schema) && schema.length === 6, where);
  const [, , , , input, output] = schema as OperationSchema;
  const membersOf = (one: typeof input): Model['input'] =>
    new Map(NormalizedSchema.of(one).structIterator());
  return { input: membersOf(input), output: membersOf(output) };
}

function isTime(member: NormalizedSchema | undefined): boolean {
  return member?.isTimestampSchema() === true;
}

/** Members of the table that the service does not have. */
function strangers({ result, paging, times }: CallShape, { input, output }: Model): object {
  const asked = [
    ...Object.keys(paging?.tokens ?? {}),
    ...(paging?.limit ? [paging.limit.member] : []),
  ];
  return {
    asked: asked.filter((member) => !input.has(member)),
    answered: [result, ...Object.values(paging?.tokens ?? {})].filter((one) => !output.has(one)),
    times: times.filter((member) => !isTime(input.get(member))),
  };
}

for (const service of AWS_SERVICES) {
  test(`results, page tokens, limits and times of ${service} are members of its model`, async () => {
    const { client, command } = await loadService(service, { region: 'eu-west-1' });
    client.destroy();
    for (const [operation, shape] of Object.entries(CALLS[service])) {
      const model = modelOf(command(operation, {}));
      const none = { asked: [], answered: [], times: [] };
      assert.deepEqual(strangers(shape, model), none, operation);
      const timed = [...model.input].filter(([, member]) => isTime(member)).map(([name]) => name);
      if (shape.times.length > 0) assert.deepEqual(timed.toSorted(), shape.times.toSorted());
      const goesOn = ['NextToken', 'nextToken', 'Marker'].filter((name) => model.output.has(name));
      const followed = Object.values(shape.paging?.tokens ?? {});
      assert.deepEqual(
        goesOn.filter((name) => !followed.includes(name)),
        [],
        operation,
      );
    }
  });
}

test('secrets and raw requests of answers are left out', () => {
  const token = { authorizationData: [{ authorizationToken: 'secret', expiresAt: 1 }, 'odd'] };
  assert.deepEqual(shapeOf('ecr', 'GetAuthorizationToken')?.reshape?.(token), {
    authorizationData: [{ expiresAt: 1 }, 'odd'],
  });
  const events = { Events: [{ EventName: 'RunInstances', CloudTrailEvent: '{}' }, 7] };
  assert.deepEqual(shapeOf('cloudtrail', 'LookupEvents')?.reshape?.(events), {
    Events: [{ EventName: 'RunInstances' }, 7],
  });
  for (const odd of [{ Events: 'none' }, { authorizationData: null }, {}]) {
    assert.equal(shapeOf('cloudtrail', 'LookupEvents')?.reshape?.(odd), odd);
    assert.equal(shapeOf('ecr', 'GetAuthorizationToken')?.reshape?.(odd), odd);
  }
});
