import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../../src/ports/port-error.ts';
import { createKernel } from '../../../src/sim/kernel/kernel.ts';
import { createClient } from '../../../src/sim/kube/client.ts';
import type { ApiUser } from '../../../src/sim/kube/contract.ts';
import { kubePort } from '../../../src/sim/kube/port.ts';
import type { PortHooks } from '../../../src/sim/kube/port-hooks.ts';
import { kubeWritesPort } from '../../../src/sim/kube/port-writes.ts';
import { createApiServer } from '../../../src/sim/kube/server.ts';
import { CONFIG_MAPS } from '../../ports/kube-api.contract.ts';
import { performContract } from '../../runtime/perform.contract.ts';
import { kubeWritesContract } from '../../ports/kube-writes.contract.ts';
import type { KubeWritesHarness } from '../../ports/kube-writes.harness.ts';

const ADMIN: ApiUser = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const STRANGER: ApiUser = { name: 'stranger', groups: ['system:authenticated'] };
const NAMESPACE = 'team';

function inSimulatedWorld(hooks: PortHooks = {}): KubeWritesHarness {
  const kernel = createKernel({ seed: 1, startMs: 1_750_000_000_000 });
  const server = createApiServer({ kernel });
  const shared = { server, clock: kernel.clock() };
  createClient(server, ADMIN).create({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  return {
    api: kubePort({ ...shared, user: ADMIN }),
    writes: kubeWritesPort({ ...shared, user: ADMIN, ...hooks }),
    stranger: kubeWritesPort({ ...shared, user: STRANGER }),
    namespace: NAMESPACE,
  };
}

kubeWritesContract('the simulated API server', () => Promise.resolve(inSimulatedWorld()));
performContract('the simulated API server', () => Promise.resolve(inSimulatedWorld()));

const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, name: 'a' },
};

test('a write whose answer is lost has taken effect', async () => {
  const asked: string[] = [];
  const { api, writes } = inSimulatedWorld({
    loses: ({ verb, resource }) => {
      asked.push(`${verb} ${resource}`);
      return new PortError({ failure: 'unclear', message: 'lost' });
    },
  });
  await assert.rejects(writes.create(CONFIG_MAPS, OBJECT), /lost/);
  assert.deepEqual(asked, ['create configmaps']);
  await api.get(CONFIG_MAPS, { namespace: NAMESPACE, name: 'a' });
});

test('a write that is stopped on its way has not', async () => {
  const failure = new PortError({ failure: 'unreachable', message: 'stopped' });
  const { api, writes } = inSimulatedWorld({ fault: () => failure });
  await assert.rejects(writes.create(CONFIG_MAPS, OBJECT), failure);
  await assert.rejects(api.get(CONFIG_MAPS, { namespace: NAMESPACE, name: 'a' }), /not found/);
});
