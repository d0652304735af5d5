import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FreshAnswer, type GuardInput, metadataGuard } from './metadata-guard.ts';
import type { MetadataFlow, MetadataPath } from './metadata-path.ts';

const FRESH: FreshAnswer = { tokenStatus: 200, roleStatus: 200, role: 'team', tookMs: 4 };
const SILENT: FreshAnswer = { tokenStatus: null, roleStatus: null, role: null, tookMs: 2000 };
const REDIRECT = {
  text: 'r',
  does: 'redirect',
  to: '10.0.0.1:8181',
  fromInterface: 'cali+',
} as const;
const DROP = { text: 'd', does: 'drop', to: null, fromInterface: null } as const;
const OLD: MetadataFlow = {
  from: '10.1.0.2',
  fromPort: 40000,
  answeredBy: '169.254.169.254',
  state: 'ESTABLISHED',
};

function path(change: Partial<MetadataPath> = {}): MetadataPath {
  return { rules: [REDIRECT], flows: [], ownAddresses: ['10.0.0.1'], ...change };
}

function guard(change: Partial<GuardInput>): string {
  const input = { fresh: FRESH, path: path(), nodeRole: 'node', isSilenceExpected: false };
  const { answer, reason } = metadataGuard({ ...input, ...change });
  return `${answer} ${reason}`;
}

const NODES = { ...FRESH, role: 'node' };
const NO_RULES = path({ rules: [] });

const CASES: readonly (readonly [string, Partial<GuardInput>, string])[] = [
  ['a redirect that gives another role', {}, 'yes Redirected'],
  [
    'a redirect that refuses',
    { fresh: { ...FRESH, roleStatus: 404, role: null } },
    'yes Redirected',
  ],
  ['a redirect to an agent that hangs', { fresh: SILENT }, 'yes RedirectedUnanswered'],
  ["the node's role in spite of a redirect", { fresh: NODES }, 'no NodeRoleExposed'],
  ["the node's role without rules", { fresh: NODES, path: NO_RULES }, 'no NodeRoleExposed'],
  ["the node's role, the machine unseen", { fresh: NODES, path: null }, 'no NodeRoleExposed'],
  ['an old connection', { path: path({ flows: [OLD] }) }, 'no OldFlowBypassesRedirect'],
  ['connections that cannot be listed', { path: path({ flows: null }) }, 'unknown OldFlowsUnread'],
  ['a role and none known', { nodeRole: undefined }, 'unknown NodeRoleUnknown'],
  ['the same without rules', { nodeRole: undefined, path: NO_RULES }, 'unknown NodeRoleUnknown'],
  ['another role without rules', { path: NO_RULES }, 'yes AnsweredByAgent'],
  [
    'another role without rules, and an old connection',
    { path: path({ rules: [], flows: [OLD] }) },
    'no OldFlowBypassesRedirect',
  ],
  [
    'another role, nothing listed',
    { path: path({ rules: null, flows: null }) },
    'unknown OldFlowsUnread',
  ],
  [
    'a hop limit of 1 and required tokens',
    { path: NO_RULES, fresh: { ...SILENT, roleStatus: 401 } },
    'yes HopLimit',
  ],
  [
    'required tokens that pods get',
    { path: NO_RULES, fresh: { ...SILENT, tokenStatus: 200, roleStatus: 401 } },
    'unknown UnclearAnswer',
  ],
  [
    'a disabled endpoint',
    { path: NO_RULES, fresh: { ...SILENT, tokenStatus: 403, roleStatus: 403 } },
    'yes EndpointDisabled',
  ],
  [
    'a machine without a role',
    { path: NO_RULES, nodeRole: null, fresh: { ...FRESH, roleStatus: 404, role: null } },
    'yes NoRoleToExpose',
  ],
  ['silence without a reason', { path: NO_RULES, fresh: SILENT }, 'unknown NoAnswer'],
  ['silence, the machine unseen', { path: null, fresh: SILENT }, 'unknown NoAnswer'],
  ['silence behind a rule', { path: path({ rules: [DROP] }), fresh: SILENT }, 'yes Blocked'],
  [
    'silence that is expected',
    { path: NO_RULES, fresh: SILENT, isSilenceExpected: true },
    'yes Blocked',
  ],
];

for (const [what, change, verdict] of CASES)
  test(`${what}: ${verdict}`, () => {
    assert.equal(guard(change), verdict);
  });

for (const [what, flow] of [
  ['of the machine itself', { ...OLD, from: '10.0.0.1' }],
  ['to the agent', { ...OLD, answeredBy: '10.0.0.1' }],
  ['that is over', { ...OLD, state: 'TIME_WAIT' }],
] as const)
  test(`a connection ${what} bypasses nothing`, () => {
    assert.equal(guard({ path: path({ flows: [flow] }) }), 'yes Redirected');
  });

test('names the pods of old connections, and counts the rest', () => {
  const flows = [1, 2, 3, 4, 5].map((last) => ({ ...OLD, from: `10.1.0.${last}` }));
  const { message } = metadataGuard({
    fresh: FRESH,
    path: path({ flows }),
    nodeRole: 'node',
    isSilenceExpected: false,
  });
  assert.match(message, /: 10\.1\.0\.1:40000, 10\.1\.0\.2:40000, 10\.1\.0\.3:40000 and 2 more\./);
});

test('says how a role is exposed without a token', () => {
  const fresh = { ...NODES, tokenStatus: null };
  const { message } = metadataGuard({
    fresh,
    path: NO_RULES,
    nodeRole: 'node',
    isSilenceExpected: false,
  });
  assert.match(message, /without a token, as the hop limit stops tokens alone/);
});
