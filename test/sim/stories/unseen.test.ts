/** Where a story says that the APIs do not show its cause, the file that it names does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseObservations } from '../../../src/engine/diagnose.ts';
import { readPile } from '../../../src/engine/pile.ts';
import { runFast } from '../../../src/apps/lab/drive.ts';
import { loadScenario, shippedStories } from '../../../src/apps/lab/load.ts';
import { openPlay } from '../../../src/apps/lab/play.ts';
import type { SimulatedCluster } from '../../../src/sim/cluster/simulated-cluster.ts';

/** The file of each story's cause, as a log collector names it. */
const FILES: Readonly<Record<string, string>> = {
  'changed-its-name': 'kubelet/kubelet.log',
  'unknown-instance-type': 'var_log/aws-routed-eni/ipamd.log',
};

async function namedIn(text: string): Promise<string | null> {
  const chunks = [new TextEncoder().encode(text)];
  const observations = await readPile([{ locator: 'stdin', container: null, chunks }]);
  return (await diagnoseObservations(observations)).headline?.cause ?? null;
}

function textsOf(simulated: SimulatedCluster, file: string): readonly string[] {
  const files = simulated.hypervisor.machines().flatMap((machine) => machine.collect());
  return files.filter(({ name }) => name === file).map(({ text }) => text);
}

const unseen = shippedStories().filter(({ name }) => loadScenario(name).unseen !== '');

describe('a cause that neither API shows', () => {
  test('is one of two stories', () => {
    assert.deepEqual(unseen.map(({ name }) => name).toSorted(), Object.keys(FILES));
  });

  for (const { name } of unseen)
    test(`is in the file that ${name} names`, async () => {
      const scenario = loadScenario(name);
      const { seed } = scenario;
      const { simulated, story } = openPlay({
        scenario,
        seed,
        nodes: null,
        onLine: () => undefined,
      });
      await runFast(simulated.kernel, story.endMs, story);
      const cause = scenario.unseen.split(' ')[0] ?? '';
      const causes = await Promise.all(textsOf(simulated, FILES[name] ?? '').map(namedIn));
      assert.ok(causes.includes(cause), `${cause} is not among ${causes.join(', ')}`);
      assert.ok(!story.named().some((one) => one.cause === cause), 'the story names it');
    });
});
