import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletFinder } from '../../src/collection/agent/kubelet-finder.ts';
import { kubeletProbe } from '../../src/collection/agent/kubelet-run.ts';
import { machineStateText, readMachineState } from '../../src/collection/agent/machine-state.ts';
import { isKubeletRun } from '../../src/domain/nodes/kubelet-run.ts';
import type { FakeMachine } from '../ports/fake/host.ts';
import { createFakeHost } from '../ports/fake/host.ts';
import { stateOf, TIMES, toolsOf, verdictOf } from './scene.ts';

function stat(pid: number, name: string, parent: number, ticks: number): string {
  return `${pid} (${name}) S ${parent} ${pid} ${pid} 0 -1 4194560 41 0 9 0 3 1 0 0 20 0 15 0 ${ticks} 1948 9031\n`;
}

function machine(
  root: string,
  ...processes: readonly (readonly [number, string, number, number])[]
): FakeMachine {
  const files = processes.map(([pid, ...rest]) => [`${root}/proc/${pid}/stat`, stat(pid, ...rest)]);
  return { files: { [`${root}/proc/uptime`]: '9 9\n', ...Object.fromEntries(files) } };
}

test('finds when the kubelet began, below the root of the machine', async () => {
  const host = createFakeHost(machine('/host', [1, 'systemd', 0, 1], [812, 'kubelet', 1, 4187]));
  assert.equal(await kubeletFinder()({ host, root: '/host' }), 41_870);
  assert.equal(await kubeletFinder()({ host, root: null }), null);
});

test('takes the kubelet of the machine, not one in a container', async () => {
  const inContainer = [700, 'kubelet', 650, 900] as const;
  const host = createFakeHost(machine('', inContainer, [812, 'kubelet', 1, 4187]));
  assert.equal(await kubeletFinder()({ host, root: null }), 41_870);
  assert.equal(
    await kubeletFinder()({ host: createFakeHost(machine('', inContainer)), root: null }),
    9_000,
  );
});

test('sees the next run, also under the same number, and lists processes only then', async () => {
  const find = kubeletFinder();
  let lists = 0;
  const look = async (now: FakeMachine): Promise<number | null> => {
    const host = createFakeHost(now);
    const listFolder = async (path: string): Promise<readonly string[]> => {
      lists++;
      return host.listFolder(path);
    };
    return find({ host: { ...host, listFolder }, root: null });
  };
  const first = machine('', [812, 'kubelet', 1, 4187]);
  assert.deepEqual([await look(first), await look(first), lists], [41_870, 41_870, 1]);
  assert.equal(await look(machine('', [812, 'kubelet', 1, 9000])), 90_000);
  assert.equal(await look(machine('', [812, 'bash', 1, 9100], [99, 'kubelet', 1, 9200])), 92_000);
  assert.equal(await look(machine('', [812, 'bash', 1, 9100])), null);
});

test('says which run of the kubelet it sees, and nothing where it sees none', async () => {
  const tools = toolsOf({});
  const seen = kubeletProbe(tools, stateOf(tools, { kubeletStartedMs: 41_870 }), TIMES);
  assert.equal(await verdictOf(seen), 'yes Started41870msAfterBoot');
  assert.ok(isKubeletRun('Started41870msAfterBoot') && !isKubeletRun('Proving'));
  assert.equal(
    await verdictOf(kubeletProbe(tools, stateOf(tools), TIMES)),
    'unknown KubeletUnseen',
  );
  const old = stateOf(tools, { atMs: 0, kubeletStartedMs: 41_870 });
  assert.equal(await verdictOf(kubeletProbe(tools, old, TIMES)), 'unknown MachineUnseen');
});

test('a state of an agent that knew nothing of kubelets has none', async () => {
  const tools = toolsOf({});
  const state = await stateOf(tools, { kubeletStartedMs: 5 })();
  const { kubeletStartedMs: _, ...before } = state;
  const files = { '/new': machineStateText(state), '/old': JSON.stringify(before) };
  const host = createFakeHost({ files });
  assert.equal((await readMachineState(host, '/new')).kubeletStartedMs, 5);
  assert.equal((await readMachineState(host, '/old')).kubeletStartedMs, null);
});
