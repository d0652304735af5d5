import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lookAtMachine,
  machineStateText,
  readMachineState,
} from '../../src/collection/agent/machine-state.ts';
import { metadataProbe, noticeProbe } from '../../src/collection/agent/metadata.ts';
import { createFakeHost, type FakeMachine } from '../ports/fake/host.ts';
import { ROLES, stateOf, TIMES, TOKEN, toolsOf, verdictOf } from './scene.ts';

const RULE =
  '-A PREROUTING -d 169.254.169.254/32 -i cali+ -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.0.0.1:8181\n';
const FLOW =
  'tcp      6 431999 ESTABLISHED src=10.1.0.2 dst=169.254.169.254 sport=36702 dport=80 src=169.254.169.254 dst=10.0.0.1 sport=80 dport=36702 [ASSURED] mark=0 use=1\n';
const TRIE = '     |-- 10.0.0.1\n        /32 host LOCAL\n';
const BASE = 'http://169.254.169.254/latest/meta-data';
const EXPECTED = { nodeRole: null, isSilenceExpected: false };

function machine(change: FakeMachine = {}): FakeMachine {
  return {
    programs: {
      'iptables-save': { stdout: RULE },
      'nft -j list ruleset': { stdout: '{"nftables": []}' },
      'conntrack -L -p tcp --orig-dst 169.254.169.254': { stdout: FLOW },
    },
    files: { '/proc/net/fib_trie': TRIE },
    replies: {
      [TOKEN]: { body: 'token' },
      [ROLES]: { body: 'node' },
      [`${BASE}/spot/instance-action`]: { status: 404 },
      [`${BASE}/events/maintenance/scheduled`]: { body: '[]' },
      [`${BASE}/events/recommendations/rebalance`]: { status: 404 },
    },
    ...change,
  };
}

test('sees the rule, the connections, the own addresses and the role of a machine', async () => {
  const state = await lookAtMachine({ host: createFakeHost(machine()), root: null }, 7);
  assert.equal(state.atMs, 7);
  assert.equal(state.nodeRole, 'node');
  assert.deepEqual(state.notices, []);
  assert.equal(state.path.rules?.[0]?.to, '10.0.0.1:8181');
  assert.equal(state.path.flows?.[0]?.from, '10.1.0.2');
  assert.deepEqual(state.path.ownAddresses, ['10.0.0.1']);
});

test("runs the machine's programs where its file system is mounted", async () => {
  const programs = { 'chroot /host iptables-save': { stdout: RULE } };
  const host = createFakeHost(machine({ programs }));
  const { path } = await lookAtMachine({ host, root: '/host' }, 7);
  assert.equal(path.rules?.length, 1);
});

test("takes the kernel's own list of connections where there is no conntrack", async () => {
  const programs = { 'iptables-save': { stdout: RULE } };
  const files = { '/proc/net/nf_conntrack': `ipv4     2 ${FLOW}` };
  const host = createFakeHost(machine({ programs, files }));
  const { path } = await lookAtMachine({ host, root: null }, 7);
  assert.equal(path.flows?.length, 1);
});

test('what cannot be read is unknown, and never empty', async () => {
  const host = createFakeHost({});
  const state = await lookAtMachine({ host, root: null }, 7);
  assert.deepEqual([state.path.rules, state.path.flows], [null, null]);
  assert.deepEqual([state.nodeRole, state.notices], [undefined, null]);
});

test('the rules are unknown when their program fails', async () => {
  const programs = { 'iptables-save': { stdout: '', exitCode: 1 } };
  const { path } = await lookAtMachine({ host: createFakeHost({ programs }), root: null }, 7);
  assert.equal(path.rules, null);
});

for (const change of [{}, { replies: {} }, { programs: {} }] as const)
  test(`the other half reads what was written: ${Object.keys(change)[0] ?? 'all'}`, async () => {
    const state = await lookAtMachine({ host: createFakeHost(machine(change)), root: null }, 7);
    const text = machineStateText(state);
    const host = createFakeHost({ files: { '/s.json': text } });
    assert.deepEqual(await readMachineState(host, '/s.json'), state);
  });

