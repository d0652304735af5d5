import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTexts } from './pile.ts';

async function signsOf(text: string): Promise<readonly string[]> {
  const { hits } = await readTexts([{ name: 'paste.txt', text }]);
  return hits.map(({ owner, sign }) => `${owner}/${sign}`);
}

const GONE = 'ami-missing-or-not-shared/selectorMatchesNone';
const ITEM =
  '  - lastTransitionTime: "2025-06-18T20:16:01Z"\n    message: gone\n    reason: AMINotFound\n    status: Unknown\n    type: Launched';

describe('conditions without their object', () => {
  test('are read below their key', async () => {
    assert.ok((await signsOf(`  conditions:\n${ITEM}`)).includes(GONE));
  });

  test('are read without their key', async () => {
    assert.ok((await signsOf(`It stays like this:\n\n${ITEM}`)).includes(GONE));
  });

  test('of an unknown kind belong to no claim', async () => {
    const other = ITEM.replace('Launched', 'Progressing');
    assert.ok(!(await signsOf(`  conditions:\n${other}`)).includes(GONE));
  });
});

describe('the credential plugin of a kubeconfig', () => {
  const REGION = 'kubeconfig-for-another-region/pluginRegion';
  const call = (command: string): string =>
    `exec:\n  command: ${command}\n  args:\n    - "token"\n    - --region\n    - us-west-2-lax-1a`;

  test('is read as one command line', async () => {
    assert.ok((await signsOf(call('aws-iam-authenticator'))).includes(REGION));
  });

  test('of another program is left out', async () => {
    assert.ok(!(await signsOf(call('/usr/bin/backup'))).includes(REGION));
  });
});
