import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AWS_SERVICES } from '../../ports/aws-api.ts';
import { CALLS, shapeOf } from './calls.ts';
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

test('what is not in the table has no shape, members of all objects included', () => {
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