for (const text of ['', '{', '[]', '{"atMs": "1"}', '{"atMs": 1, "path": []}'])
  test(`refuses ${text === '' ? 'an empty file' : text} as the state of a machine`, async () => {
    const host = createFakeHost({ files: { '/s.json': text } });
    await assert.rejects(readMachineState(host, '/s.json'), /not the state of a machine/);
  });

test('leaves out parts of a state that are not as they should be', async () => {
  const text = JSON.stringify({
    atMs: 1,
    nodeRole: 7,
    notices: [{ kind: 'other', action: 'x' }, 5],
    path: { rules: [{ text: 'r', does: 'accept' }, null], flows: [[]], ownAddresses: [1, 'a'] },
  });
  const host = createFakeHost({ files: { '/s.json': text } });
  const { notices, path } = await readMachineState(host, '/s.json');
  assert.deepEqual([notices, path], [[], { rules: [], flows: [], ownAddresses: ['a'] }]);
});

test("is False while a pod gets the node's role", async () => {
  const tools = toolsOf(machine());
  const probe = metadataProbe(tools, stateOf(tools), EXPECTED, TIMES);
  assert.equal(await verdictOf(probe), 'no NodeRoleExposed');
});

test('proves nothing without the machine, and says no without it', async () => {
  const tools = toolsOf(machine({ replies: { [ROLES]: { body: 'team' } } }));
  const old = stateOf(tools, { atMs: tools.clock.nowMs() - 31_000 });
  const given = { ...EXPECTED, nodeRole: 'node' };
  assert.equal(await verdictOf(metadataProbe(tools, old, given, TIMES)), 'unknown MachineUnseen');
  const exposed = metadataProbe(tools, old, { ...given, nodeRole: 'team' }, TIMES);
  assert.equal(await verdictOf(exposed), 'no NodeRoleExposed');
});

const NOTICES: readonly (readonly [string, string, string, string])[] = [
  [
    'spot/instance-action',
    '{"action":"terminate","time":"2026-01-01T00:02:00Z"}',
    'SpotInterruption',
    'EC2 will terminate this Spot Instance at 2026-01-01T00:02:00Z.',
  ],
  [
    'events/recommendations/rebalance',
    '{"noticeTime":"2026-01-01T00:02:00Z"}',
    'RebalanceRecommendation',
    'EC2 recommends to replace this Spot Instance at 2026-01-01T00:02:00Z.',
  ],
  [
    'events/maintenance/scheduled',
    '[{"Code":"system-reboot","State":"active","NotBefore":"21 Jan 2026 09:00:43 GMT"}]',
    'ScheduledEvent',
    'EC2 has scheduled system-reboot for this instance at 21 Jan 2026 09:00:43 GMT.',
  ],
];

for (const [path, body, reason, message] of NOTICES)
  test(`${path} becomes the notice ${reason}`, async () => {
    const replies = { ...machine().replies, [`${BASE}/${path}`]: { body } };
    const tools = toolsOf(machine({ replies }));
    const { notices } = await lookAtMachine({ host: tools.host, root: null }, 7);
    const probe = noticeProbe(tools, stateOf(tools, { notices }), TIMES);
    const result = await probe.look(new AbortController().signal);
    assert.deepEqual(result, { answer: 'yes', reason, message });
    assert.equal(probe.says, 'notice');
  });

for (const [what, body] of [
  ['a page', '<html>'],
  ['words in place of an action', '{"action":"rm -rf /; x","time":"now"}'],
] as const)
  test(`${what} is no notice`, async () => {
    const replies = { ...machine().replies, [`${BASE}/spot/instance-action`]: { body } };
    const { host } = toolsOf(machine({ replies }));
    assert.deepEqual((await lookAtMachine({ host, root: null }, 7)).notices, []);
  });

test('no notice is False, and one that was not asked for is unknown', async () => {
  const tools = toolsOf({});
  assert.equal(await verdictOf(noticeProbe(tools, stateOf(tools), TIMES)), 'no NoNotice');
  const unasked = noticeProbe(tools, stateOf(tools, { notices: null }), TIMES);
  assert.equal(await verdictOf(unasked), 'unknown NoAnswer');
});
