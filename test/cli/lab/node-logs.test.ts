/** Stories whose cause the two APIs do not show are named once machines are asked for their logs. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openDoors } from '../../../src/apps/lab/doors.ts';
import { createPace } from '../../../src/apps/lab/drive.ts';
import { loadScenario, shippedStories } from '../../../src/apps/lab/load.ts';
import { openPlay, type Play } from '../../../src/apps/lab/play.ts';
import { observe } from '../../../src/collection/observe.ts';
import type { OnRequest } from '../../../src/collection/on-request.ts';
import { PERMISSIONS } from '../../../src/collection/permissions.generated.ts';
import { featuresNamed, joined, rolesOf } from '../../../src/collection/permissions.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { kubePort } from '../../../src/sim/kube/port.ts';
import { shareOf, tellShare } from '../../share.ts';
import { documentOf, type Run, rollcall } from '../../live/rollcall.ts';
import { environmentIn } from './environment.ts';
import { sleepingClock, surroundingsOf } from './played.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-node-logs-'));
after(() => rmSync(FOLDER, { recursive: true }));

/** What stands in the machines of each story that says that the APIs do not show its cause. */
const UNSEEN: Readonly<Record<string, string>> = {
  'changed-its-name': 'node-name-differs-from-certificate',
  'unknown-instance-type': 'instance-type-unknown-to-cni',
};

function open(name: string): Play {
  const scenario = loadScenario(name);
  return openPlay({ scenario, seed: scenario.seed, nodes: null, onLine: () => undefined });
}

/** Lets everything happen that the story has. */
function playToEnd({ simulated: { kernel }, story }: Play): void {
  while ((kernel.nextAtMs() ?? Number.POSITIVE_INFINITY) <= story.endMs) kernel.step();
  kernel.passTo(story.endMs);
}

/** What the program says at the end of a story, with each of these words. */
async function ask(
  name: string,
  ...words: readonly (readonly string[])[]
): Promise<readonly Run[]> {
  const play = open(name);
  playToEnd(play);
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  const { simulated } = play;
  const follower = { rest: () => Promise.resolve() };
  const pace = createPace({ kernel: simulated.kernel, speed: 1, clock: sleepingClock(), follower });
  const asked = { folder, port: 0, awsPort: 0 };
  const doors = await openDoors({ simulated, pace, asked, signersNowMs: () => Date.now() });
  const environment = environmentIn(doors.folder.environment);
  const runs: Run[] = [];
  try {
    for (const more of words)
      runs.push(
        await rollcall(
          ['diagnose', ...more],
          surroundingsOf(play, environment, FOLDER, `home-${name}`),
        ),
      );
  } finally {
    await doors.close();
  }
  return runs;
}

test('every story that says so has its cause here', () => {
  const unseen = shippedStories().filter(({ name }) => loadScenario(name).unseen !== '');
  assert.deepEqual(unseen.map(({ name }) => name).toSorted(), Object.keys(UNSEEN).toSorted());
});

describe('the cause that the APIs do not show is named with --node-logs', () => {
  const stories = Object.entries(UNSEEN);
  const asked = shareOf(stories, 2);
  tellShare('stories that need logs of machines', asked.length, stories.length);
  for (const [name, cause] of asked)
    test(name, { timeout: 120_000 }, async () => {
      const archive = join(FOLDER, `${name}.tar.gz`);
      const [without, with_, page, named] = await ask(
        name,
        ['-o', 'json'],
        ['-o', 'json', '--node-logs', '--save', archive],
        [],
        ['--node-logs'],
      );
      assert.ok(without && with_ && page && named);
      assert.notEqual(documentOf(without).headline?.cause, cause);
      const hint = /were not read and may name the cause; read them: rollcall diagnose --node-logs/;
      assert.match(page.stdout.replaceAll(/\s+/g, ' '), hint);
      assert.equal(documentOf(with_).headline?.cause, cause);
      assert.doesNotMatch(named.stdout.replaceAll(/\s+/g, ' '), /were not read/);
      const again = await rollcall(['diagnose', archive, '-o', 'json'], {});
      assert.equal(documentOf(again).headline?.cause, cause);
    });
});

/** Nothing takes time. */
function frozenClock(nowMs: number): Clock {
  const { promise } = Promise.withResolvers<void>();
  return { nowMs: () => nowMs, monotonicMs: () => 0, sleep: () => promise };
}

describe('the authorizer decides', () => {
  const viewer = { name: 'viewer', groups: ['system:authenticated'] };

  /** Grants what these features need, as `rollcall permissions --for …` prints it. */
  function grant({ simulated }: Play, names: readonly string[]): void {
    const admin = simulated.world.client(simulated.admin.user);
    const roles = rolesOf(joined(featuresNamed(PERMISSIONS, names)).kubernetes);
    for (const role of roles) {
      const kind = textAt(role, 'kind') ?? '';
      const named = { ...(role['metadata'] as JsonObject), name: `rollcall-${names.join('-')}` };
      const made = [
        { ...role, metadata: named },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: `${kind}Binding`,
          metadata: named,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: named.name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: viewer.name }],
        },
      ];
      for (const object of made) assert.ok(admin.create(object).ok, JSON.stringify(object));
    }
  }

  async function look(
    { simulated }: Play,
    ...on: readonly OnRequest[]
  ): Promise<DiagnosisDocument> {
    const clock = frozenClock(simulated.kernel.nowMs());
    const kube = kubePort({ server: simulated.api, user: viewer, clock });
    const { document } = await observe(
      { kube, aws: null, described: null, refusals: [], clock },
      {
        cluster: null,
        asked: [],
        isDeep: false,
        timeoutMs: 60_000,
        progress: () => undefined,
        onRequest: new Set(on),
      },
    );
    return document;
  }

  test('who may list everything may not read logs of machines, until that is granted', async () => {
    const play = open('unknown-instance-type');
    playToEnd(play);
    grant(play, []);
    const denied = await look(play, 'node-logs');
    assert.notEqual(denied.headline?.cause, 'instance-type-unknown-to-cni');
    const [loss, ...others] = denied.losses.filter(({ what }) => what.includes('--node-logs'));
    assert.equal(loss?.locator, 'get nodes/proxy');
    assert.match(loss.what, /permission get nodes\/proxy\): .*HTTP 403/);
    assert.deepEqual(others, []);
    grant(play, ['node-logs']);
    const allowed = await look(play, 'node-logs');
    assert.equal(allowed.headline?.cause, 'instance-type-unknown-to-cni');
    // Kubelets of EKS have no NodeLogQuery, and Amazon Linux 2023 has no syslog.
    assert.deepEqual(
      allowed.losses.map(({ locator }) => locator),
      ['get nodes/proxy for journals'],
    );
  });
});
