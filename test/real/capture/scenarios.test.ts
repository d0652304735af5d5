import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadExamples } from '../../causes/example.ts';
import { captureCommand, exampleName } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const CAPTURED_MIN = 225;

const captured = loadExamples().filter((example) => example.captured !== null);

test(`at least ${CAPTURED_MIN} examples are captured from real programs`, () => {
  assert.ok(captured.length >= CAPTURED_MIN, `there are ${captured.length}`);
});

test('every captured example names a scenario, whose truth it has', () => {
  const wrong = captured.filter(({ cause, name, captured: command, instead }) => {
    const scenario = SCENARIOS.find(({ id }) => captureCommand(id) === command);
    return (
      scenario === undefined ||
      scenario.cause !== cause ||
      exampleName(scenario) !== name ||
      (scenario.instead ?? null) !== instead
    );
  });
  assert.deepEqual(
    wrong.map(
      ({ cause, name }) => `${cause}/${name}: capture it again: npm run capture -- --write`,
    ),
    [],
  );
});

test('every scenario has a unique name', () => {
  assert.equal(new Set(SCENARIOS.map(({ id }) => id)).size, SCENARIOS.length);
});
