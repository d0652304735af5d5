import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AWS_SERVICES } from '../../ports/aws-api.ts';
import { CALLS, type CallShape, shapeOf } from './calls.ts';
import { loadService } from './clients.ts';

const OPERATIONS = AWS_SERVICES.flatMap((service) =>
  Object.entries(CALLS[service]).map(([operation, shape]) => ({ service, operation, shape })),
);

test('every call only reads', () => {
  assert.ok(OPERATIONS.length > 50);
  for (const { service, operation } of OPERATIONS) {
    assert.match(operation, /^(?:Describe|List|Get|Lookup|Simulate)[A-Z]/, service);
  }
});

test('a name outside the table has no shape, even a member of all objects', () => {
  assert.equal(shapeOf('ec2', 'TerminateInstances'), null);
  assert.equal(shapeOf('iam', 'constructor'), null);
  assert.equal(shapeOf('iam', 'DescribeInstances'), null);
});

for (const service of AWS_SERVICES) {
  test(`the SDK has every call of ${service}`, async () => {
    const { client, command } = loadService(service, { region: 'eu-west-1' });
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

/** The members of a request or an answer as the SDK models it: `[kind, namespace, name, traits, names, shapes]`. */
function membersOf(read: unknown): ReadonlyMap<string, unknown> {
  const structure: unknown = typeof read === 'function' ? read() : read;
  assert.ok(Array.isArray(structure));
  const [, , , , names, shapes] = structure as readonly unknown[];
  assert.ok(Array.isArray(names) && Array.isArray(shapes));
  return new Map(names.map((name: string, index) => [name, (shapes as unknown[])[index]]));
}

/** A shape stands alone or with its traits. */
function isTime(shape: unknown): boolean {
  const bare: unknown = Array.isArray(shape) ? shape[0] : shape;
  return typeof bare === 'number' && bare >= 4 && bare <= 7;
}

interface Model {
  readonly input: ReadonlyMap<string, unknown>;
  readonly output: ReadonlyMap<string, unknown>;
}

function modelOf(command: object): Model {
  const schema = 'schema' in command ? command.schema : null;
  assert.ok(Array.isArray(schema));
  const [, , , , input, output] = schema as readonly unknown[];
  return { input: membersOf(input), output: membersOf(output) };
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
  test(`results, page tokens, limits and times of ${service} are members of its model`, () => {
    const { client, command } = loadService(service, { region: 'eu-west-1' });
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
