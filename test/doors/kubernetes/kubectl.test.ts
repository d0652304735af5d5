/** What a person sees who types kubectl: of the oldest, a middle, and the newest minors. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { at, textAt, textsAt } from '../../../src/evidence/json.ts';
import { missing, partPath } from '../../real/parts.ts';
import { type Cluster, kubectlOf, node, openCluster, pod, type Said } from './fixture.ts';

const KUBECTLS = ['kubectl', 'kubectl-1.23', 'kubectl-1.30', 'kubectl-1.37'] as const;

function ready({ admin }: Cluster, name: string, address: string): void {
  const made = admin.create(node(name, address));
  assert.ok(made.ok);
  const { status } = node(name, address);
  assert.ok(admin.patch('Node', name, 'merge', { status: status ?? {} }, 'status').ok);
  const taints = { spec: { taints: null } };
  assert.ok(admin.patch('Node', name, 'merge', taints).ok);
}

/** As the kubelet does once a pod has ended. */
function confirmDeletions({ admin }: Cluster): void {
  for (const object of admin.list('Pod'))
    if (textAt(object, 'metadata.deletionTimestamp') !== null) {
      const name = `${textAt(object, 'metadata.namespace')}/${textAt(object, 'metadata.name')}`;
      admin.delete('Pod', name, { gracePeriodSeconds: 0 });
    }
}

