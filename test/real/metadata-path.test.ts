/**
 * The way of pods to 169.254.169.254, in network namespaces: the machine's role is there for every
 * pod until an agent redirects them, which it does only once it reaches the API server, whose
 * address is a black hole at first. How long a pod has the wrong identity, by who lets it start.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { until } from './bench.ts';
import { type Inside, Namespaces, withoutNamespaces } from './namespaces.ts';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = join(import.meta.dirname, 'metadata-path');
const NODE_ROLE = 'node-role';
const POD = '10.77.1.2';
const CANARY = '10.77.2.2';
const AGENT = '10.77.0.1';
const API_SERVER = '10.96.0.1';
/** How long the API server's address leads nowhere after the machine has started. */
const BLACK_HOLE_MS = 4_000;
const WITH_NAMESPACES = { skip: withoutNamespaces(), timeout: 90_000 };

const folder = mkdtempSync(join(tmpdir(), 'rollcall-metadata-path-'));
after(() => rmSync(folder, { recursive: true }));

/** A kubeconfig of a cluster that nobody asks, as conditions are printed and not written. */
function kubeconfig(): string {
  const path = join(folder, 'kubeconfig');
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const config = { clusters: [cluster], contexts: [context], users: [{ name: 'u', user: {} }] };
  writeFileSync(path, JSON.stringify({ ...config, 'current-context': 'c' }));
  return path;
}

interface Machine {
  readonly spaces: Namespaces;
  readonly lateAgent: Inside;
}

function script(name: string, ...args: readonly string[]): readonly string[] {
  return [process.execPath, join(PARTS, name), ...args];
}

async function said(inside: Inside, what: string | RegExp): Promise<string> {
  const matches = (line: string): boolean =>
    typeof what === 'string' ? line === what : what.test(line);
  return until(`${what}`, async () => inside.lines.find(matches) ?? null).catch(
    (error: unknown) => {
      throw new Error(inside.lines.join('\n'), { cause: error });
    },
  );
}

/** The machine, two pods and what is behind the machine. */
function layNetwork(spaces: Namespaces): void {
  for (const name of ['cloud', 'machine', 'pod', 'canary']) spaces.add(name);
  spaces.connect(['machine', 'eth0', '10.70.0.2/24'], ['cloud', 'eth0', '10.70.0.1/24']);
  spaces.connect(['machine', 'cali1', '10.77.1.1/24'], ['pod', 'eth0', `${POD}/24`]);
  spaces.connect(['machine', 'cali2', '10.77.2.1/24'], ['canary', 'eth0', `${CANARY}/24`]);
  spaces.run('machine', `ip addr add ${AGENT}/32 dev lo`);
  spaces.run('machine', 'ip route add default via 10.70.0.1');
  spaces.run('machine', 'sysctl -qw net.ipv4.ip_forward=1');
  // As a pod network has it on every machine, so that connections are tracked from the start.
  spaces.run('machine', 'iptables -t nat -A POSTROUTING -o eth0 -j MASQUERADE');
  spaces.run('pod', 'ip route add default via 10.77.1.1');
  spaces.run('canary', 'ip route add default via 10.77.2.1');
  spaces.run('cloud', 'ip addr add 169.254.169.254/32 dev lo');
}

/** Until then packets for the API server are dropped without a word. */
function openRoute({ spaces }: Machine): void {
  spaces.run('cloud', `ip addr add ${API_SERVER}/32 dev lo`);
}

async function startMachine(t: TestContext, name: string): Promise<Machine> {
  const spaces = new Namespaces(`rc-${name}`);
  t.after(async () => spaces.stop());
  layNetwork(spaces);
  const metadata = spaces.start('cloud', script('metadata-server.ts', NODE_ROLE));
  const apiServer = spaces.start('cloud', script('api-server.ts'));
  await Promise.all([said(metadata, 'listens'), said(apiServer, 'listens')]);
  const roles = [`${POD}=team-role`, `${CANARY}=canary-role`];
  const lateAgent = spaces.start('machine', script('late-agent.ts', AGENT, API_SERVER, ...roles));
  const machine = { spaces, lateAgent };
  const timer = setTimeout(openRoute, BLACK_HOLE_MS, machine);
  t.after(() => clearTimeout(timer));
  await said(lateAgent, 'listens');
  return machine;
}

