import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderIn, goFiles } from './modules.ts';
import { fixtureFolder } from './testing.ts';

test('finds the source of a module that asks for a newer Go', () => {
  const whole = {
    Path: 'example.com/agent',
    Version: 'v1.0.0',
    Dir: '/go/example.com/agent@v1.0.0',
  };
  assert.equal(folderIn(JSON.stringify(whole)), '/go/example.com/agent@v1.0.0');
  const Zip = '/go/cache/download/example.com/agent/@v/v1.0.0.zip';
  const newer = { Error: 'requires go >= 9.9', Zip };
  assert.equal(folderIn(JSON.stringify(newer)), '/go/example.com/agent@v1.0.0');
  assert.equal(folderIn('{"Error":"not served"}'), null);
});

test('reads the Go files of a folder without tests, and none of a folder that is absent', async () => {
  const folder = await fixtureFolder({ path: '', version: '1.1', parts: [] });
  const paths = goFiles(folder, ['agent', 'gone']).map(({ path }) => path);
  assert.deepEqual(paths, ['agent/agent.go']);
});

test('reads one file when a part names it', async () => {
  const folder = await fixtureFolder({ path: '', version: '1.0', parts: [] });
  assert.equal(goFiles(folder, ['agent/agent.go']).length, 1);
});
