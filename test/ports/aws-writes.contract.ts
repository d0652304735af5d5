/** What every AwsWrites must do, the simulated one and the one behind the SDK. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import type { AwsApi, AwsCall } from '../../src/ports/aws-api.ts';
import type { AwsWrites } from '../../src/ports/aws-writes.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';

/** One AWS, and what a test does to it from outside. */
export interface AwsWritesSubject {
  readonly writes: AwsWrites;
  readonly aws: AwsApi;
  /** Creates an interface that is attached to nothing; returns its id. */
  readonly createInterface: () => Promise<string>;
  readonly deny: (permission: string) => void;
  readonly throttle: (permission: string) => void;
}

export interface AwsWritesSubjects {
  readonly name: string;
  readonly skip: string | false;
  readonly open: (t: TestContext) => Promise<AwsWritesSubject>;
}

const DELETE = 'ec2:DeleteNetworkInterface';
const NOW = { isDryRun: false, token: 'intention-1' };
const DRY = { ...NOW, isDryRun: true };

function deletion(NetworkInterfaceId: string): AwsCall {
  return { service: 'ec2', operation: 'DeleteNetworkInterface', input: { NetworkInterfaceId } };
}

const ACCESS: AwsCall = {
  service: 'eks',
  operation: 'AssociateAccessPolicy',
  input: { clusterName: 'lab', principalArn: 'arn:aws:iam::123456789012:role/x' },
};

async function failureOf(call: Promise<unknown>): Promise<PortError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof PortError, `it did not fail as a port does: ${String(error)}`);
  return error;
}

async function interfaceAt(aws: AwsApi, id: string): Promise<JsonObject> {
  const input = { NetworkInterfaceIds: [id] };
  for await (const page of aws.pages({
    service: 'ec2',
    operation: 'DescribeNetworkInterfaces',
    input,
  }))
    return listAt(page, 'NetworkInterfaces')[0] as JsonObject;
  throw new Error('there was no page');
}

async function absence(aws: AwsApi, id: string): Promise<PortFailure> {
  return (await failureOf(interfaceAt(aws, id))).failure;
}

/** Declares the tests of one kind of AWS. */
export function awsWritesContract({ name, skip, open }: AwsWritesSubjects): void {
  const check: CheckOne = (what, body) => {
    test(`${name}: ${what}`, { skip }, async (t) => await body(await open(t)));
  };
  writing(check);
  refusing(check);
}

type CheckOne = (what: string, body: (subject: AwsWritesSubject) => Promise<void>) => void;

function writing(check: CheckOne): void {
  check('a dry run of a deletion deletes nothing', async ({ writes, aws, createInterface }) => {
    const id = await createInterface();
    assert.deepEqual(await writes.write(deletion(id), DRY), {});
    assert.equal(textAt(await interfaceAt(aws, id), 'NetworkInterfaceId'), id);
  });

  check('an interface is deleted once', async ({ writes, aws, createInterface }) => {
    const id = await createInterface();
    await writes.write(deletion(id), NOW);
    assert.equal(await absence(aws, id), 'not-found');
    assert.equal((await failureOf(writes.write(deletion(id), NOW))).failure, 'not-found');
    assert.deepEqual(writes.requests(), new Map([[DELETE, 2]]));
  });

  check('an object gets its tags', async ({ writes, aws, createInterface }) => {
    const id = await createInterface();
    const input = { Resources: [id], Tags: [{ Key: 'owner', Value: 'rollcall' }] };
    await writes.write({ service: 'ec2', operation: 'CreateTags', input }, NOW);
    const { TagSet } = await interfaceAt(aws, id);
    assert.deepEqual(TagSet, [{ Key: 'owner', Value: 'rollcall' }]);
  });
}

function refusing(check: CheckOne): void {
  check('a dry run that AWS does not have is not sent', async ({ writes }) => {
    assert.equal((await failureOf(writes.write(ACCESS, DRY))).failure, 'unsupported');
    assert.equal(writes.requests().size, 0);
  });

  check('what is not on the list is not sent', async ({ writes }) => {
    for (const [service, operation] of [
      ['ec2', 'TerminateInstances'],
      ['ec2', 'DescribeInstances'],
      ['ec2', 'toString'],
      ['eks', 'DeleteNetworkInterface'],
    ] as const)
      await assert.rejects(writes.write({ service, operation, input: {} }, NOW), TypeError);
    assert.equal(writes.requests().size, 0);
  });

  check('who reads cannot write', async ({ aws }) => {
    const reading = aws.pages(deletion('eni-1'))[Symbol.asyncIterator]().next();
    await assert.rejects(Promise.resolve(reading), TypeError);
    assert.equal(aws.requests().size, 0);
  });

  check('a refusal names the permission', async ({ writes, aws, deny, createInterface }) => {
    const id = await createInterface();
    deny(DELETE);
    for (const options of [DRY, NOW]) {
      const refusal = await failureOf(writes.write(deletion(id), options));
      assert.deepEqual([refusal.failure, refusal.permission], ['denied', DELETE]);
    }
    assert.equal(textAt(await interfaceAt(aws, id), 'NetworkInterfaceId'), id);
  });

  check('a throttled write is sent once', async ({ writes, throttle }) => {
    throttle(DELETE);
    const refusal = await failureOf(writes.write(deletion('eni-0123456789abcdef0'), NOW));
    assert.equal(refusal.failure, 'throttled');
    assert.deepEqual(writes.requests(), new Map([[DELETE, 1]]));
  });

  check('a write that was aborted is not sent', async ({ writes }) => {
    const signal = AbortSignal.abort(new Error('asked to stop'));
    const call = writes.write(deletion('eni-0123456789abcdef0'), { ...NOW, signal });
    await assert.rejects(call, { message: 'asked to stop' });
    assert.equal(writes.requests().size, 0);
  });
}