const CONFIG = (colour: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: ${colour}}\n`;

for (const program of KUBECTLS) {
  describe(program, { skip: missing(program) }, () => transcripts(program));
}

function transcripts(program: string): void {
  let cluster: Cluster | undefined;
  const bench = benchOf(program, () => {
    assert.ok(cluster);
    return cluster;
  });

  before(async () => {
    cluster = await openCluster({ podLog: () => ({ ok: true, text: 'one\ntwo\n' }) });
    ready(cluster, 'node-a', '10.0.0.1');
    ready(cluster, 'node-b', '10.0.0.2');
    assert.ok(cluster.admin.create(pod('web', 'node-a')).ok);
  });

  after(() => cluster?.close());

  reading(bench);
  changing(bench);
  draining(bench);
  following(bench);
}

interface Bench {
  readonly program: string;
  readonly cluster: () => Cluster;
  readonly run: (command: string, input?: string) => Promise<Said>;
  /** Ends well, and its output is as expected. */
  readonly says: (command: string, expected: RegExp, input?: string) => Promise<void>;
  /** Ends badly, and says so as expected. */
  readonly refuses: (command: string, expected: RegExp, input?: string) => Promise<void>;
}

function benchOf(program: string, cluster: () => Cluster): Bench {
  const run = (command: string, input?: string): Promise<Said> =>
    kubectlOf(partPath(program), cluster())(command, input);
  return {
    program,
    cluster,
    run,
    says: async (command, expected, input) => {
      const { code, out, err } = await run(command, input);
      assert.equal(code, 0, `kubectl ${command}: ${out}${err}`);
      assert.match(out, expected, `kubectl ${command}: ${err}`);
    },
    refuses: async (command, expected, input) => {
      const { code, out, err } = await run(command, input);
      assert.notEqual(code, 0, `kubectl ${command}: ${out}`);
      assert.match(err, expected, `kubectl ${command}`);
    },
  };
}

function reading({ cluster, run, says, refuses }: Bench): void {
  test('shows nodes and pods', async () => {
    await says(
      'get nodes',
      /^NAME +STATUS +ROLES +AGE +VERSION\nnode-a +Ready +<none> +\d+s +v1\.36\.3\n/,
    );
    await says('get nodes -o wide', /node-b .* 10\.0\.0\.2 +<none> +Amazon Linux 2023 +6\.1\.0/);
    await says(
      'get pods -A',
      /^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE\ndefault +web +0\/1 +Pending +0/,
    );
    await says('get no,po -o name', /^node\/node-a\nnode\/node-b\npod\/web\n$/);
    await refuses('get nodes nobody', /Error from server \(NotFound\): nodes "nobody" not found/);
    await says('describe node node-a', /^Name: +node-a\n[^]*Taints: +<none>\n[^]*default +web /);
    await says('version', /v1\.36\.3/);
    await says('api-resources', /^leases +coordination\.k8s\.io\/v1 +true +Lease$/m);
  });

  test('prints logs, explains, and knows what it may do', async () => {
    assert.ok(cluster().admin.create(pod('talker', 'node-a')).ok);
    await says('logs talker', /^one\ntwo\n$/);
    await refuses('exec talker -- ls', /containers of this world are simulated/);
    const followed = run('logs -f talker');
    const state = { terminated: { exitCode: 0 } };
    const ended = { name: 'main', image: 'i', imageID: '', ready: false, restartCount: 0, state };
    const status = { phase: 'Succeeded', containerStatuses: [ended] };
    assert.ok(cluster().admin.patch('Pod', 'default/talker', 'merge', { status }, 'status').ok);
    const { code, out } = await followed;
    assert.deepEqual([code, out], [0, 'one\ntwo\n']);
    await refuses('logs talker -c none', /container none is not valid for pod talker/);
    await says('explain node.spec.taints', /effect[^]*NoExecute: running pods leave/);
    await says('explain node.spec', /KIND: +Node\nVERSION: +v1\n[^]*taints\s+<\[\]\w+>/);
    await says(
      'explain daemonset.spec.template.spec.containers.image',
      /DaemonSet[^]*image <string>/,
    );
    await refuses('explain node.none', /field "none" does not exist/);
    await says('auth can-i delete nodes', /^yes\n$/);
    const denied = await run('auth can-i delete nodes --as=somebody');
    assert.deepEqual([denied.code, denied.out.trim()], [1, 'no']);
    await refuses(
      'get nodes --as=somebody',
      /Error from server \(Forbidden\): nodes is forbidden: User "somebody" cannot list resource "nodes" in API group "" at the cluster scope/,
    );
    await says('delete pod talker --grace-period=0 --force', /force deleted/);
  });
}

function changing({ cluster, says, refuses }: Bench): void {
  test('applies, on the client and on the server', async () => {
    await says('apply -f -', /^configmap\/settings created\n$/, CONFIG('red'));
    await says('apply -f -', /^configmap\/settings unchanged\n$/, CONFIG('red'));
    await says('apply -f -', /^configmap\/settings configured\n$/, CONFIG('blue'));
    await refuses('apply --server-side --field-manager=other -f -', /conflict/, CONFIG('green'));
    await says(
      'apply --server-side --force-conflicts -f -',
      /^configmap\/settings serverside-applied\n$/,
      CONFIG('green'),
    );
    await says('get configmap settings -o jsonpath={.data.colour}', /^green$/);
    await refuses('create -f -', /"settings" already exists/, CONFIG('red'));
    await refuses('apply -f -', /unknown field/, `${CONFIG('red')}strange: 1\n`);
    await says('delete configmap settings', /^configmap "settings" deleted/);
  });

  test('patches in three ways, labels, annotates, taints and cordons', async () => {
    const labels = (): Readonly<Record<string, string>> =>
      textsAt(cluster().admin.get('Node', 'node-b') ?? {}, 'metadata.labels');
    await says(
      `patch node node-b -p '{"metadata":{"labels":{"a":"1"}}}'`,
      /^node\/node-b patched\n$/,
    );
    await says(`patch node node-b --type=merge -p '{"metadata":{"labels":{"b":"2"}}}'`, /patched/);
    const remove = '[{"op":"remove","path":"/metadata/labels/a"}]';
    await says(`patch node node-b --type=json -p '${remove}'`, /patched/);
    await says('label node node-b team=red', /^node\/node-b labeled\n$/);
    await says('label node node-b b-', /^node\/node-b (un)?labeled\n$/);
    assert.deepEqual(labels(), { 'kubernetes.io/hostname': 'node-b', team: 'red' });
    await says('annotate node node-b note=x', /^node\/node-b annotated\n$/);
    await says('taint node node-b dedicated=ci:NoSchedule', /^node\/node-b tainted\n$/);
    const taints = (): unknown => at(cluster().admin.get('Node', 'node-b') ?? {}, 'spec.taints');
    assert.deepEqual(taints(), [{ key: 'dedicated', value: 'ci', effect: 'NoSchedule' }]);
    await says('taint node node-b dedicated-', /^node\/node-b untainted\n$/);
    assert.equal(taints(), undefined);
    await says('cordon node-b', /^node\/node-b cordoned\n$/);
    await says('get nodes', /^node-b +Ready,SchedulingDisabled /m);
    await says('uncordon node-b', /^node\/node-b uncordoned\n$/);
  });
}

function draining({ cluster, run, says, refuses }: Bench): void {
  test('drains a node, and waits for its pods', async () => {
    const kubelet = setInterval(() => confirmDeletions(cluster()), 100);
    try {
      const { code, out, err } = await run('drain node-a --force --timeout=30s');
      assert.equal(code, 0, err);
      assert.match(
        out,
        /^node\/node-a cordoned\nevicting pod default\/web\npod\/web evicted\nnode\/node-a (drained|evicted)\n$/,
      );
    } finally {
      clearInterval(kubelet);
    }
    assert.equal(cluster().admin.get('Pod', 'default/web'), null);
    await says('uncordon node-a', /uncordoned/);
  });

  test('waits for a condition that comes, and gives up on one that does not', async () => {
    await says(
      'wait --for=condition=Ready node/node-a --timeout=10s',
      /^node\/node-a condition met\n$/,
    );
    await refuses('wait --for=condition=Unheard node/node-a --timeout=1s', /timed out waiting/);
    const waiting = run('wait --for=delete node/node-b --timeout=30s');
    await says('delete node node-b', /^node "node-b" deleted/);
    assert.equal((await waiting).code, 0);
  });
}

function following({ program, cluster, says }: Bench): void {
  test('follows changes until it is stopped', async () => {
    const { kubeconfig, folder } = cluster();
    const env = { KUBECONFIG: kubeconfig, HOME: folder };
    const child = spawn(partPath(program), ['get', 'nodes', '-w'], { env });
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      text += chunk;
    });
    const until = async (expected: RegExp): Promise<void> => {
      while (!expected.test(text)) {
        assert.equal(child.exitCode, null, text);
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      }
    };
    await until(/^node-a +Ready /m);
    await says('cordon node-a', /cordoned/);
    await until(/^node-a +Ready,SchedulingDisabled /m);
    ready(cluster(), 'node-c', '10.0.0.3');
    await until(/^node-c /m);
    child.kill();
    assert.equal(text.match(/^NAME /gm)?.length, 1);
    await says('uncordon node-a', /uncordoned/);
  });

  test('creates objects sent as protocol buffers', async () => {
    await says('create namespace team', /^namespace\/team created\n$/);
    await says('create deployment web --image=app:2 --replicas=2 -n team', /created/);
    await says('get deploy -n team', /^web +0\/2 +0 +0 +\d+s\n/m);
    await says('create configmap c --from-literal=a=b -n team', /created/);
    await says('create clusterrole reader --verb=get --resource=pods', /created/);
    await says('create pdb guard --min-available=1 --selector=app=web -n team', /created/);
    assert.equal(textAt(cluster().admin.get('ConfigMap', 'team/c') ?? {}, 'data.a'), 'b');
    const made = cluster().admin.get('Deployment', 'team/web') ?? {};
    assert.equal(at(made, 'spec.replicas'), 2);
    assert.deepEqual(at(made, 'spec.selector.matchLabels'), { app: 'web' });
  });
}
