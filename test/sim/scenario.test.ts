import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseLinedYaml } from '../../src/readers/text/yaml-lines.ts';
import { durationOf } from '../../src/sim/stories/fields.ts';
import { readScenario, type Scenario } from '../../src/sim/stories/scenario.ts';

const WHOLE = `
story: joined-and-was-gone
title: The node that joined and was gone
seed: 7
world:
  start: 2026-05-01T00:00:00Z
  cluster: { kind: kubeadm, cloudController: '1.34', podNetwork: calico }
  groups:
    - { name: workers, count: 3, type: c6i.large, boot: 8s, spot: true }
  workloads:
    - { name: web, replicas: 2, role: web-role }
moves:
  - at: 1m30s
    does: hide-instance
    with: { machine: workers-1, for: 40s }
    says: EC2 does not list it yet
lookEvery: 5s
until: 5m
expect:
  - { by: 2m, headline: node-deleted-as-not-in-cloud }
  - { by: 3m, machine: workers-1, is: gone }
`;

function scenarioOf(text: string): Scenario {
  const yaml = parseLinedYaml(text);
  assert.ok(yaml.ok);
  const read = readScenario(yaml.value);
  assert.ok(read.ok, JSON.stringify(read));
  return read.scenario;
}

/** `line: reason` of every mistake. */
function mistakesOf(text: string): readonly string[] {
  const yaml = parseLinedYaml(text);
  if (!yaml.ok) return [`${yaml.line}: ${yaml.why}`];
  const read = readScenario(yaml.value);
  if (read.ok) return [];
  return read.mistakes
    .map(({ path, reason }) => ({ line: yaml.lineOf(path), reason }))
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, reason }) => `${line}: ${reason}`);
}

describe('a scenario', () => {
  test('is read whole, with what it leaves out as usual', () => {
    const { world, moves, ...rest } = scenarioOf(WHOLE);
    assert.equal(world.startMs, Date.UTC(2026, 4, 1));
    assert.equal(world.cluster.podNetworkWarmUpMs, 70_000);
    assert.equal(world.cluster.isNodeRoleMapped, true);
    assert.deepEqual(
      world.groups.map(({ name, count, bootMs, isSpot, hostname }) => [
        name,
        count,
        bootMs,
        isSpot,
        hostname,
      ]),
      [['workers', 3, 8000, true, null]],
    );
    assert.deepEqual(moves, [
      {
        atMs: 90_000,
        does: 'hide-instance',
        with: { machine: 'workers-1', for: '40s' },
        says: 'EC2 does not list it yet',
      },
    ]);
    assert.deepEqual([rest.seed, rest.lookEveryMs, rest.untilMs], [7, 5000, 300_000]);
    assert.deepEqual(rest.expect.at(-1), {
      byMs: 180_000,
      headline: null,
      machine: 'workers-1',
      is: 'gone',
    });
  });

  test('with mistakes reports the line and reason of each', () => {
    assert.deepEqual(
      mistakesOf(`story: x
title: y
until: soon
world:
  cluster:
    kind: nomad
    colour: red
  groups:
    - name: a
      count: -1
moves:
  - does: nothing
expect:
  - by: 10s
    machine: a-0
`),
      [
        '3: until must be a time such as 30s or 1m30s',
        '6: "nomad" is not one of kubeadm, eks',
        '7: colour is an unknown field; known fields: cloudController, cniVersion, gate, kind, logQuery, name, nodeRoleMapped, podIdentity, podNetwork, podNetworkWarmUp, version',
        '10: count must be a whole number from 0 to 5000',
        '12: at must be a time such as 30s or 1m30s',
        '15: machine and is need each other: machine: workers-0, is: gone',
      ],
    );
  });

  test('that is invalid YAML, not a mapping or empty is rejected too', () => {
    assert.match(mistakesOf('a: [1\nb: }').join(), /^2: /);
    assert.match(mistakesOf('just words').join('\n'), /^1: must be a mapping of fields/);
    assert.match(mistakesOf('').join('\n'), /must be a mapping|expected/);
  });
});

describe('a time', () => {
  test('is a number and a unit, or several', () => {
    assert.deepEqual(
      ['250ms', '90s', '1m30s', '1.5h'].map(durationOf),
      [250, 90_000, 90_000, 5_400_000],
    );
  });

  test('is nothing else', () => {
    assert.deepEqual(['', '90', 's', '1m 30s', '-5s', '1d'].map(durationOf), [
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});
