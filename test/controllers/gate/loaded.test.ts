/** What the gate controller loads: it is started beside every cluster's own programs, and stays small. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');

const LOOK = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
await import(process.argv[1]);
process.stdout.write(loaded.join('\\n'));
`;

function loadedBy(path: string): readonly string[] {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', LOOK, path];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT });
  return text.split('\n').map((url) => url.replace(/^.*\/(?=(?:node_modules|src)\/)/, ''));
}

test('the gate controller loads no causes, no readers of logs and nothing of AWS', () => {
  const loaded = loadedBy(join(ROOT, 'src/apps/gate/run.ts'));
  assert.ok(loaded.includes('src/controllers/gate/decide.ts'));
  const unwanted =
    /@aws-sdk|@smithy|\/pg\/|src\/(?:causes|engine|diagnosis|collection|sim|doors|capacity)\/|adapters\/aws/;
  assert.deepEqual(
    loaded.filter((path) => unwanted.test(path)),
    [],
  );
});
