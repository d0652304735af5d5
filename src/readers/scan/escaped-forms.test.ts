import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapedForms } from './escaped-forms.ts';

test('plain text has one form', () => {
  assert.deepEqual(escapedForms('Unable to register node'), ['Unable to register node']);
});

test('a quotation mark is escaped once and twice', () => {
  assert.deepEqual(escapedForms('pod "a"'), ['pod "a"', 'pod \\"a\\"', 'pod \\\\\\"a\\\\\\"']);
});

test('angle brackets and ampersands also have the escapes of encoding/json', () => {
  assert.deepEqual(escapedForms('a -> b & c'), ['a -> b & c', 'a -\\u003e b \\u0026 c']);
});

test('both kinds of escapes occur together', () => {
  assert.ok(escapedForms('"<nil>"').includes('\\"\\u003cnil\\u003e\\"'));
});
