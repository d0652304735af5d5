import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writtenBy } from '../testing.ts';
import { readMetadata } from './metadata.ts';

const ROLES = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';

function said(...lines: readonly string[]): readonly string[] {
  return writtenBy((passage) => {
    readMetadata(passage, lines);
  }).said.map(({ text }) => text);
}

describe('what instance metadata answered to the question for a role', () => {
  const answers: readonly (readonly [string, readonly string[], string])[] = [
    ['the status alone', [`$ curl -s -o /dev/null -w '%{http_code}' ${ROLES}`, '404'], '404'],
    [
      'a header',
      [`# curl -i "${ROLES}"`, 'HTTP/1.1 404 Not Found', 'Content-Type: text/html'],
      '404',
    ],
    [
      'a header as curl -v shows it',
      [`TOKEN=$(cat t) && curl -v ${ROLES}`, '* Trying', '> GET /', '< HTTP/1.1 401 Unauthorized'],
      '401',
    ],
    [
      'a page',
      [`$ curl ${ROLES}`, '<?xml version="1.0"?>', '  <title>404 - Not Found</title>'],
      '404',
    ],
    ['an error', [`$ curl -f ${ROLES}`, 'curl: (22) The requested URL returned error: 404'], '404'],
    [
      'what wget shows',
      [`$ wget -qS ${ROLES}`, 'HTTP request sent, awaiting response... 404 Not Found'],
      '404',
    ],
    ['the name of a role', [`$ curl ${ROLES}`, 'node-role'], '200'],
  ];
  for (const [what, lines, status] of answers)
    test(`is ${what}`, () => {
      assert.deepEqual(said(...lines), [
        `GET /latest/meta-data/iam/security-credentials/: ${status}`,
      ]);
    });

  test('is nothing where a pod asked, and nothing that a later question got', () => {
    assert.deepEqual(said(`$ kubectl exec web-0 -- curl ${ROLES}`, '404 page'), []);
    assert.deepEqual(said(`$ curl ${ROLES}x`, '404'), []);
    assert.equal(said(`$ curl ${ROLES}`, `$ curl -w '%{http_code}' ${ROLES}`, '404').length, 1);
  });
});
