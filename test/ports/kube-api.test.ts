import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from './fake/clock.ts';
import { FakeKubeApi } from './fake/kube-api.ts';
import { CONFIG_MAPS, type KubeApiHarness, kubeApiContract } from './kube-api.contract.ts';

async function inMemory(): Promise<KubeApiHarness> {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  const stranger = new FakeKubeApi({ clock });
  const namespace = 'team';
  api.serve(CONFIG_MAPS);
  stranger.serve(CONFIG_MAPS);
  for (const verb of ['list', 'watch']) stranger.forbid(`${verb} configmaps`);
  return {
    api,
    stranger,
    namespace,
    put: async (name, labels = {}) => {
      api.put(CONFIG_MAPS, { metadata: { namespace, name, labels } });
    },
    remove: async (name) => api.remove(CONFIG_MAPS, { namespace, name }),
    during: async (waited) => {
      const [result] = await Promise.all([waited, clock.advance(2_000)]);
      return result;
    },
  };
}

kubeApiContract('the server in memory', inMemory);

test('the server in memory keeps logs and the health of kubelets', async () => {
  const api = new FakeKubeApi({ clock: virtualClock() });
  const pod = { namespace: 'team', name: 'p' };
  api.setLog(pod, 'one\ntwo\nthree\n');
  const log = await api.logs(pod, { tailLines: 2, bytesMax: 8 });
  assert.equal(new TextDecoder().decode(log), 'o\nthree\n');
  api.setKubelet('n1', 'ok');
  assert.equal(await api.kubeletHealth('n1'), 'ok');
});
