/** One source of manifests: the Helm chart, kustomize and `rollcall install` give the same objects. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { at, isObject, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { PART_OF } from '../../src/manifests/objects.ts';
import { HOSTILE_VALUES } from '../manifests/hostile-values.ts';
import {
  byKey,
  type Case,
  CHART,
  combinations,
  Helm,
  installed,
  isHook,
  type Objects,
  withoutHelm,
} from './chart-cases.ts';
import { missing } from './parts.ts';

const skip = missing('helm', 'kubectl');
const WITH_PARTS = { skip, timeout: 180_000 };
const helm = new Helm();
after(() => helm.end());

const ROLE = 'arn:aws:iam::123456789012:role/rollcall';

const UNUSUAL_POD = {
  args: ['--log-level=debug'],
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
};
const UNUSUAL_PLACE = {
  replicas: 5,
  nodeSelector: { 'example.org/role': 'system' },
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute' }],
};

/** A template that does not read one of these is seen. */
const UNUSUAL: JsonObject = {
  image: { name: 'example.org/r:2', pullPolicy: 'Always', pullSecrets: [{ name: 's' }] },
  controller: { ...UNUSUAL_POD, ...UNUSUAL_PLACE, env: [{ name: 'A', value: 'b' }] },
  gate: { ...UNUSUAL_POD, ...UNUSUAL_PLACE, nodeReadinessRules: true, rulesNamespace: 'other' },
  agent: {
    ...UNUSUAL_POD,
    probes: ['identity', 'csi', 'image-path'],
    csiDrivers: ['efs.csi.aws.com', 'ebs.csi.aws.com'],
    registries: ['r.example.org'],
    identity: 'kiam',
    identityRole: 'canary',
  },
  aws: { region: 'eu-west-1', cluster: 'c' },
};

/** Values beside the switches. */
const SETTINGS: readonly Case[] = [
  { title: 'NodeReadinessRules', values: { gate: { nodeReadinessRules: true } } },
  { title: 'taints at creation', values: { gate: { taintAtCreate: true } } },
  {
    title: 'no reports and no Events',
    values: { controller: { reports: false, events: false, env: [{ name: 'A', value: 'b' }] } },
  },
  {
    title: 'probes without the machine half',
    values: { agent: { probes: ['api-server', 'csi'], csiDrivers: ['ebs.csi.aws.com'] } },
  },
  {
    title: 'probes without any folder of the machine',
    values: { agent: { probes: ['dns', 'clock'] } },
  },
  {
    title: 'identity by IRSA',
    values: {
      aws: { identity: 'irsa', controllerRoleArn: ROLE, agentRoleArn: ROLE, cluster: 'c1' },
      agent: { probes: ['identity'], identity: 'irsa', identityRole: 'canary' },
    },
  },
  { title: 'Pod Identity', values: { aws: { identity: 'pod-identity', region: 'eu-west-1' } } },
  {
    title: 'an image of a registry, and options',
    values: {
      image: {
        name: `registry.example.com:5000/team/rollcall:1@sha256:${'a'.repeat(64)}`,
        pullSecrets: [{ name: 'registry' }],
      },
      gate: { args: ['--dry-run', '--log-format=json'], nodeSelector: { role: 'system' } },
      agent: { registries: ['registry.example.com:5000'] },
      crds: { enabled: false },
    },
  },
  { title: 'every value another than usual', values: UNUSUAL },
  { title: 'aws-auth is restored', values: { controller: { auth: 'restore' } } },
  { title: 'aws-auth is reported', values: { controller: { auth: 'report' } } },
  { title: 'the namespace kube-system', namespace: 'kube-system', values: {} },
  { title: 'the namespace default', namespace: 'default', values: {} },
];

function withoutNamespace(objects: Objects): Objects {
  return new Map([...objects].filter(([key]) => !key.startsWith('Namespace ')));
}

function componentsOf({ values }: Case): readonly string[] {
  const isOn = (name: string): boolean => at(values, `${name}.enabled`) === true;
  const policies = isOn('networkPolicies');
  return [
    ...(isOn('controller') ? ['controller'] : []),
    ...(isOn('controller') && policies ? ['controller-network-policy'] : []),
    ...(isOn('gate') ? ['gate'] : []),
    ...(isOn('gate') && policies ? ['gate-network-policy'] : []),
    ...(isOn('agent') ? ['agent'] : []),
    ...(isOn('agent') && isOn('admissionPolicies') ? ['agent-admission-policy'] : []),
  ];
}

async function rendered(one: Case): Promise<Objects> {
  const all = await helm.template(one);
  return byKey(all.filter((object) => !isHook(object)).map(withoutHelm));
}

describe('the same objects', () => {
  for (const one of combinations())
    test(`come of the chart, kustomize and install for ${one.title}`, WITH_PARTS, async () => {
      const expected = installed(one);
      assert.deepEqual(await rendered(one), withoutNamespace(expected));
      assert.deepEqual(await helm.kustomized(componentsOf(one)), expected);
      await helm.lint(one.values);
    });

  for (const one of SETTINGS)
    test(`come of the chart and install with ${one.title}`, WITH_PARTS, async () => {
      assert.deepEqual(await rendered(one), withoutNamespace(installed(one)));
      await helm.lint(one.values);
    });
});

describe('the chart', () => {
  test(
    'keeps its kinds, and removes taints behind itself where gates were',
    WITH_PARTS,
    async () => {
      const all = await helm.template({ title: '', values: {} });
      for (const object of all) {
        const isKind = textAt(object, 'kind') === 'CustomResourceDefinition';
        const annotations = at(object, 'metadata.annotations');
        const policy = isObject(annotations) ? annotations['helm.sh/resource-policy'] : undefined;
        assert.equal(policy, isKind ? 'keep' : undefined);
      }
      const hooks = all.filter(isHook);
      const kinds = hooks.map((object) => textAt(object, 'kind'));
      assert.deepEqual(
        new Set(kinds),
        new Set(['ClusterRole', 'ClusterRoleBinding', 'Job', 'ServiceAccount']),
      );
      for (const values of [{ gate: { enabled: false } }, { uninstall: { removeTaints: false } }]) {
        const without = await helm.template({ title: '', values });
        assert.equal(without.some(isHook), false);
      }
    },
  );

  test('has our label on every object, by which an uninstall knows them', () => {
    for (const object of installed({ title: '', values: {} }).values()) {
      const labels = at(object, 'metadata.labels');
      const isKind = textAt(object, 'kind') === 'CustomResourceDefinition';
      assert.equal(isObject(labels) ? labels[PART_OF] : null, isKind ? null : 'rollcall');
    }
  });

  for (const [what, values] of HOSTILE_VALUES)
    test(`refuses ${what}`, WITH_PARTS, async () => {
      await assert.rejects(helm.template({ title: '', values }), /values don't meet/);
    });

  test('writes what a value may contain as a text and nothing else', WITH_PARTS, async () => {
    const odd = `--x="}} {{ .Values }} '#: - &a *b !c %d $(e)`;
    const one = { title: '', values: { gate: { args: [odd] }, agent: { args: [odd] } } };
    const objects = await rendered(one);
    assert.deepEqual(objects, withoutNamespace(installed(one)));
    const gate = objects.get('Deployment rollcall rollcall-gate') ?? assert.fail('no gate');
    const [container] = listAt(gate, 'spec.template.spec.containers');
    assert.equal(listAt(container, 'args').at(-1), odd);
  });

  test('is found by its version', WITH_PARTS, async () => {
    assert.match(await helm.run(['show', 'chart', CHART]), /^appVersion: \d+\.\d+\.\d+$/m);
  });
});
