import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { readNftRules } from './nft.ts';

const HOST = match('payload', 'daddr', '==', '169.254.169.254');

function match(kind: 'meta' | 'payload', name: string, op: string, right: Json): Json {
  const left =
    kind === 'meta' ? { meta: { key: name } } : { payload: { protocol: 'tcp', field: name } };
  return { match: { op, left, right } };
}

function ruleset(...rules: readonly (readonly Json[])[]): string {
  const listed = rules.map((expr) => ({ rule: { chain: 'pre', expr } }));
  return JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, ...listed] });
}

test('reads who redirects, from where and to where', () => {
  const from = match('meta', 'iifname', '==', 'lxc*');
  const to = { dnat: { family: 'ip', addr: '10.0.0.9', port: 8181 } };
  const [rule] = readNftRules(ruleset([from, HOST, match('payload', 'dport', '==', 80), to]));
  assert.equal(rule?.does, 'redirect');
  assert.equal(rule.to, '10.0.0.9:8181');
  assert.equal(rule.fromInterface, 'lxc*');
});

for (const [what, right, count] of [
  ['a set with the port', { set: [80, 443] }, 1],
  ['a set without it', { set: [443] }, 0],
  ['a range around it', { range: [1, 1024] }, 1],
  ['a range beside it', { range: [8080, 8090] }, 0],
] as const)
  test(`looks into ${what}`, () => {
    const rules = ruleset([HOST, match('payload', 'dport', '==', right), { drop: null }]);
    assert.equal(readNftRules(rules).length, count);
  });

test('turns a match around that is negated', () => {
  const notHttps = match('payload', 'dport', '!=', 443);
  const notHttp = match('payload', 'dport', '!=', 80);
  assert.equal(readNftRules(ruleset([HOST, notHttps, { drop: null }])).length, 1);
  assert.equal(readNftRules(ruleset([HOST, notHttp, { drop: null }])).length, 0);
  const elsewhere = match('meta', 'iifname', '!=', 'eth0');
  const [rule] = readNftRules(ruleset([elsewhere, HOST, { reject: null }]));
  assert.equal(rule?.fromInterface, '!eth0');
});

test('leaves the targets of iptables to iptables-save, which shows where they lead', () => {
  assert.deepEqual(readNftRules(ruleset([HOST, { xt: { type: 'target', name: 'DNAT' } }])), []);
});

for (const text of ['', '{', '[]', '{"nftables": 1}', '{"nftables": [{"rule": {"expr": 7}}]}'])
  test(`reads nothing in ${text === '' ? 'an empty text' : text}`, () => {
    assert.deepEqual(readNftRules(text), []);
  });
