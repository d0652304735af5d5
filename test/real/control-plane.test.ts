import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { until } from './bench.ts';
import { startControlPlane } from './control-plane.ts';
import type { KubeObject, Node } from './kube-client.ts';
import { CONTROL_PLANE, missing, partPath } from './parts.ts';

const run = promisify(execFile);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @returns the status with which the API server refused */
async function refusal(request: Promise<unknown>): Promise<unknown> {
  const answered = await request.then(
    () => ({ status: 'not refused' }),
    (error: unknown) => error,
  );
  return Object(answered).status;
}

function ownTemporaryFolder(t: TestContext): string {
  const usual = tmpdir();
  const room = mkdtempSync(join(usual, 'rollcall-room-'));
  process.env['TMPDIR'] = room;
  t.after(() => {
    process.env['TMPDIR'] = usual;
    rmSync(room, { recursive: true, force: true });
  });
  return room;
}

function nodeObject(name: string): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

test('an API server serves, authorises nodes, and is gone when it is stopped', {
  skip: missing(...CONTROL_PLANE),
}, async (t) => {
  const plane = await startControlPlane();
  t.after(() => plane.stop());
  assert.deepEqual(Object.keys(plane.programs), ['etcd', 'kube-apiserver']);

  const own = await plane.clientOf('system:node:one', ['system:nodes']);
  await own.create<Node>('/api/v1/nodes', nodeObject('one'));
  assert.equal(await refusal(own.create('/api/v1/nodes', nodeObject('other'))), 403);
  const nobody = await plane.clientOf('nobody');
  assert.equal(await refusal(nobody.list('/api/v1/nodes')), 403);
  const nodes = await plane.client.list<Node>('/api/v1/nodes');
  assert.deepEqual(
    nodes.map(({ metadata }) => metadata.name),
    ['one'],
  );

  await plane.stop();
  assert.deepEqual(
    Object.values(plane.programs).filter(({ pid }) => isAlive(pid)),
    [],
  );
  assert.equal(existsSync(plane.dir), false);
});

test('an API server that refuses its flags is quoted, and leaves nothing', {
  skip: missing(...CONTROL_PLANE),
}, async (t) => {
  const room = ownTemporaryFolder(t);
  await assert.rejects(
    startControlPlane({ apiServerFlags: ['--nonsense'] }),
    /^Error: kube-apiserver ended; its log ends:\n[\s\S]*unknown flag: --nonsense/,
  );
  assert.deepEqual(readdirSync(room), []);
});

test('the controllers and the scheduler work', {
  skip: missing(...CONTROL_PLANE, 'kube-controller-manager', 'kube-scheduler'),
}, async (t) => {
  const plane = await startControlPlane({ controllers: true, scheduler: true });
  t.after(() => plane.stop());
  const { client } = plane;
  await until('the default service account', () =>
    client.find('/api/v1/namespaces/default/serviceaccounts/default'),
  );
  await client.create('/api/v1/namespaces/default/pods', {
    metadata: { name: 'one' },
    spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] },
  });
  const condition = await until('the scheduler to judge the pod', async () => {
    const pod = await client.get<Pod>('/api/v1/namespaces/default/pods/one');
    return pod.status.conditions?.find(({ type }) => type === 'PodScheduled') ?? null;
  });
  assert.equal(condition.message, 'no nodes available to schedule pods');
});

interface Pod extends KubeObject {
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

test('kubectl takes the kubeconfig of a user', {
  skip: missing(...CONTROL_PLANE, 'kubectl'),
}, async (t) => {
  const plane = await startControlPlane();
  t.after(() => plane.stop());
  const kubeconfig = await plane.writeKubeconfig('jane/o+p', ['a/b', 'c']);
  const { stdout } = await run(partPath('kubectl'), ['auth', 'whoami', '-o', 'json'], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const { userInfo } = JSON.parse(stdout).status;
  assert.equal(userInfo.username, 'jane/o+p');
  assert.deepEqual(userInfo.groups, ['a/b', 'c', 'system:authenticated']);
});
