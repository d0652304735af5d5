/** What changes in a real cluster is shown because it changed, and not because a look was due. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, type TestContext } from 'node:test';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PERMISSIONS } from '../../src/collection/permissions.generated.ts';
import { joined, rolesOf } from '../../src/collection/permissions.ts';
import { createWatchPrinter } from '../../src/apps/cli/commands/status.ts';
import type { CliContext } from '../../src/apps/cli/context.ts';
import { watchLive } from '../../src/apps/cli/live/status-source.ts';
import { waitForCluster } from '../../src/apps/cli/live/wait-live.ts';
import { readStatusArguments } from '../../src/apps/cli/table/status-arguments.ts';
import { at, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { endOf, type Run, startRollcall, type Surroundings } from '../live/rollcall.ts';
import { type Machine, runMachine, type Site, startSite } from '../live/world.ts';
import { sharedTests } from '../share.ts';
import { until } from './bench.ts';
import { layOneNode, setReady } from './one-node.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

/** No test lasts so long: whoever looks again in it was woken. */
const NEVER_MS = 86_400_000;

const watch = sharedTests(2, 1);
const skip = missing(...CONTROL_PLANE, 'moto');
const WITH_PARTS = { skip, timeout: 180_000 };
let site: Site;
let machine: Machine;
let env: Surroundings;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  machine = await layOneNode(site);
  env = { ...site.env, KUBECONFIG: site.plane.kubeconfigPath };
});
beforeEach(async () => {
  if (skip === false) await setReady(site, machine, false);
});
after(async () => {
  if (skip === false) await site.stop();
});

interface Page {
  readonly context: CliContext;
  readonly out: () => string;
  readonly err: () => string;
}

function page(): Page {
  const texts = { out: '', err: '' };
  const context: CliContext = {
    out: (text) => {
      texts.out += text;
    },
    err: (text) => {
      texts.err += text;
    },
    stdin: () => (async function* () {})(),
    isInputPiped: false,
    progress: () => {},
    colour: false,
    columns: 100,
    width: 100,
  };
  return { context, out: () => texts.out, err: () => texts.err };
}

/** Lets this process see what the program would. */
function surround(t: TestContext): void {
  const known = { ...process.env };
  t.after(() => {
    process.env = known;
  });
  process.env = { PATH: known['PATH'], NO_PROXY: '127.0.0.1', ...env };
}

/** Waits until a text has come; a failure tells what came instead. */
async function shown(what: RegExp, text: () => string): Promise<void> {
  await until(`${what}`, async () => (what.test(text()) ? true : null)).catch((error: unknown) => {
    throw new Error(text(), { cause: error });
  });
}

interface Queue {
  readonly url: string;
  /** Sends what EventBridge would of an instance that runs now. */
  readonly send: (instanceId: string) => Promise<void>;
}

