import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesOf } from './messages.ts';

function shown(pattern: RegExp, ...messages: readonly string[]): void {
  assert.deepEqual(messagesOf(pattern), messages);
}

test('shows a message from its first letter', () => {
  shown(
    /[Aa]ttempting to reclaim"? (?:resourceName=)?"?(?<what>memory|pids)\b/,
    'Attempting to reclaim" resourceName="memory',
  );
  shown(/Failed to run module scripts[-_]user/, 'Failed to run module scripts-user');
  shown(/(?:ARN|[Ii]dentity) is not mapped/, 'ARN is not mapped');
});

test('shows one message for each alternative of the whole expression', () => {
  shown(/Errors parsing (?:a|b)|There was an error/, 'Errors parsing a', 'There was an error');
  shown(/no route|no route/, 'no route');
});

test('marks where a message varies', () => {
  shown(/Node "(?<node>[^"\]]+)" is gone/, 'Node "…" is gone');
  shown(/access denied.*is not mapped/, 'access denied … is not mapped');
  shown(/line \d+: \S+: command not found/, 'line …: …: command not found');
  shown(/lookup \S+\.\d+\.\d+ on (?:\S+) .{0,9}failed/, 'lookup … on … failed');
  shown(/arn:aws[\w-]*:iam/, 'arn:aws…:iam');
  shown(/reason: (?<reason>.{0,160})/, 'reason: …');
});

test('leaves out what a message neither begins with nor must have', () => {
  shown(/^\s*.*\bkubelet: (?!not)(?:\d+d)?v\d?stopped$/, 'kubelet: vstopped');
  shown(/(?<=a)stopped["']{0,3} here/, 'stopped here');
  shown(/cluster ID(?= must be given)/, 'cluster ID must be given');
  shown(/configmaps "?aws-auth"?(?: was)? not found/, 'configmaps "aws-auth" was not found');
  shown(/[-+]\s/);
});