/** Both halves of our agent: one in the machine's network, one as a pod. */
function startAgent({ spaces }: Machine, name: string): Inside {
  const state = join(folder, `${name}.json`);
  const program = [join(ROOT, 'bin/rollcall'), 'agent'];
  spaces.start('machine', [...program, '--write-machine-state', state]);
  const flags =
    `--node node00 --kubeconfig ${kubeconfig()} --machine-state ${state} --listen 127.0.0.1:0 ` +
    '--probes metadata,identity --identity kiam --identity-role canary-role --interval 1s --fresh 10s';
  return spaces.start('canary', [...program, ...flags.split(' ')]);
}

interface Answer {
  readonly atMs: number;
  readonly role: string;
}

function answersOf({ lines }: Inside): readonly Answer[] {
  return lines.map((line) => JSON.parse(line) as Answer);
}

/** From the first wrong answer to the first right one behind the last wrong one, s. */
function wrongSeconds(answers: readonly Answer[]): number {
  const first = answers.findIndex(({ role }) => role === NODE_ROLE);
  if (first === -1) return 0;
  const last = answers.findLastIndex(({ role }) => role === NODE_ROLE);
  const end = answers[last + 1] ?? answers[last];
  return ((end?.atMs ?? 0) - (answers[first]?.atMs ?? 0)) / 1000;
}

/** Lets the pod run until it has asked some more after the redirect came. */
async function askedBeyondRedirect(machine: Machine, pod: Inside): Promise<readonly Answer[]> {
  await said(machine.lateAgent, 'redirects');
  const before = pod.lines.length;
  await until('answers after the redirect', async () =>
    pod.lines.length > before + 10 ? true : null,
  );
  return answersOf(pod);
}

describe('a pod asks for its credentials while the API server is a black hole', () => {
  test(
    'has the wrong identity when the readiness of the DaemonSet lets it start',
    WITH_NAMESPACES,
    async (t) => {
      const machine = await startMachine(t, 'ds');
      // The kubelet's readiness check of the agent passes: it listens.
      assert.equal(machine.spaces.run('machine', `curl -s http://${AGENT}:8181/ping`), 'pong');
      const pod = machine.spaces.start('pod', script('pod.ts', 'fresh'));
      const answers = await askedBeyondRedirect(machine, pod);
      const seconds = wrongSeconds(answers);
      t.diagnostic(
        `wrong identity for ${seconds.toFixed(1)} s, ${BLACK_HOLE_MS / 1000} s of black hole`,
      );
      assert.notEqual(seconds, 0);
      assert.equal(answers.at(-1)?.role, 'team-role');
    },
  );

  test(
    'never has it when MetadataGuarded and PodIdentityWorks let it start',
    WITH_NAMESPACES,
    async (t) => {
      const machine = await startMachine(t, 'our');
      const agent = startAgent(machine, 'our');
      await said(agent, /^rollcall\.dev\/MetadataGuarded False \(NodeRoleExposed\)/);
      await said(agent, /^rollcall\.dev\/PodIdentityWorks False \(NodeIdentity\)/);
      await Promise.all([
        said(agent, /^rollcall\.dev\/MetadataGuarded True \(Redirected\)/),
        said(agent, /^rollcall\.dev\/PodIdentityWorks True \(OwnIdentity\)/),
      ]);
      const pod = machine.spaces.start('pod', script('pod.ts', 'fresh'));
      const answers = await askedBeyondRedirect(machine, pod);
      t.diagnostic(`wrong identity for ${wrongSeconds(answers).toFixed(1)} s`);
      assert.equal(wrongSeconds(answers), 0);
      assert.deepEqual([...new Set(answers.map(({ role }) => role))], ['team-role']);
    },
  );

  test('is named when a connection of it outlives the redirect', WITH_NAMESPACES, async (t) => {
    const machine = await startMachine(t, 'old');
    const pod = machine.spaces.start('pod', script('pod.ts', 'kept'));
    const answers = await askedBeyondRedirect(machine, pod);
    assert.equal(answers.at(-1)?.role, NODE_ROLE, 'the rule does not move an open connection');
    const agent = startAgent(machine, 'old');
    const found = await said(agent, /^rollcall\.dev\/MetadataGuarded False \(OldFlow/);
    t.diagnostic(found);
    assert.match(found, new RegExp(`the node's role: ${POD}:\\d+`.replaceAll('.', '\\.')));
    await pod.stop();
    await said(agent, /^rollcall\.dev\/MetadataGuarded True \(Redirected\)/);
  });
});
