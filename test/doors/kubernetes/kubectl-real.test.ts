import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { apiVersionOf } from '../../../src/sim/kube/kinds.ts';
import { type ControlPlane, startControlPlane } from '../../real/control-plane.ts';
import { CONTROL_PLANE, missing, partPath } from '../../real/parts.ts';
import { type Answered, ask } from './ask.ts';
import { COMPARED, comparable, SET_UP } from './commands.ts';
import { type Cluster, type Kubectl, kubectlOf, openCluster } from './fixture.ts';

const skip = missing(...CONTROL_PLANE, 'kubectl');

interface Pair {
  readonly real: ControlPlane;
  readonly ours: Cluster;
  readonly folder: string;
  readonly askReal: Kubectl;
  readonly askOurs: Kubectl;
}

let pair: Pair | undefined;

function both(): Pair {
  assert.ok(pair);
  return pair;
}

before(async () => {
  if (skip !== false) return;
  const [real, ours] = [await startControlPlane(), await openCluster()];
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-kubectl-'));
  const program = partPath('kubectl');
  const askReal = kubectlOf(program, { kubeconfig: real.kubeconfigPath, folder });
  pair = { real, ours, folder, askReal, askOurs: kubectlOf(program, ours) };
  for (const { command, input } of SET_UP)
    await Promise.all([askReal(command, input), pair.askOurs(command, input)]);
});

after(async () => {
  await pair?.ours.close();
  await pair?.real.stop();
  if (pair !== undefined) rmSync(pair.folder, { recursive: true, force: true });
});

for (const [index, { command, input }] of COMPARED.entries()) {
  test(`${index + 1}: kubectl ${command} says what it says of the real one`, { skip }, async () => {
    const { askReal, askOurs, folder, ours } = both();
    const [real, said] = await Promise.all([askReal(command, input), askOurs(command, input)]);
    assert.equal(comparable(said, ours.folder), comparable(real, folder));
  });
}

test('the columns of every kind are those of the real one', { skip }, async () => {
  const { real, ours } = both();
  const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const [certificatePem, keyPem] = [real.admin.certificatePath, real.admin.keyPath].map((path) =>
    readFileSync(path, 'utf8'),
  );
  assert.ok(certificatePem !== undefined && keyPem !== undefined);
  const door = { port: Number(new URL(real.url).port), caPem: readFileSync(real.caPath, 'utf8') };
  for (const kind of ours.api.kinds().filter(({ custom }) => custom === null)) {
    const root = kind.group === '' ? '/api' : '/apis';
    const path = `${root}/${apiVersionOf(kind)}/${kind.plural}`;
    const asked = { headers: accept, token: null, certificate: { certificatePem, keyPem } };
    const theirs = await ask(door, path, asked);
    const own = await ask(ours.door, path, { headers: accept });
    assert.deepEqual(headsOf(own), headsOf(theirs), path);
  }
});

function headsOf({ json }: Answered): readonly string[] {
  return listAt(json, 'columnDefinitions').map((one) =>
    ['name', 'type', 'format', 'priority'].map((key) => textAt(one, key)).join('|'),
  );
}
