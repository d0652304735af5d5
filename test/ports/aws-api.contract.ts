/** What every AWS must do, the one in memory and the one behind the SDK. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { AwsApi, AwsCall } from '../../src/ports/aws-api.ts';
import { PortError } from '../../src/ports/port-error.ts';

/** One AWS, and what a test does to it from outside. */
export interface AwsSubject {
  readonly aws: AwsApi;
  /** Launches instances one by one; returns their ids. */
  readonly launch: (count: number) => Promise<readonly string[]>;
  readonly deny: (permission: string) => void;
  /** Throttles so many requests; without `times` all. */
  readonly throttle: (permission: string, times?: number) => void;
}

export interface AwsSubjects {
  readonly name: string;
  readonly skip: string | false;
  readonly open: (t: TestContext) => Promise<AwsSubject>;
}

const INSTANCES = 'ec2:DescribeInstances';
const DESCRIBE: AwsCall = { service: 'ec2', operation: 'DescribeInstances', input: {} };

async function collect(
  aws: AwsApi,
  call: AwsCall,
  signal?: AbortSignal,
): Promise<readonly JsonObject[]> {
  const pages: JsonObject[] = [];
  for await (const page of aws.pages(call, signal)) pages.push(page);
  return pages;
}

async function failure(aws: AwsApi, call: AwsCall): Promise<PortError> {
  try {
    await collect(aws, call);
  } catch (error) {
    if (error instanceof PortError) return error;
    throw error;
  }
  throw new Error('the call was answered');
}

function idsIn(pages: readonly JsonObject[]): readonly string[] {
  const found = [...JSON.stringify(pages).matchAll(/"InstanceId":"(i-[0-9a-f]+)"/g)];
  return found.map(([, id = '']) => id);
}

/** Declares the tests of one kind of AWS. */
export function awsContract(subjects: AwsSubjects): void {
  answersContract(subjects);
  failuresContract(subjects);
}

function answersContract({ name, skip, open }: AwsSubjects): void {
  test(`${name}: the region and its partition are known`, { skip }, async (t) => {
    const { aws } = await open(t);
    assert.equal(aws.region, 'us-west-2');
    assert.equal(aws.partition, 'aws');
  });

  test(`${name}: every object comes once, page by page`, { skip }, async (t) => {
    const { aws, launch } = await open(t);
    const launched = await launch(7);
    const pages = await collect(aws, { ...DESCRIBE, input: { MaxResults: 5 } });
    assert.equal(pages.length, 2);
    assert.deepEqual(idsIn(pages).toSorted(), launched.toSorted());
    assert.deepEqual(aws.requests(), new Map([[INSTANCES, 2]]));
  });

  test(`${name}: pages are JSON as the command line prints it`, { skip }, async (t) => {
    const { aws, launch } = await open(t);
    await launch(1);
    const pages = await collect(aws, DESCRIBE);
    assert.deepEqual(pages, JSON.parse(JSON.stringify(pages)));
    assert.deepEqual(Object.keys(pages[0] ?? {}), ['Reservations']);
    assert.match(JSON.stringify(pages), /"LaunchTime":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
  });

  test(`${name}: where there is nothing the list is empty`, { skip }, async (t) => {
    const { aws } = await open(t);
    assert.deepEqual(await collect(aws, DESCRIBE), [{ Reservations: [] }]);
  });

  test(`${name}: a call without pages gives one`, { skip }, async (t) => {
    const { aws } = await open(t);
    const call = { service: 'sts', operation: 'GetCallerIdentity', input: {} } as const;
    const [identity, ...further] = await collect(aws, call);
    assert.deepEqual(Object.keys(identity ?? {}).toSorted(), ['Account', 'Arn', 'UserId']);
    assert.deepEqual(further, []);
  });
}

function failuresContract({ name, skip, open }: AwsSubjects): void {
  test(`${name}: a refusal names the permission`, { skip }, async (t) => {
    const { aws, deny } = await open(t);
    deny(INSTANCES);
    const refusal = await failure(aws, DESCRIBE);
    assert.equal(refusal.failure, 'denied');
    assert.equal(refusal.permission, INSTANCES);
    assert.equal(aws.requests().get(INSTANCES), 1);
  });

  test(`${name}: throttled calls are sent again, and counted`, { skip }, async (t) => {
    const { aws, throttle } = await open(t);
    throttle(INSTANCES, 2);
    assert.deepEqual(await collect(aws, DESCRIBE), [{ Reservations: [] }]);
    assert.equal(aws.requests().get(INSTANCES), 3);
  });

  test(`${name}: calls that stay throttled end so`, { skip }, async (t) => {
    const { aws, throttle } = await open(t);
    throttle(INSTANCES);
    assert.equal((await failure(aws, DESCRIBE)).failure, 'throttled');
    assert.equal(aws.requests().get(INSTANCES), 4);
  });

  test(`${name}: an instance that is not there is not found`, { skip }, async (t) => {
    const { aws } = await open(t);
    const input = { InstanceIds: ['i-0123456789abcdef0'] };
    assert.equal((await failure(aws, { ...DESCRIBE, input })).failure, 'not-found');
  });

  test(`${name}: an operation that it does not know is a bug`, { skip }, async (t) => {
    const { aws } = await open(t);
    await assert.rejects(collect(aws, { ...DESCRIBE, operation: 'RunInstances' }), TypeError);
    assert.equal(aws.requests().size, 0);
  });

  test(`${name}: a call that was aborted is not made`, { skip }, async (t) => {
    const { aws } = await open(t);
    const signal = AbortSignal.abort(new Error('asked to stop'));
    await assert.rejects(collect(aws, DESCRIBE, signal), { message: 'asked to stop' });
    assert.equal(aws.requests().size, 0);
  });
}
