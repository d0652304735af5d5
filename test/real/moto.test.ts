import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Moto, signature, startMoto, THROTTLED, unauthorized } from './moto.ts';
import { missing } from './parts.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks as a client of the double would: through the proxy. */
async function ask(
  action: string,
  parameters: Readonly<Record<string, string>> = {},
  { service = 'ec2', signal = null }: { service?: string; signal?: AbortSignal | null } = {},
): Promise<Answer> {
  const answered = await fetch(moto.url, {
    method: 'POST',
    signal,
    headers: { authorization: signature(service) },
    body: new URLSearchParams({ Action: action, Version: '2016-11-15', ...parameters }),
  });
  return { status: answered.status, text: await answered.text() };
}

function instanceIds(xml: string): readonly string[] {
  return [...xml.matchAll(/<instanceId>([^<]+)</g)].map(([, id = '']) => id).toSorted();
}

async function runInstances(count: number): Promise<readonly string[]> {
  const xml = await moto.ec2('RunInstances', {
    ImageId: 'ami-12c6146b',
    InstanceType: 't3.small',
    MinCount: String(count),
    MaxCount: String(count),
  });
  return instanceIds(xml);
}

const skip = missing('moto');
let moto: Moto;
let ids: readonly string[] = [];

before(async () => {
  if (skip === false) moto = await startMoto();
});
after(async () => {
  if (skip === false) await moto.stop();
});
beforeEach(async () => {
  if (skip !== false) return;
  await moto.reset();
  // One reservation of two and one of one: hiding must not take a neighbour along.
  ids = [...(await runInstances(2)), ...(await runInstances(1))];
});

test('what nothing is asked of passes as it is', { skip }, async () => {
  const { status, text } = await ask('DescribeInstances');
  assert.equal(status, 200);
  assert.deepEqual(instanceIds(text), ids.toSorted());
  assert.equal(text, await moto.ec2('DescribeInstances'));
});

test('a hidden instance is unknown by its id until it is shown', { skip }, async () => {
  const [hidden = '', seen = ''] = ids;
  moto.hide(hidden);
  const refused = await ask('DescribeInstances', {
    'InstanceId.1': seen,
    'InstanceId.2': hidden,
  });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /<Code>InvalidInstanceID\.NotFound<\/Code>/);
  assert.match(refused.text, new RegExp(`The instance ID '${hidden}' does not exist`));
  assert.equal((await ask('DescribeInstances', { 'InstanceId.1': seen })).status, 200);
  moto.show(hidden);
  const shown = await ask('DescribeInstances', { 'InstanceId.1': hidden });
  assert.deepEqual(instanceIds(shown.text), [hidden]);
});

test('a hidden instance is in no list, and its neighbours still are', { skip }, async () => {
  const [hidden = '', neighbour = '', alone = ''] = ids;
  moto.hide(hidden);
  const filter = { 'Filter.1.Name': 'instance-state-name', 'Filter.1.Value.1': 'running' };
  for (const parameters of [{}, filter]) {
    const { text } = await ask('DescribeInstances', parameters);
    assert.deepEqual(instanceIds(text), [neighbour, alone].toSorted());
  }
  const statuses = await ask('DescribeInstanceStatus');
  assert.deepEqual(instanceIds(statuses.text), [neighbour, alone].toSorted());
  moto.hide(neighbour);
  const { text } = await ask('DescribeInstances');
  assert.deepEqual(instanceIds(text), [alone]);
  assert.equal(text.match(/<reservationId>/g)?.length, 1);
});

test('an id that is listed twice is looked up once', { skip }, async () => {
  const [id = ''] = ids;
  const twice = { 'InstanceId.1': id, 'InstanceId.2': id };
  assert.equal((await ask('DescribeInstances', twice)).status, 200);
  await assert.rejects(moto.ec2('DescribeInstances', twice), /500/, 'moto alone still fails');
});