async function queueOf(t: TestContext): Promise<Queue> {
  const { region, url: endpoint } = site.moto;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new SQSClient({ region, endpoint, credentials });
  t.after(() => client.destroy());
  const made = await client.send(new CreateQueueCommand({ QueueName: 'rollcall-watch' }));
  const { QueueUrl = '' } = made;
  const send = async (instanceId: string): Promise<void> => {
    const MessageBody = JSON.stringify({
      id: 'e-1',
      'detail-type': 'EC2 Instance State-change Notification',
      source: 'aws.ec2',
      time: new Date().toISOString(),
      detail: { 'instance-id': instanceId, state: 'running' },
    });
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
  return { url: QueueUrl, send };
}

describe('without a look that is due', () => {
  watch.test('a roll call shows a Node as it turns Ready and back', WITH_PARTS, async (t) => {
    surround(t);
    const { context, out } = page();
    const asked = readStatusArguments(['--watch']);
    const options = { height: () => null, nowMs: Date.now };
    const printer = createWatchPrinter(asked, context, options);
    const end = new Error('seen enough');
    let looks = 0;
    let isOver = false;
    const show: typeof printer.show = (look) => {
      looks += 1;
      if (isOver) throw end;
      printer.show(look);
    };
    const watching = watchLive({}, context, { ...printer, show });
    const ended = assert.rejects(watching, end);
    await shown(/: new, not-usable/, out);
    await setReady(site, machine, true);
    await shown(/-> usable\n/, out);
    await setReady(site, machine, false);
    await shown(/usable -> not-usable/, out);
    isOver = true;
    await setReady(site, machine, true);
    await ended;
    const told = out()
      .split('\n')
      .filter((line) => line.includes(machine.id));
    assert.equal(told.length, 3, out());
    assert.ok(looks >= told.length);
  });

  watch.test('an event in the queue of the watch has AWS asked at once', WITH_PARTS, async (t) => {
    surround(t);
    const { context, out } = page();
    const asked = readStatusArguments(['--watch']);
    const printer = createWatchPrinter(asked, context, { height: () => null, nowMs: Date.now });
    const { url, send } = await queueOf(t);
    const ending = new AbortController();
    t.after(() => ending.abort());
    const pace = { awsMs: NEVER_MS, awsLeastMs: 0 };
    const watching = watchLive({}, context, printer, { pace, awsEvents: url, end: ending.signal });
    await shown(/: new, not-usable/, out);
    const { id } = await runMachine(site);
    await setReady(site, machine, true);
    await shown(/-> usable\n/, out);
    assert.doesNotMatch(out(), new RegExp(id), 'only AWS knows it, and is not asked');
    await send(id);
    await shown(new RegExp(`${id}: new, `), out);
    ending.abort();
    await watching;
  });
});

describe('until it is usable', () => {
  watch.test('waiting ends when the Node turns Ready', WITH_PARTS, async (t) => {
    surround(t);
    const { context, err } = page();
    const question = {
      names: [machine.name],
      flags: {},
      isDeep: false,
      sinceMs: null,
      save: null,
    };
    const waiting = waitForCluster(question, [], context, NEVER_MS);
    await shown(/ networked failed\n/, err);
    await setReady(site, machine, true);
    const { subjects } = (await waiting).document;
    assert.deepEqual(
      subjects.flatMap(({ kind, verdict }) => (kind === 'Machine' ? [verdict] : [])),
      ['usable'],
    );
    assert.match(err(), / networked failed\n[^]* networked passed\n/);
  });
});

interface Watching {
  readonly said: () => string;
  readonly interrupt: () => Promise<Run>;
  readonly ended: Promise<Run>;
}

/** The program as people run it; it ends with the test. */
function start(t: TestContext, args: readonly string[], surroundings: Surroundings): Watching {
  const child = startRollcall(args, surroundings);
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => {
      said += String(text);
    });
  const ended = endOf(child);
  return {
    said: () => said,
    ended,
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

describe('the program', () => {
  watch.test('shows what changes until it is interrupted', WITH_PARTS, async (t) => {
    const { said, interrupt } = start(t, ['status', '--watch'], env);
    await shown(/: new, not-usable/, said);
    await setReady(site, machine, true);
    await shown(/-> usable\n/, said);
    const { code, signal, stderr } = await interrupt();
    assert.deepEqual([code, signal], [130, null]);
    // The AWS of this place does not know all that is asked: that is said once, beside the log.
    assert.match(stderr, /^Left out: eks:[^\n]+; why: rollcall status -o json\n$/);
  });

  watch.test('ends with 0 when what it waits for is usable', WITH_PARTS, async (t) => {
    const { said, ended } = start(t, ['diagnose', machine.name, '--wait'], env);
    await shown(/ networked failed\n/, said);
    await setReady(site, machine, true);
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    assert.match(stdout, /^USABLE/);
  });

  watch.test('says when the API server is silent, and when no longer', WITH_PARTS, async (t) => {
    const { said, interrupt } = start(t, ['status', '--watch'], env);
    await shown(/: new, not-usable/, said);
    const pid = site.plane.programs['kube-apiserver']?.pid ?? assert.fail('no API server');
    process.kill(pid, 'SIGSTOP');
    try {
      await shown(/Nodes\b.* as of \d+ s ago: the API server is silent; looking every 10 s/, said);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await shown(/changes arrive again\n/, said);
    await setReady(site, machine, true);
    await shown(/-> usable\n/, said);
    assert.equal((await interrupt()).code, 130);
  });
});

/** Grants a user what the table says these features need. */
async function grant(user: string, features: readonly string[]): Promise<Surroundings> {
  const wanted = PERMISSIONS.filter(({ feature }) => features.includes(feature));
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  for (const role of rolesOf(joined(wanted).kubernetes)) {
    const namespace = textAt(role, 'metadata.namespace');
    const place = namespace === null ? '/cluster' : `/namespaces/${namespace}/`;
    const kind = textAt(role, 'kind') ?? '';
    const named = { ...(at(role, 'metadata') as JsonObject), name: user };
    await site.plane.client.create(`${rbac}${place}roles`, { ...role, metadata: named });
    await site.plane.client.create(`${rbac}${place}rolebindings`, {
      metadata: named,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
  return { ...env, KUBECONFIG: await site.plane.writeKubeconfig(user) };
}

describe('an identity', () => {
  watch.test('that may not watch gets a notice and still sees changes', WITH_PARTS, async (t) => {
    const { said, interrupt } = start(
      t,
      ['status', '--watch'],
      await grant('lister', ['status', 'details']),
    );
    await shown(
      /Nodes.* not watched: watch permission is denied; .*permissions --for watch\n/,
      said,
    );
    await shown(/: new, not-usable/, said);
    await setReady(site, machine, true);
    await shown(/-> usable\n/, said);
    assert.equal((await interrupt()).code, 130);
  });

  watch.test('that may do what the table lists gets the changes', WITH_PARTS, async (t) => {
    const { said, interrupt } = start(
      t,
      ['status', '--watch'],
      await grant('watcher', ['status', 'details', 'watch']),
    );
    await shown(/: new, not-usable/, said);
    await setReady(site, machine, true);
    await shown(/-> usable\n/, said);
    await interrupt();
    assert.doesNotMatch(said(), /watched|as of|denied/);
  });
});

watch.tell('tests of a watched cluster');
