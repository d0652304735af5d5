/** A simulated account behind a door, and AWS opened through it by our own adapter. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type OpenedAws, openAws } from '../../../src/adapters/aws/open.ts';
import { testClock } from '../../../src/adapters/aws/testing.ts';
import { type AwsDoor, type AwsDoorOptions, openAwsDoor } from '../../../src/doors/aws/door.ts';
import type { AwsCloudOptions } from '../../../src/sim/aws/options.ts';
import { smallAws, type SmallAws } from '../../sim/aws/world.ts';

export interface AwsSiteUnderTest extends SmallAws {
  readonly door: AwsDoor;
  readonly env: Readonly<Record<string, string>>;
  readonly opened: OpenedAws;
}

export async function awsSite(
  t: TestContext,
  options: Partial<AwsCloudOptions> = {},
): Promise<AwsSiteUnderTest> {
  const world = smallAws(options);
  const { aws, admin } = world;
  const door = await openDoorTo(t, { cloud: aws });
  const env = environmentOf(door.url, admin.accessKeyId, aws.secretOf(admin.accessKeyId) ?? '');
  const opened = openAws({
    region: null,
    profile: null,
    env,
    clock: testClock(),
    random: { next: () => 0.5 },
  });
  t.after(() => {
    opened.close();
  });
  return { ...world, door, env, opened };
}

/** A door for the time of one test, which fails when the world behind it throws. */
export async function openDoorTo(
  t: TestContext,
  options: Pick<AwsDoorOptions, 'cloud'> & Partial<AwsDoorOptions>,
): Promise<AwsDoor> {
  const bugs: unknown[] = [];
  const door = await openAwsDoor({
    port: 0,
    enter: (task) => task(),
    nowMs: () => Date.now(),
    onBug: (bug) => bugs.push(bug),
    ...options,
  });
  t.after(async () => {
    await door.close();
    assert.deepEqual(bugs, []);
  });
  return door;
}

export function environmentOf(
  url: string,
  accessKeyId: string,
  secret: string,
): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-west-2',
    AWS_DEFAULT_REGION: 'us-west-2',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
  };
}