test('the topology of instances is known to be none', { skip }, async () => {
  const { status, text } = await ask('DescribeInstanceTopology');
  assert.equal(status, 200);
  assert.match(text, /<DescribeInstanceTopologyResponse .*<instanceSet\/>/);
});

test('actions are refused until they are allowed, in the words of their service', {
  skip,
}, async () => {
  moto.refuse('DescribeInstances', unauthorized('DescribeInstances'));
  const refused = await ask('DescribeInstances');
  assert.equal(refused.status, 403);
  assert.match(refused.text, /^<Response><Errors><Error><Code>UnauthorizedOperation</);
  assert.equal((await ask('DescribeSubnets')).status, 200);
  moto.allow('DescribeInstances');
  assert.equal((await ask('DescribeInstances')).status, 200);

  moto.refuse('autoscaling:*', { status: 403, code: 'AccessDenied', message: 'a < b' });
  const other = await ask('DescribeAutoScalingGroups', {}, { service: 'autoscaling' });
  assert.equal(other.status, 403);
  assert.match(other.text, /^<ErrorResponse><Error>.*<Code>AccessDenied<.*a &lt; b/);
});

test('a JSON service is refused in JSON', { skip }, async () => {
  moto.refuse('ssm:*', { status: 400, code: 'AccessDeniedException', message: 'no' });
  const answered = await fetch(moto.url, {
    method: 'POST',
    headers: {
      authorization: signature('ssm'),
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AmazonSSM.GetParameter',
    },
    body: '{"Name":"/a"}',
  });
  assert.equal(answered.headers.get('x-amzn-errortype'), 'AccessDeniedException');
  assert.deepEqual(await answered.json(), { __type: 'AccessDeniedException', message: 'no' });
  assert.equal(moto.count('GetParameter'), 1);
});

test('throttling ends after so many calls', { skip }, async () => {
  moto.refuse('ec2:*', THROTTLED, 2);
  const statuses: number[] = [];
  for (let call = 0; call < 3; call++) statuses.push((await ask('DescribeInstances')).status);
  assert.deepEqual(statuses, [503, 503, 200]);
});

test('a delayed action is overtaken by one that is not', { skip }, async () => {
  // Long enough for any machine; the client gives up before.
  moto.delay('DescribeInstances', 600_000);
  const patience = new AbortController();
  const slow = ask('DescribeInstances', {}, { signal: patience.signal });
  assert.equal((await ask('DescribeSubnets')).status, 200);
  assert.equal(moto.count('DescribeInstances'), 0);
  patience.abort();
  await assert.rejects(slow, { name: 'AbortError' });
  moto.delay('DescribeInstances', 0);
  assert.equal((await ask('DescribeInstances')).status, 200);
});

test('every call is counted and logged', { skip }, async () => {
  const [id = ''] = ids;
  await ask('DescribeInstances', { 'InstanceId.1': id });
  moto.refuse('DescribeSubnets', THROTTLED);
  await ask('DescribeSubnets');
  await ask('DescribeAutoScalingGroups', {}, { service: 'autoscaling' });
  await fetch(`${moto.url}/clusters`, { headers: { authorization: signature('eks') } });
  assert.deepEqual(moto.calls(), [
    { service: 'ec2', action: 'DescribeInstances', instanceIds: [id], status: 200 },
    { service: 'ec2', action: 'DescribeSubnets', instanceIds: [], status: 503 },
    { service: 'autoscaling', action: 'DescribeAutoScalingGroups', instanceIds: [], status: 200 },
    { service: 'eks', action: 'GET /clusters', instanceIds: [], status: 200 },
  ]);
  assert.equal(moto.count('ec2:*'), 2);
  assert.equal(moto.count('*'), 4);
  moto.forget();
  assert.equal(moto.count('*'), 0);
});

test('moto is gone when it is stopped', { skip }, async () => {
  const other = await startMoto();
  await other.stop();
  await assert.rejects(fetch(`${other.directUrl}/moto-api/`));
  await assert.rejects(fetch(other.url));
});
