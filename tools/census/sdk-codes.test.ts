import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codesOf, enumerationsIn, errorsIn } from './sdk-codes.ts';

test('takes errors and the enumerations that are asked for', () => {
  const enums =
    'export declare const IssueCode: {\n    readonly GONE: "Gone";\n    readonly LATE: "Late";\n};\n' +
    'export declare const Colour: {\n    readonly RED: "Red";\n};\n';
  const model = { client: 'client-x', enumerations: /Code$/ };
  assert.deepEqual(
    enumerationsIn(model, enums).map(({ text, file }) => `${file} ${text}`),
    ['client-x/IssueCode Gone', 'client-x/IssueCode Late'],
  );
  const errors = 'export declare class GoneException extends __BaseException {\n}\n';
  assert.deepEqual(
    errorsIn('client-x', errors).map(({ text }) => text),
    ['GoneException'],
  );
});

test('finds the issue codes of node groups in the SDK that is installed', () => {
  const codes = codesOf({ client: 'client-eks', enumerations: /^NodegroupIssueCode$/ });
  const texts = codes.map(({ text }) => text);
  assert.ok(texts.includes('AsgInstanceLaunchFailures'));
  assert.ok(texts.includes('ResourceNotFoundException'));
});
