import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/evidence/json.ts';
import {
  ConfigurationError,
  type ConfigurationSources,
  configured,
  flagOf,
  variableOf,
} from '../../src/runtime/configuration/configuration.ts';
import type { Settings } from '../../src/runtime/configuration/setting.ts';

const SETTINGS = {
  logLevel: { kind: 'choice', help: 'h', fallback: 'info', values: ['debug', 'info'] },
  leaseMs: { kind: 'number', help: 'h', fallback: 15_000, least: 1000, most: 60_000 },
  record: {
    kind: 'text',
    help: 'h',
    fallback: null,
    check: (value) => (value.includes('://') ? null : 'is not a URL'),
  },
  nodeConditions: { kind: 'switch', help: 'h', fallback: false },
  groups: { kind: 'list', help: 'h', fallback: [], itemsMost: 3 },
} as const satisfies Settings;

const SECRET = {
  url: {
    kind: 'text',
    help: 'h',
    fallback: null,
    isSecret: true,
    check: (value) => (value.startsWith('https://') ? null : 'is not an https URL'),
  },
  keep: { kind: 'duration', help: 'h', fallback: 60_000, least: 1000, most: 3_600_000 },
} as const satisfies Settings;

const NOTHING: ConfigurationSources = { file: null, flags: {}, environment: {} };

function read(sources: Partial<ConfigurationSources>): Readonly<Record<string, unknown>> {
  return configured(SETTINGS, { ...NOTHING, ...sources });
}

function troubles(sources: Partial<ConfigurationSources>): readonly string[] {
  try {
    read(sources);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    assert.equal(error.message, error.troubles.join('; '));
    return error.troubles;
  }
  return [];
}

test('what nobody sets has its fallback', () => {
  const fallbacks = { logLevel: 'info', leaseMs: 15_000, record: null, nodeConditions: false };
  assert.deepEqual(read({}), { ...fallbacks, groups: [] });
  assert.deepEqual(read({ file: {} }), read({}));
});

test('names have the forms of their sources', () => {
  assert.deepEqual([flagOf('leaseMs'), variableOf('leaseMs')], ['lease-ms', 'ROLLCALL_LEASE_MS']);
});

test('a flag comes before a variable, and that before the file', () => {
  const file = { leaseMs: 2000, nodeConditions: true, groups: ['a'], record: 'x://a' };
  const environment = {
    ROLLCALL_LEASE_MS: '3000',
    ROLLCALL_GROUPS: ' b, c ,',
    ROLLCALL_RECORD: '',
    ROLLCALL_NODE_CONDITIONS: 'false',
  };
  const flags = { 'lease-ms': '4000', 'log-level': 'debug' };
  assert.deepEqual(read({ file, environment, flags }), {
    logLevel: 'debug',
    leaseMs: 4000,
    record: 'x://a',
    nodeConditions: false,
    groups: ['b', 'c'],
  });
});

const REFUSED: readonly (readonly [Partial<ConfigurationSources>, string])[] = [
  [{ file: { leaseMs: 999 } }, 'leaseMs: 999 is below 1000'],
  [{ file: { leaseMs: 60_001 } }, 'leaseMs: 60001 is above 60000'],
  [{ file: { leaseMs: '2000' } }, 'leaseMs: "2000" is not a number'],
  [{ file: { leaseMs: null } }, 'leaseMs: null is not a number'],
  [{ flags: { 'lease-ms': '2e4' } }, '--lease-ms: "2e4" is not a number'],
  [{ flags: { 'lease-ms': '' } }, '--lease-ms: "" is not a number'],
  [
    { environment: { ROLLCALL_LOG_LEVEL: 'loud' } },
    'ROLLCALL_LOG_LEVEL: "loud" is not one of debug, info',
  ],
  [{ file: { nodeConditions: 'yes' } }, 'nodeConditions: "yes" is neither true nor false'],
  [
    { flags: { 'node-conditions': 'constructor' } },
    '--node-conditions: "constructor" is neither true nor false',
  ],
  [{ file: { record: 'here' } }, 'record: "here" is not a URL'],
  [{ file: { record: 7 } }, 'record: 7 is not a text'],
  [{ file: { groups: 'a' } }, 'groups: "a" is not a list of texts'],
  [{ file: { groups: ['a', 1] } }, 'groups: ["a",1] is not a list of texts'],
  [
    { file: { groups: ['a', 'b', 'c', 'd'] } },
    'groups: ["a","b","c","d"] has more than 3 items, or a long one',
  ],
  [{ file: ['a'] }, 'the file is not a mapping of names to values'],
  [{ file: { leaseMS: 1 } }, 'unknown setting "leaseMS"; did you mean leaseMs?'],
  [{ file: { somethingElse: 1 } }, 'unknown setting "somethingElse"'],
];

test('what is wrong is named with its source and value', () => {
  for (const [sources, why] of REFUSED) assert.deepEqual(troubles(sources), [why]);
});

test('all that is wrong is named together', () => {
  const sources = { file: { leaseMs: 1, nope: 1 }, flags: { 'log-level': 'x' } };
  assert.equal(troubles(sources).length, 3);
});

test('a hostile file says little and sets nothing', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]));
  assert.equal(troubles({ file: many }).length, 10);
  const inherited = JSON.parse('{"__proto__": {"leaseMs": 2000}, "constructor": 1}') as Json;
  assert.equal(troubles({ file: inherited }).length, 2);
  const [long] = troubles({ file: { record: 'a'.repeat(5000) } });
  assert.match(long ?? '', /^record: "a{58}… is longer than 4096$/);
  const [secret] = troubles({ file: { record: 'token abcdef.0123456789abcdef' } });
  assert.doesNotMatch(secret ?? '', /0123456789abcdef/);
});

test('a secret is taken from no flag, and no message has it', () => {
  const flags = { url: 'https://h/flag' };
  const environment = { ROLLCALL_URL: 'https://h/variable' };
  assert.equal(configured(SECRET, { file: null, flags, environment }).url, 'https://h/variable');
  assert.equal(configured(SECRET, { file: null, flags, environment: {} }).url, null);
  const file = { url: 'ftp://hunter2' };
  assert.throws(
    () => configured(SECRET, { file, flags, environment: {} }),
    new ConfigurationError(['url: the value is not an https URL']),
  );
});

test('a time has its unit in every source', () => {
  const keepOf = (sources: Partial<ConfigurationSources>): number =>
    configured(SECRET, { ...NOTHING, ...sources }).keep;
  assert.equal(keepOf({ file: { keep: '90s' } }), 90_000);
  assert.equal(keepOf({ flags: { keep: '1h' } }), 3_600_000);
  for (const [keep, why] of [
    [90, '90 is not a time such as 30s, 15m, 2h or 1d'],
    ['2h', '"2h" is above 1h'],
    ['0s', '"0s" is below 1s'],
  ] as const)
    assert.throws(() => keepOf({ file: { keep } }), new ConfigurationError([`keep: ${why}`]));
});
