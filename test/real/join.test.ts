/**
 * The second story on real parts: kubeadm, kubelet and containerd in a machine of their own, the
 * real API server and controllers, and the AWS cloud controller, which deletes a Node whose
 * instance EC2 does not list yet.
 */
import assert from 'node:assert/strict';
import { after, afterEach, describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, until } from './bench.ts';
import { type JoinSite, KUBEADM_JOIN, openJoinSite } from './join-site.ts';
import { openStage } from './capture/stage.ts';
import type { KubeEvent } from './kube-client.ts';
import { JOIN_PARTS_MISSING } from './join-parts.ts';
import { sharedTests } from '../share.ts';

const skip = JOIN_PARTS_MISSING;
const WITH_PARTS = { skip, timeout: 240_000 };

/** Each starts a control plane and a machine, which takes half a minute of processor time. */
const joins = sharedTests(5);

const stage = openStage();
afterEach(() => stage.clear());
after(() => stage.close());

/** Long enough for a kubelet that would register its Node again; none does. */
const QUIET_MS = 8_000;

/** EC2 does not list the instance, as happens with new ones. */
async function hiddenSite(): Promise<JoinSite> {
  const site = await openJoinSite(stage, '1.34.3');
  site.moto.hide(site.instance.id);
  return site;
}

/** From now on nothing stands in the way. */
async function clearWay({ moto, instance, addPodNetwork }: JoinSite): Promise<void> {
  moto.show(instance.id);
  await addPodNetwork();
}

async function untilDeleted({ plane, instance }: JoinSite): Promise<void> {
  const query = `fieldSelector=involvedObject.name=${instance.name},reason=DeletingNode`;
  await until('the deletion of the Node', async () => {
    const events = await plane.client.list<KubeEvent>(`/api/v1/events?${query}`);
    return events.length > 0 ? true : null;
  });
}

async function untilSaid(program: Program, what: RegExp): Promise<void> {
  await until(`${program.name} to say ${what}`, async () =>
    what.test(program.log()) ? true : null,
  );
}

interface LastEvent {
  readonly event: string;
  readonly tries: number;
  readonly restarts: number;
  readonly nodeUid: string | null;
  readonly cause: string | null;
}

/** What `-o json` says last; it waits as long as the join may take. */
async function endOf(program: Program): Promise<LastEvent> {
  const END = /^\{.*"event":"(?:joined|failed)".*\}$/m;
  for (let looks = 0; looks < 3 && !END.test(program.log()); looks++)
    await untilSaid(program, END).catch(() => undefined);
  const [line] = END.exec(program.log()) ?? [];
  assert.ok(line !== undefined, `the join has not ended:\n${program.log()}`);
  return JSON.parse(line);
}

const JOIN = ['--kept=10s', '--output=json'] as const;

describe('a machine whose instance EC2 lists late', { skip }, () => {
  joins.test('kubeadm join alone reports success, and there is no node', WITH_PARTS, async () => {
    const site = await hiddenSite();
    const { code, text } = await site.run(KUBEADM_JOIN);
    assert.equal(code, 0);
    assert.match(text, /This node has joined the cluster/);
    await untilDeleted(site);
    await clearWay(site);
    await sleep(QUIET_MS);
    assert.equal(await site.node(), null);
    const health = await site.run(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/10248']);
    assert.equal(health.code, 0, 'the kubelet runs on');
  });

  joins.test('under rollcall join it is a node that stays', WITH_PARTS, async () => {
    const site = await hiddenSite();
    const program = site.supervise(JOIN);
    await untilDeleted(site);
    await clearWay(site);
    const { event, tries, restarts, nodeUid } = await endOf(program);
    assert.deepEqual({ event, tries, restarts }, { event: 'joined', tries: 1, restarts: 1 });
    await sleep(QUIET_MS);
    assert.equal((await site.node())?.metadata.uid, nodeUid);
  });

  joins.test('with --wait-for-cloud it is one at once', WITH_PARTS, async () => {
    const site = await hiddenSite();
    await site.addPodNetwork();
    const program = site.supervise([...JOIN, '--wait-for-cloud']);
    await untilSaid(program, /EC2 does not list/);
    assert.doesNotMatch(program.log(), /"command-started"/);
    site.moto.show(site.instance.id);
    const { event, tries, restarts } = await endOf(program);
    assert.deepEqual({ event, tries, restarts }, { event: 'joined', tries: 1, restarts: 0 });
  });
});

/** Where it is killed, and how often COMMAND may have run when the next start has ended. */
const KILLS: readonly (readonly [what: string, said: RegExp, triesMax: number])[] = [
  ['when COMMAND starts', /"event":"command-started"/, 2],
  ['while COMMAND runs', /Starting the kubelet/, 2],
  ['when COMMAND has ended', /"event":"command-ended"/, 1],
  ['while it waits for EC2', /deleted at once|does not list the instance|was deleted/, 1],
  ['when it restarts the kubelet', /"event":"kubelet-restarted"/, 1],
  ['while the Node has to stay', /it has to stay so/, 1],
];

describe('kill -9', { skip }, () => {
  for (const [what, said, triesMax] of KILLS)
    joins.test(`${what}: the next start ends with a node that stays`, WITH_PARTS, async () => {
      const site = await hiddenSite();
      const first = site.supervise(JOIN);
      const way = untilDeleted(site)
        .then(() => clearWay(site))
        .catch(() => undefined);
      await untilSaid(first, said);
      process.kill(first.pid, 'SIGKILL');
      const { event, tries, nodeUid } = await untilJoined(site, way);
      assert.equal(event, 'joined');
      assert.ok(tries <= triesMax, `COMMAND ran ${tries} times`);
      assert.equal((await site.node())?.metadata.uid, nodeUid);
    });
});

async function untilJoined(site: JoinSite, way: Promise<void>): Promise<LastEvent> {
  const second = site.supervise(JOIN);
  await way;
  await clearWay(site);
  return endOf(second);
}

describe('a join that cannot succeed', { skip }, () => {
  joins.test('ends with its cause', WITH_PARTS, async () => {
    const site = await hiddenSite();
    await site.plane.client.remove('/api/v1/namespaces/kube-system/secrets/bootstrap-token-k3x9pd');
    const path = '/api/v1/namespaces/kube-public/configmaps/cluster-info';
    await until('the end of the signature', async () =>
      (await site.plane.client.text(path)).includes('jws-kubeconfig') ? null : true,
    );
    const { event, cause } = await endOf(site.supervise([...JOIN, '--tries=1']));
    assert.deepEqual([event, cause], ['failed', 'expired-bootstrap-token']);
  });
});

joins.tell('joins of real machines');
