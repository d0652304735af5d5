import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PERMISSIONS } from '../../src/collection/permissions.generated.ts';
import { at, isObject, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { resourceOf } from '../../src/manifests/kinds.ts';
import { installedObjects } from '../../src/manifests/parts.ts';
import { installationWith } from '../../tools/generate/installations.ts';

function installed(values: JsonObject = {}): readonly JsonObject[] {
  return installedObjects(PERMISSIONS, installationWith('0.1.0', values));
}

function named(objects: readonly JsonObject[], kind: string, name: string): JsonObject {
  const found = objects.find(
    (one) => textAt(one, 'kind') === kind && textAt(one, 'metadata.name') === name,
  );
  return found ?? assert.fail(`${kind} ${name}`);
}

function argumentsOf(workload: JsonObject): readonly unknown[] {
  return listAt(listAt(workload, 'spec.template.spec.containers')[0], 'args');
}

function keysOf(objects: readonly JsonObject[]): readonly string[] {
  return objects.map((one) => {
    const { plural, group } = resourceOf(one);
    return `${plural}.${group}/${textAt(one, 'metadata.namespace') ?? ''}/${textAt(one, 'metadata.name')}`;
  });
}

describe('an installation', () => {
  test('has each object once, in any namespace of a cluster', () => {
    for (const namespace of ['rollcall', 'default', 'kube-system', 'kube-public']) {
      const { values } = installationWith('0.1.0', {});
      const keys = keysOf(installedObjects(PERMISSIONS, { namespace, values }));
      assert.equal(new Set(keys).size, keys.length, namespace);
    }
  });

  test('gives a part its rights only where the part is on', () => {
    const all = installed({ controller: { events: false, reports: false } });
    const rules = JSON.stringify(named(all, 'ClusterRole', 'rollcall-controller'));
    assert.doesNotMatch(rules, /nodereports|"create"|"patch"|secrets/);
    const gate = JSON.stringify(named(all, 'ClusterRole', 'rollcall-gate'));
    assert.doesNotMatch(gate, /nodereadinessrules/);
    const agent = JSON.stringify(named(all, 'ClusterRole', 'rollcall-agent'));
    assert.doesNotMatch(agent, /csinodes/);
    const withCsi = installed({ agent: { probes: ['csi'], csiDrivers: ['ebs.csi.aws.com'] } });
    assert.match(JSON.stringify(named(withCsi, 'ClusterRole', 'rollcall-agent')), /csinodes/);
  });

  test('enforces the restricted level where no agent needs the machine', () => {
    const label = 'pod-security.kubernetes.io/enforce';
    const levelOf = (values: JsonObject): unknown => {
      const labels = at(named(installed(values), 'Namespace', 'rollcall'), 'metadata.labels');
      return isObject(labels) ? labels[label] : null;
    };
    assert.equal(levelOf({}), 'privileged');
    assert.equal(levelOf({ agent: { enabled: false } }), 'restricted');
    assert.equal(levelOf({ agent: { probes: ['dns', 'disk'] } }), 'restricted');
    assert.equal(levelOf({ agent: { probes: ['csi'] } }), 'privileged');
  });

  test('has the half in the network of the machine only for probes that need it', () => {
    const objects = installed({ agent: { probes: ['dns'] } });
    assert.equal(
      keysOf(objects).some((key) => key.includes('agent-machine')),
      false,
    );
    const args = argumentsOf(named(objects, 'DaemonSet', 'rollcall-agent'));
    assert.equal(args.includes('--probes=dns'), true);
    assert.equal(
      args.some((one) => String(one).startsWith('--machine-state')),
      false,
    );
  });

  test('annotates accounts with roles for IRSA, and for nothing else', () => {
    const controllerRoleArn = 'arn:aws:iam::123456789012:role/rollcall';
    const annotationsOf = (identity: string): unknown =>
      at(
        named(
          installed({ aws: { identity, controllerRoleArn } }),
          'ServiceAccount',
          'rollcall-controller',
        ),
        'metadata.annotations',
      );
    assert.deepEqual(annotationsOf('irsa'), {
      'eks.amazonaws.com/role-arn': controllerRoleArn,
      'eks.amazonaws.com/sts-regional-endpoints': 'true',
    });
    assert.equal(annotationsOf('pod-identity'), undefined);
  });
});

test('the gate may run where every node is still shut', () => {
  const gate = named(installed(), 'Deployment', 'rollcall-gate');
  const tolerations = listAt(gate, 'spec.template.spec.tolerations');
  assert.deepEqual(tolerations, [{ operator: 'Exists', effect: 'NoSchedule' }]);
});

const FIXED = [
  'spec.selector.matchLabels',
  'roleRef',
  'value',
  'spec.clusterIP',
  'spec.scope',
  'spec.names',
];

/** What no upgrade may change, as the first version has it. */
const FIRST_VERSION: Readonly<Record<string, string>> = {
  'priorityclasses.scheduling.k8s.io//rollcall': '[1000000000]',
  'customresourcedefinitions.apiextensions.k8s.io//nodereports.rollcall.dev':
    '["Cluster",{"plural":"nodereports","singular":"nodereport","kind":"NodeReport","listKind":"NodeReportList"}]',
  'clusterrolebindings.rbac.authorization.k8s.io//rollcall-controller':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"rollcall-controller"}]',
  'rolebindings.rbac.authorization.k8s.io/kube-public/rollcall-controller':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-controller"}]',
  'rolebindings.rbac.authorization.k8s.io/kube-system/rollcall-controller':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-controller"}]',
  'rolebindings.rbac.authorization.k8s.io/rollcall/rollcall-controller-own':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-controller-own"}]',
  'poddisruptionbudgets.policy/rollcall/rollcall-controller': '[{"app":"rollcall-controller"}]',
  'deployments.apps/rollcall/rollcall-controller': '[{"app":"rollcall-controller"}]',
  'customresourcedefinitions.apiextensions.k8s.io//nodegates.rollcall.dev':
    '["Cluster",{"plural":"nodegates","singular":"nodegate","kind":"NodeGate","listKind":"NodeGateList"}]',
  'clusterrolebindings.rbac.authorization.k8s.io//rollcall-gate':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"rollcall-gate"}]',
  'rolebindings.rbac.authorization.k8s.io/rollcall/rollcall-gate-own':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-gate-own"}]',
  'rolebindings.rbac.authorization.k8s.io/nrr-system/rollcall-gate':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-gate"}]',
  'poddisruptionbudgets.policy/rollcall/rollcall-gate': '[{"app":"rollcall-gate"}]',
  'deployments.apps/rollcall/rollcall-gate': '[{"app":"rollcall-gate"}]',
  'clusterrolebindings.rbac.authorization.k8s.io//rollcall-agent':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"rollcall-agent"}]',
  'rolebindings.rbac.authorization.k8s.io/default/rollcall-agent-api-server':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-agent-api-server"}]',
  'rolebindings.rbac.authorization.k8s.io/rollcall/rollcall-agent-own':
    '[{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"rollcall-agent-own"}]',
  'services./rollcall/rollcall-agent': '["None"]',
  'daemonsets.apps/rollcall/rollcall-agent': '[{"app":"rollcall-agent"}]',
  'daemonsets.apps/rollcall/rollcall-agent-machine': '[{"app":"rollcall-agent-machine"}]',
};

test('no field that cannot be changed in place is another than in the first version', () => {
  const objects = installed({ gate: { nodeReadinessRules: true } });
  const keys = keysOf(objects);
  const fixed = Object.fromEntries(
    objects.map((object, index) => {
      const fields = FIXED.map((path) => at(object, path)).filter((one) => one !== undefined);
      return [keys[index] ?? '', JSON.stringify(fields)];
    }),
  );
  for (const [key, fields] of Object.entries(FIRST_VERSION))
    assert.equal(fixed[key] ?? fields, fields, key);
});
