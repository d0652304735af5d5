/** Who changed the access entries of roles whose machines are shut out, as the controller tells it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEntryTrail } from '../../../src/apps/controller/entry-trail.ts';
import { EntryTrail } from '../../../src/controllers/auth/entry-trail.ts';
import { MachineNotes } from '../../../src/controllers/auth/machine-notes.ts';
import { withoutRawEvent } from '../../../src/evidence/aws/trail.ts';
import type { Json, JsonObject } from '../../../src/evidence/json.ts';
import { Logger } from '../../../src/runtime/log/logger.ts';
import { ROLE, type Scene, scene } from '../fix/scene.ts';

const MINUTE_MS = 60_000;
const ROLES = [{ arn: ROLE, type: 'linux', machines: ['i-1', 'i-2'] }] as const;
const BY = 'arn:aws:iam::111122223333:user/terraform';

function event(role: string, change: JsonObject = {}): Json {
  return withoutRawEvent({
    EventId: `of ${role}`,
    EventName: 'DeleteAccessEntry',
    EventSource: 'eks.amazonaws.com',
    EventTime: '2026-03-01T12:00:00Z',
    Username: 'terraform',
    CloudTrailEvent: JSON.stringify({
      userIdentity: { arn: BY },
      sourceIPAddress: '203.0.113.12',
      requestParameters: { name: 'shop', principalArn: encodeURIComponent(role) },
      ...change,
    }),
  });
}

interface Played {
  readonly at: Scene;
  readonly lines: readonly string[];
  readonly words: MachineNotes;
  readonly asked: number;
}

/** Half an hour in which a role is shut out; events of deletions are there from a moment on. */
async function play(events: readonly Json[], fromMs = 0, denies = false): Promise<Played> {
  const at = scene();
  const { clock } = at.tools();
  const stop = new AbortController();
  const lines: string[] = [];
  const words = new MachineNotes();
  at.aws.answer('cloudtrail:LookupEvents', (input) => {
    const isDeletion = JSON.stringify(input).includes('DeleteAccessEntry');
    return [{ Events: isDeletion && clock.nowMs() >= fromMs ? [...events] : [] }];
  });
  if (denies) at.aws.refuse('cloudtrail:LookupEvents', 'denied');
  const trail = createEntryTrail({
    aws: at.aws,
    clock: {
      ...clock,
      sleep: async (ms) => {
        await clock.sleep(ms);
        trail.setShutOut(ROLES, 'shop');
        if (clock.nowMs() >= 30 * MINUTE_MS) stop.abort();
      },
    },
    machineNotes: words,
    log: new Logger({ clock, level: () => 'info', write: (text) => lines.push(text) }),
  });
  await trail.run(stop.signal);
  return { at, lines, words, asked: at.aws.requests().get('cloudtrail:LookupEvents') ?? 0 };
}

test('a deletion that CloudTrail delivers later is reported once, with caller, time and source', async () => {
  const { lines, words, at } = await play([event(ROLE)], 4 * MINUTE_MS);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    /access entry of \S+role\/nodes: arn:aws:iam::111122223333:user\/terraform deleted the access entry at 2026-03-01T12:00:00Z from 203\.0\.113\.12 \(CloudTrail, eks:DeleteAccessEntry\)\. Shut out: i-1, i-2/,
  );
  assert.match(words.of('i-2', at.tools().clock.nowMs()) ?? '', /user\/terraform deleted/);
});

for (const [title, events] of [
  ['of another role', [event(`${ROLE}-b`)]],
  ['of another cluster', [event(ROLE, { requestParameters: { name: 'b', principalArn: ROLE } })]],
  ['that AWS refused', [event(ROLE, { errorCode: 'AccessDenied' })]],
  ['without a request', [event(ROLE, { requestParameters: null })]],
] as const)
  test(`a deletion ${title} is not reported`, async () => {
    assert.deepEqual((await play(events)).lines, []);
  });

test('CloudTrail is asked three times for three kinds of change, and no more', async () => {
  assert.equal((await play([])).asked, 9);
});

test('of changes that were told the last thousand are known, and those that are asked about again', async () => {
  const { clock } = scene().tools();
  const told: string[] = [];
  const at = scene();
  const trail = new EntryTrail({
    aws: at.aws,
    clock,
    onChange: ({ id }) => void told.push(id),
    onBlind: () => undefined,
  });
  const asked = async (roles: readonly string[]): Promise<readonly string[]> => {
    const events = roles.map((role) => event(role));
    at.aws.answer('cloudtrail:LookupEvents', (input) => [
      { Events: JSON.stringify(input).includes('DeleteAccessEntry') ? events : [] },
    ]);
    told.length = 0;
    trail.setShutOut([], 'shop');
    trail.setShutOut(
      roles.map((arn) => ({ arn, type: 'linux', machines: [] })),
      'shop',
    );
    const stop = new AbortController();
    const running = trail.run(stop.signal);
    await clock.sleep(1);
    stop.abort();
    await running;
    return [...told];
  };
  const others = (from: number): readonly string[] =>
    Array.from({ length: 499 }, (_, index) => `${ROLE}-${from + index}`);
  assert.equal((await asked([ROLE])).length, 1);
  for (const from of [0, 499, 998])
    assert.equal((await asked([ROLE, ...others(from)])).length, 499, 'asked about again: kept');
  for (const from of [2000, 3000, 4000]) await asked(others(from));
  assert.equal((await asked([ROLE])).length, 1, 'forgotten');
});

test('without the permission one line tells what is missing', async () => {
  const { lines } = await play([event(ROLE)], 0, true);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /who changed access entries is unknown: .*cloudtrail:LookupEvents/);
});

test('of a raw event nothing is kept but who asked for what and from where', () => {
  const secret = 'AKIAIOSFODNN7EXAMPLE';
  const raw = event(ROLE, { userIdentity: { arn: BY, accessKeyId: secret }, userAgent: secret });
  assert.doesNotMatch(JSON.stringify(raw), /AKIA/);
  const other = { EventName: 'RunInstances', EventSource: 'ec2.amazonaws.com' };
  assert.deepEqual(withoutRawEvent({ ...other, CloudTrailEvent: '{}' }), other);
  const broken = withoutRawEvent({ ...(event(ROLE) as JsonObject), CloudTrailEvent: '{' });
  assert.doesNotMatch(JSON.stringify(broken), /203/);
});
