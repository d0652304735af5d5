/**
 * What people run instead of rollcall join, and what comes of it in the same setting: the shell
 * loop with `kubectl get nodes | grep $(hostname -f)`, and the plain command under a wrong name.
 */
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './bench.ts';
import { machineKubeconfig } from './capture/programs/kubelet.ts';
import { openStage } from './capture/stage.ts';
import { type JoinSite, KUBEADM_JOIN, openJoinSite } from './join-site.ts';
import type { Node } from './kube-client.ts';
import { JOIN_PARTS_MISSING } from './join-parts.ts';

const skip = JOIN_PARTS_MISSING;
const WITH_PARTS = { skip, timeout: 300_000 };
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
/** How long EC2 does not list the instance; what runs the join starts with it. */
const HIDDEN_MS = 30_000;
const QUIET_MS = 8_000;

const stage = openStage();
afterEach(() => stage.clear());
after(() => stage.close());

const LOOK = 'kubectl get nodes | grep -q "$(hostname -f)"';
/** As people write it; every run of COMMAND is counted in a file. */
const LOOP = `until ${LOOK}; do
  kubeadm reset --force
  echo run >> /run/joins
  ${KUBEADM_JOIN.join(' ')}
  sleep 10
done`;

/** The loop may list all Nodes, which a kubelet may not. */
async function withAdmin({ plane, machine }: JoinSite): Promise<readonly string[]> {
  await machine.write('/run/admin.conf', await machineKubeconfig(plane, plane.kubeconfigPath));
  return ['env', 'KUBECONFIG=/run/admin.conf', 'bash', '-c'];
}

async function joinsOf({ machine }: JoinSite): Promise<number> {
  const { text } = await machine.shell('touch /run/joins; wc -l < /run/joins');
  return Number(text.trim());
}

async function secondsOf<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const startedMs = performance.now();
  const value = await work();
  return [value, Math.round((performance.now() - startedMs) / 1000)];
}

/** EC2 lists the instance late, and the pod network is there from the beginning. */
async function lateSite(): Promise<{ readonly site: JoinSite; readonly shown: Promise<void> }> {
  const site = await openJoinSite(stage, '1.34.3');
  site.moto.hide(site.instance.id);
  const shown = (async () => {
    await sleep(HIDDEN_MS);
    site.moto.show(site.instance.id);
    await site.addPodNetwork();
  })();
  return { site, shown };
}

async function endOf(site: JoinSite, options: readonly string[]): Promise<string> {
  const program = site.supervise(options);
  for (let looks = 0; looks < 4; looks++) {
    const isEnded = await until('the end of the join', async () =>
      /^(?:not )?joined: .*$/m.test(program.log()) ? true : null,
    ).catch(() => false);
    if (isEnded) break;
  }
  return program.log();
}

describe('an instance that EC2 lists 30 s late', { skip }, () => {
  test('the shell loop joins until its look succeeds', WITH_PARTS, async (t) => {
    const { site, shown } = await lateSite();
    const words = await withAdmin(site);
    const [{ code }, seconds] = await secondsOf(() => site.run([...words, LOOP], 180_000));
    await shown;
    const joins = await joinsOf(site);
    t.diagnostic(
      `shell loop: ended with ${code} after ${seconds} s, ${joins} runs of kubeadm join`,
    );
    assert.ok(joins > 1, `${joins} runs`);
  });

  test('rollcall join runs it once', WITH_PARTS, async (t) => {
    const { site, shown } = await lateSite();
    const [text, seconds] = await secondsOf(() => endOf(site, ['--kept=10s']));
    await shown;
    assert.match(text, /^joined: /m);
    assert.match(text, /runs of COMMAND: 1, restarts of the kubelet: 1/);
    t.diagnostic(`rollcall join: joined after ${seconds} s, 10 s of them to see it stay`);
  });
});

describe('a machine whose name is the beginning of that of another one', { skip }, () => {
  test('the loop is content with the other; rollcall join is not', WITH_PARTS, async () => {
    const site = await openJoinSite(stage, '1.34.3');
    const short = site.instance.name.split('.')[0] ?? '';
    await site.machine.shell(
      `hostname ${short}; echo '127.0.0.1 localhost' > /etc/hosts; echo '${site.instance.address} ${short}' >> /etc/hosts`,
    );
    await site.plane.client.create('/api/v1/nodes', { metadata: { name: `${short}0` } });
    const words = await withAdmin(site);
    const { code } = await site.run([...words, LOOP]);
    assert.equal(code, 0);
    assert.equal(await joinsOf(site), 0);
    const program = site.supervise(['--tries=1', '--output=json'], ['true']);
    const end = await until(
      'the end',
      async () => /"event":"(?:joined|failed)".*/.exec(program.log())?.[0] ?? null,
    );
    assert.match(end, /"event":"failed".*"failure":"command-did-nothing"/);
  });
});

const HOSTNAME = 'node00.k8s.internal';

describe('a machine that EC2 knows under another name', { skip }, () => {
  const open = async (): Promise<JoinSite> => {
    const site = await openJoinSite(stage, '1.34.3', { hostname: HOSTNAME });
    await site.addPodNetwork();
    return site;
  };
  const nodeAt = async ({ plane }: JoinSite, name: string): Promise<Node | null> =>
    plane.client.find<Node>(`/api/v1/nodes/${name}`);

  test('kubeadm join alone ends well, with a Node that is not used', WITH_PARTS, async () => {
    const site = await open();
    const { code } = await site.run(KUBEADM_JOIN);
    assert.equal(code, 0);
    await sleep(QUIET_MS);
    assert.equal(await site.node(), null);
    const node = await nodeAt(site, HOSTNAME);
    assert.ok(node === null || node.spec.taints?.some(({ key }) => key === UNINITIALIZED));
  });

  test('rollcall join does not call that joined', WITH_PARTS, async () => {
    const site = await open();
    const text = await endOf(site, ['--kept=10s', '--timeout=45s']);
    assert.match(text, /^not joined: .*waits for the cloud controller.*--name auto$/m);
  });

  test('with --name auto it says why before it joins, and gives the name', WITH_PARTS, async () => {
    const site = await open();
    const text = await endOf(site, ['--kept=10s', '--name=auto']);
    const cause = `The hostname is ${HOSTNAME}, but EC2 knows the machine as ${site.instance.name}`;
    const [before = ''] = text.split('[preflight] Running pre-flight checks');
    assert.ok(before.includes(cause), text);
    assert.match(text, /^joined: /m);
    assert.ok((await site.node()) !== null);
    assert.equal(await nodeAt(site, HOSTNAME), null);
  });
});
