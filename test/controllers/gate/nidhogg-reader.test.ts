/** What Rollcall makes of nidhogg's configuration files, of both forks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readNidhogg } from '../../../src/controllers/gate/policies/nidhogg.ts';
import type { GatePolicy, PolicyReading } from '../../../src/controllers/gate/policy.ts';
import { parseLinedYaml } from '../../../src/readers/text/yaml-lines.ts';

function read(text: string): PolicyReading {
  const parsed = parseLinedYaml(text);
  if (!parsed.ok) return assert.fail(parsed.why);
  return readNidhogg(parsed);
}

function only(text: string): GatePolicy {
  const { policies, refusals } = read(text);
  assert.deepEqual(refusals, []);
  assert.equal(policies.length, 1);
  return policies[0] ?? assert.fail('no policy');
}

function whys({ refusals }: PolicyReading): readonly string[] {
  return refusals.map(({ why }) => why);
}

const KIAM = 'daemonsets:\n- {name: kiam, namespace: kube-system}\n';

describe('a nidhogg file', () => {
  test('without more than a DaemonSet is read with the defaults of both forks', () => {
    assert.deepEqual(only(KIAM), {
      source: { kind: 'nidhogg', name: 'kube-system/kiam', uid: null, generation: null },
      createdMs: null,
      selects: { requirements: [], placedBy: { namespace: 'kube-system', name: 'kiam' } },
      taint: { key: 'nidhogg.uswitch.com/kube-system.kiam', value: '', effect: 'NoSchedule' },
      needs: { all: [{ kind: 'daemonset', namespace: 'kube-system', name: 'kiam' }] },
      dwellMs: 0,
      freshnessMs: null,
      mode: 'continuous',
      regressTaint: null,
      regressAfterMs: 0,
      blastShareMax: 1,
      expiryMs: null,
      isDryRun: false,
      isBoundToBoot: true,
      openingMarks: [
        { key: 'nidhogg.uswitch.com/first-time-ready', value: null },
        { key: 'nidhogg.uswitch.com/ready-since', value: null },
      ],
      completedBy: [],
      refusedWhy: null,
    });
  });

  test('is read the same as JSON', () => {
    const json = '{"daemonsets": [{"name": "kiam", "namespace": "kube-system"}]}';
    assert.deepEqual(read(json).policies, read(KIAM).policies);
  });

  test('with a list of selectors needs a node to meet all of them', () => {
    const text = `nodeSelector: ["role=worker", "zone in (a, b)", "!old", "gpu", "os!=windows"]\n${KIAM}`;
    assert.deepEqual(only(text).selects, {
      requirements: [
        { key: 'role', operator: 'In', values: ['worker'] },
        { key: 'zone', operator: 'In', values: ['a', 'b'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'gpu', operator: 'Exists' },
        { key: 'os', operator: 'NotIn', values: ['windows'] },
      ],
      placedBy: null,
    });
  });

  test('with the older map of labels is read too', () => {
    const text = `nodeSelector:\n  node-role.kubernetes.io/node: ""\n${KIAM}`;
    assert.deepEqual(only(text).selects.requirements, [
      { key: 'node-role.kubernetes.io/node', operator: 'In', values: [''] },
    ]);
  });

  test('with an empty list of selectors is for every node', () => {
    assert.deepEqual(only(`nodeSelector: []\n${KIAM}`).selects, {
      requirements: [],
      placedBy: null,
    });
  });
});

describe('what a nidhogg file says of taints', () => {
  test('with a prefix of its own has it in the taint and in the annotations', () => {
    const { taint, openingMarks } = only(`taintNamePrefix: gate.example.com\n${KIAM}`);
    assert.equal(taint.key, 'gate.example.com/kube-system.kiam');
    assert.deepEqual(
      openingMarks.map(({ key }) => key),
      ['gate.example.com/first-time-ready', 'gate.example.com/ready-since'],
    );
    assert.deepEqual(read(`taintNamePrefix: gate.example.com\n${KIAM}`).releases, [
      { key: 'gate.example.com/', isPrefix: true, effect: null },
    ]);
  });

  test('with an effect has it', () => {
    for (const effect of ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
      assert.equal(only(`taintEffect: ${effect}\n${KIAM}`).taint.effect, effect);
  });

  test('with an unknown effect is NoSchedule, and says so', () => {
    const { policies, warnings } = read(`taintEffect: NoAdmit\n${KIAM}`);
    assert.equal(policies[0]?.taint.effect, 'NoSchedule');
    assert.deepEqual(
      warnings.map(({ why }) => why),
      ['Line 1: taintEffect is "NoAdmit", which counts as NoSchedule.'],
    );
  });

  test('with a removal delay holds the proof for so long on each node', () => {
    assert.equal(only(`taintRemovalDelayInSeconds: 5\n${KIAM}`).dwellMs, 5000);
  });

  test('with several DaemonSets is a policy for each', () => {
    const { policies } = read(`${KIAM}- {name: calico-node, namespace: kube-system}\n`);
    assert.deepEqual(
      policies.map(({ taint }) => taint.key),
      ['nidhogg.uswitch.com/kube-system.kiam', 'nidhogg.uswitch.com/kube-system.calico-node'],
    );
  });

  test('with keys that nobody knows is followed, and says so', () => {
    const { policies, warnings } = read(`${KIAM}colour: blue\n`);
    assert.equal(policies.length, 1);
    assert.deepEqual(
      warnings.map(({ why }) => why),
      ['Line 3: colour is unknown and ignored.'],
    );
  });

  test('with one DaemonSet twice is one policy, and says so', () => {
    const { policies, warnings } = read(`${KIAM}- {name: kiam, namespace: kube-system}\n`);
    assert.equal(policies.length, 1);
    assert.deepEqual(
      warnings.map(({ why }) => why),
      ['Line 3: daemonsets[1] names kube-system/kiam again.'],
    );
  });
});

describe('a nidhogg file is refused', () => {
  const REFUSED: readonly (readonly [string, string, string])[] = [
    ['without DaemonSets', 'nodeSelector: [a]\n', 'Line 1: daemonsets is missing.'],
    ['that is a list', '- a\n', 'Line 1: the file is not an object with daemonsets.'],
    [
      'with a selector that cannot be read',
      `nodeSelector:\n- "a=b"\n- "cores > 4"\n${KIAM}`,
      'Line 3: nodeSelector[1] cannot be read: "cores > 4" is not a label selector.',
    ],
    [
      'with a selector that is a number',
      `nodeSelector: 4\n${KIAM}`,
      'Line 1: nodeSelector is neither a list of selectors nor a map of labels.',
    ],
    [
      'with a label that is no text',
      `nodeSelector:\n  worker: true\n${KIAM}`,
      'Line 2: nodeSelector.worker is true, not text; write it in quotes.',
    ],
    [
      'with a prefix that is no domain',
      `taintNamePrefix: Gate/\n${KIAM}`,
      'Line 1: taintNamePrefix is not a DNS subdomain.',
    ],
    [
      'with a delay that is no number',
      `taintRemovalDelayInSeconds: 5s\n${KIAM}`,
      'Line 1: taintRemovalDelayInSeconds is "5s"; use a whole number from 0 to 86400.',
    ],
    [
      'with a negative delay',
      `taintRemovalDelayInSeconds: -1\n${KIAM}`,
      'Line 1: taintRemovalDelayInSeconds is -1; use a whole number from 0 to 86400.',
    ],
  ];
  for (const [what, text, why] of REFUSED)
    test(what, () => {
      const reading = read(text);
      assert.deepEqual(whys(reading), [why]);
      assert.deepEqual(reading.policies, []);
      assert.deepEqual(reading.releases, []);
    });

  test('for one DaemonSet alone, whose taint no API server takes', () => {
    const name = 'x'.repeat(52);
    const reading = read(`${KIAM}- {name: ${name}, namespace: kube-system}\n`);
    assert.equal(reading.policies.length, 1);
    assert.deepEqual(whys(reading), [
      `Line 3: daemonsets[1] needs the taint nidhogg.uswitch.com/kube-system.${name}, which has 64 characters behind its prefix; Kubernetes accepts 63.`,
    ]);
    assert.deepEqual(reading.releases, []);
  });

  test('for one DaemonSet alone, which has no namespace', () => {
    const reading = read(`${KIAM}- {name: calico-node}\n- calico\n`);
    assert.equal(reading.policies.length, 1);
    assert.deepEqual(whys(reading), [
      'Line 3: daemonsets[1].namespace is missing.',
      'Line 4: daemonsets[2] is not an object with name and namespace.',
    ]);
  });

  test('for more DaemonSets than a node could wait for', () => {
    const many = Array.from({ length: 257 }, (_, index) => `- {name: a${index}, namespace: b}\n`);
    const reading = read(`daemonsets:\n${many.join('')}`);
    assert.deepEqual(whys(reading), ['Line 1: daemonsets has 257 entries; 256 are allowed.']);
    assert.equal(reading.policies.length, 256);
  });
});
