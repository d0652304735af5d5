import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Quote } from '../evidence/sighting.ts';
import { splitGroups } from './groups.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import { causeOf, factOf, foundOf, quoteOf, standingOf, subjectOf, symptomOf } from './testing.ts';
import { awsOf } from '../evidence/testing.ts';

function said(excerpt: string): Quote {
  return { ...quoteOf(1), excerpt };
}

function found(excerpt: string | null, id = 'no-capacity', details = {}): FoundCause {
  const proof = excerpt === null ? [] : [said(excerpt)];
  return foundOf(causeOf(id, 'launched', { scope: 'group' }), { proof, details });
}

function gap(...lines: readonly string[]): OpenSymptom {
  const symptom = symptomOf('group-cannot-launch', 'launched');
  return { symptom, proof: lines.map(said) };
}

const CLUSTER = subjectOf({ kind: 'Cluster', name: 'shop' });

/** Each subject with what is found of it and what is open. */
function split(
  founds: readonly FoundCause[],
  symptoms: readonly OpenSymptom[] = [],
  machines: readonly Standing[] = [],
): readonly string[] {
  return splitGroups(standingOf(founds, symptoms, CLUSTER), machines).map((one) => {
    const { kind, name } = one.subject;
    const open = one.symptoms.flatMap(({ proof }) => proof.map(({ excerpt }) => excerpt));
    return [`${kind} ${name}`, ...one.founds.map(({ cause }) => cause.id), ...open].join(', ');
  });
}

const SHORT = 'Auto Scaling group asg (node group ng) has 1 of 2 machines';

describe('findings of a group', () => {
  test('is the group’s own, by the name that the line begins with', () => {
    for (const [line, subject] of [
      ['node group ng issue AsgInstanceLaunchFailures', 'NodeGroup ng'],
      ['node group ng has 1 of 2 machines', 'NodeGroup ng'],
      ['Auto Scaling group asg activity Failed', 'AutoScalingGroup asg'],
      ['Auto Scaling group asg has 1 of 2 machines', 'AutoScalingGroup asg'],
      [SHORT, 'AutoScalingGroup asg'],
      ['NodePool spot condition Ready is False', 'NodePool spot'],
    ] as const)
      assert.deepEqual(split([found(line)]), [`${subject}, no-capacity`, 'Cluster shop'], line);
  });

  test('stays the cluster’s where its line names no group at its beginning', () => {
    for (const line of [
      'a node group ng issue',
      'an Auto Scaling group asg activity',
      'of NodePool spot condition',
      'node group ng issues',
      null,
    ])
      assert.deepEqual(split([found(line)]), ['Cluster shop, no-capacity'], `${line}`);
    const wide = foundOf(causeOf('wide', 'launched', { scope: 'cluster' }), {
      proof: [said(SHORT)],
    });
    assert.deepEqual(split([wide]), ['Cluster shop, wide']);
  });

  test('comes together with all that is found of the same group, and of no other', () => {
    const line = 'NodePool spot condition Ready is False';
    const founds = [found(line, 'a'), found(line, 'b'), found('NodePool other condition x', 'c')];
    assert.deepEqual(split(founds), ['NodePool spot, a, b', 'NodePool other, c', 'Cluster shop']);
    const namesake = found('node group spot issue x', 'd');
    assert.deepEqual(split([found(line, 'a'), namesake]), [
      'NodePool spot, a',
      'NodeGroup spot, d',
      'Cluster shop',
    ]);
  });
});

describe('a gap of a group', () => {
  test('that nothing explains is open of the group alone', () => {
    const other = 'node group other has 0 of 1 machines';
    assert.deepEqual(split([], [gap(SHORT, other)]), [
      `AutoScalingGroup asg, ${SHORT}`,
      `NodeGroup other, ${other}`,
      'Cluster shop',
    ]);
  });

  test('another symptom, and a line that names no group, stay with the cluster', () => {
    const symptom = symptomOf('else', 'launched');
    const one = { symptom, proof: [said(SHORT)] };
    assert.deepEqual(split([], [one, gap('no group')]), [`Cluster shop, ${SHORT}, no group`]);
  });

  test('is explained by findings of the group under either of its names', () => {
    const activity = found('Auto Scaling group asg activity Failed');
    assert.deepEqual(split([activity], [gap(SHORT)]), [
      'AutoScalingGroup asg, no-capacity',
      'Cluster shop',
    ]);
    const named = foundOf(causeOf('wide', 'launched', { scope: 'cluster' }), {
      details: { group: 'ng' },
    });
    assert.deepEqual(split([named], [gap(SHORT)]), ['Cluster shop, wide']);
    const whole = foundOf(causeOf('wide', 'launched', { scope: 'cluster' }));
    assert.deepEqual(split([whole], [gap(SHORT)]), ['Cluster shop, wide']);
  });

  test('is not explained by findings of another group or a later stage', () => {
    const open = `AutoScalingGroup asg, ${SHORT}`;
    const other = foundOf(causeOf('wide', 'launched', { scope: 'cluster' }), {
      details: { group: 'other' },
    });
    assert.deepEqual(split([other], [gap(SHORT)]), [open, 'Cluster shop, wide']);
    const later = foundOf(causeOf('late', 'registered', { scope: 'cluster' }));
    assert.deepEqual(split([later], [gap(SHORT)]), [open, 'Cluster shop, late']);
  });
});

describe('a gap of a group and a machine of it', () => {
  const machine = (group: string, stage: 'launched' | 'registered', own = 'i-1'): Standing => {
    const Tags = [{ Key: 'aws:autoscaling:groupName', Value: group }];
    const subject = subjectOf({ instanceId: 'i-1' }, [
      factOf('aws/instance', awsOf('aws/instance', { InstanceId: own, Tags })),
    ]);
    return standingOf([foundOf(causeOf('ended', stage))], [], subject);
  };

  test('is explained by a machine of the group whose launch or end is explained', () => {
    const machines = [machine('other', 'launched'), machine('asg', 'launched')];
    assert.deepEqual(split([], [gap(SHORT)], machines), ['Cluster shop']);
  });

  test('is open where the machine is of another group, came further, or is another one', () => {
    const open = [`AutoScalingGroup asg, ${SHORT}`, 'Cluster shop'];
    for (const one of [
      machine('other', 'launched'),
      machine('asg', 'registered'),
      machine('asg', 'launched', 'i-2'),
    ])
      assert.deepEqual(split([], [gap(SHORT)], [one]), open);
  });
});
