/** Secrets that the simulator plants, and how it knows them again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../src/adapters/system/settle.ts';
import { loadScenario } from '../../src/apps/lab/load.ts';
import { lookEveryWay } from '../../src/apps/sim/look.ts';
import { listAt, textAt } from '../../src/evidence/json.ts';
import { createLooking } from '../../src/sim/faults/looking.ts';
import { runUntil } from '../../src/sim/kernel/kernel.ts';
import { PLANTED_BUGS } from '../../src/sim/planted/bugs.ts';
import { plantedOutput } from '../../src/sim/secrets/answers.ts';
import { createPlants, type Plant, type Plants } from '../../src/sim/secrets/plants.ts';
import { SHAPES } from '../../src/sim/secrets/shapes.ts';
import { ADMIN, buildCluster } from '../../src/sim/cluster/simulated-cluster.ts';

const WHILE_MS = 300_000;

function plantOf(shape: string): {
  readonly plant: Plant;
  readonly shown: (text: string) => boolean;
} {
  const plants = createPlants(1);
  const plant = plants.all('here').find(({ name }) => name === shape);
  assert.ok(plant !== undefined, shape);
  return { plant, shown: (text) => plants.shownIn(text) !== null };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What programs make of a text before it is printed. */
const ENCODINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['in base64', base64],
  ['in base64 without padding', (secret) => base64(secret).replace(/=+$/, '')],
  ['in base64 behind one byte', (secret) => base64(`x${secret}x`)],
  ['in base64 behind two bytes', (secret) => base64(`xy${secret}xy`)],
  ['in base64 for URLs', (secret) => Buffer.from(`x${secret}`).toString('base64url')],
  ['in hexadecimal', (secret) => Buffer.from(secret).toString('hex')],
  ['escaped for JSON', (secret) => JSON.stringify({ said: secret })],
  ['escaped for JSON twice', (secret) => JSON.stringify(JSON.stringify({ said: secret }))],
  ['escaped for URLs', encodeURIComponent],
];

describe('a planted secret is known again', () => {
  for (const [name, encode] of ENCODINGS)
    test(name, () => {
      for (const { name: shape } of SHAPES) {
        const { plant, shown } = plantOf(shape);
        assert.ok(shown(`before ${encode(plant.secret)} behind`), shape);
      }
    });

  test('and nothing else is', () => {
    const { shown } = plantOf('DB_PASSWORD');
    for (const { text } of createPlants(2).all('there')) assert.ok(!shown(text), text);
    assert.ok(!shown('short'));
  });
});

/** A world of a story after a while, with a look at it from both sides. */
async function lookedAt(
  story: string,
  bugId: string | null,
): Promise<{ readonly printed: readonly string[]; readonly plants: Plants }> {
  const { world, seed } = loadScenario(story);
  const simulated = buildCluster({ setting: world, seed });
  const looking = createLooking(seed);
  const stage = { simulated, people: simulated.world.client(ADMIN), looking };
  await runUntil(simulated.kernel, simulated.kernel.nowMs() + WHILE_MS, settle);
  const bug = PLANTED_BUGS.find(({ id }) => id === bugId) ?? null;
  const broken = simulated.hypervisor.machines().map(({ instanceId }) => instanceId);
  const request = { stage, number: 0, isLast: true, broken };
  const said = await lookEveryWay(request, { bug, gapShare: 0 });
  return { printed: said.flatMap((one) => one.printed), plants: looking.plants };
}

/** What Rollcall is given in the two worlds; where one kind alone stands, each look has another. */
const EVERY_KIND = [
  'Pod env',
  'DaemonSet env',
  'Deployment env',
  'ConfigMap entries',
  'ConfigMap files',
  'Secret data',
  'Node annotations, applied',
  'Pod annotations, applied',
  'ConfigMap annotations, applied',
  'ec2:DescribeInstances tags',
  'ec2:DescribeSubnets tags',
  'ec2:DescribeInstanceAttribute user data',
  'sts answers',
  'iam answers',
];
const SOME_KIND = [
  'Pod args',
  'Pod command',
  'Node annotations, notes',
  'Node conditions',
  'Pod conditions',
  'Pod container states',
  'Event messages',
  'aws-auth',
  'logs of containers',
  'kubelet logs',
  'logs of machines',
  'ec2:GetConsoleOutput console',
  'ec2:DescribeInstances tag texts',
  'ec2:DescribeNetworkInterfaces texts',
];

describe('a look at a world full of secrets', () => {
  test('gets at least 20 kinds in the places that the world has, and shows none', async () => {
    assert.ok(SHAPES.length >= 20);
    const given = new Map<string, number>();
    for (const story of ['never-let-in', 'without-addresses', 'unknown-instance-type']) {
      const { printed, plants } = await lookedAt(story, null);
      for (const [place, kinds] of plants.planted()) given.set(place, kinds.size);
      for (const text of printed) assert.equal(plants.shownIn(text), null);
    }
    assert.deepEqual(
      EVERY_KIND.filter((place) => given.get(place) !== SHAPES.length),
      [],
    );
    assert.deepEqual(
      SOME_KIND.filter((place) => !given.has(place)),
      [],
    );
  });

  test('gets them in launch templates too, where AWS has some', () => {
    const plants = createPlants(1);
    const UserData = base64('#!/bin/bash\n/etc/eks/bootstrap.sh shop\n');
    const version = { VersionDescription: 'first', LaunchTemplateData: { UserData, Tags: [] } };
    const call = { service: 'ec2', operation: 'DescribeLaunchTemplateVersions' };
    const answer = plantedOutput(plants, call, { LaunchTemplateVersions: [version] });
    const [first] = listAt(answer, 'LaunchTemplateVersions');
    for (const path of ['VersionDescription', 'LaunchTemplateData.UserData'])
      assert.ok(plants.shownIn(textAt(first, path) ?? '') !== null, path);
    assert.ok(plants.shownIn(JSON.stringify(listAt(first, 'LaunchTemplateData.Tags'))) !== null);
  });

  test('shows them once values behind names are not redacted', async () => {
    const { printed, plants } = await lookedAt('never-let-in', 'P47');
    assert.ok(printed.some((text) => plants.shownIn(text) !== null));
  });
});
