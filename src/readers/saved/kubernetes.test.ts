import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keptList, keptObject } from './kubernetes.ts';
import { sampleOf } from './testing.ts';

const METADATA = `metadata(name namespace uid labels creationTimestamp deletionTimestamp finalizers
  annotations=annotations ownerReferences[](kind name uid)
  managedFields[](manager operation time fieldsV1(f:spec(f:taints=emptied)
    f:metadata(f:annotations(f:eks.amazonaws.com/role-arn=emptied)))))`;
const CONDITIONS = 'conditions[](type status reason message lastTransitionTime lastHeartbeatTime)';
const PROBE = `(httpGet(path port scheme) tcpSocket(port) exec=emptied
  initialDelaySeconds periodSeconds timeoutSeconds failureThreshold)`;
const CONTAINERS = `[](name image resources command=words args=words env=variables
  readinessProbe${PROBE} livenessProbe${PROBE})`;
const POD = `spec(nodeName hostNetwork serviceAccountName priorityClassName nodeSelector tolerations
  affinity containers${CONTAINERS} initContainers${CONTAINERS}
  volumes[](projected(sources[](serviceAccountToken(audience path)))
    persistentVolumeClaim(claimName)))`;
const STATUSES = '[](name ready restartCount image state lastState)';
const WEBHOOKS = `webhooks[](name failurePolicy namespaceSelector objectSelector timeoutSeconds
  clientConfig(service(name namespace)) rules[](apiGroups operations resources scope))`;
const OBJECT = '(kind name namespace uid)';

/** What may be read of each kind; all else stays on the machine where it was collected. */
const KEPT: Readonly<Record<string, string>> = {
  Node: `spec(podCIDR providerID taints unschedulable)
    status(addresses allocatable capacity nodeInfo ${CONDITIONS})`,
  Pod: `${POD} status(reason message phase hostIP podIP startTime ${CONDITIONS}
    containerStatuses${STATUSES} initContainerStatuses${STATUSES})`,
  Event: `type reason message note count reportingComponent firstTimestamp lastTimestamp eventTime
    deprecatedSource source involvedObject${OBJECT} regarding${OBJECT}`,
  Lease: 'spec(holderIdentity leaseDurationSeconds renewTime)',
  DaemonSet: `spec(selector template(metadata(labels) ${POD}) updateStrategy(type)) status`,
  Deployment: `spec(replicas template(metadata(labels) ${POD})) status`,
  CSINode: 'spec(drivers[](name nodeID allocatable))',
  CNINode: 'spec(features[](name))',
  CertificateSigningRequest: `requestedUser spec(signerName username)
    status(certificate=certificate ${CONDITIONS})`,
  MutatingWebhookConfiguration: WEBHOOKS,
  ValidatingWebhookConfiguration: WEBHOOKS,
  EndpointSlice: 'endpoints[](addresses conditions nodeName) ports',
  PersistentVolumeClaim: 'spec(volumeName storageClassName) status(phase)',
  PersistentVolume: `spec(nodeAffinity csi(driver) awsElasticBlockStore=emptied) status(phase)`,
  PodDisruptionBudget: `spec(selector minAvailable maxUnavailable)
    status(currentHealthy desiredHealthy disruptionsAllowed expectedPods)`,
  SecurityGroupPolicy: 'spec(podSelector serviceAccountSelector securityGroups(groupIds))',
  ENIConfig: 'spec(subnet securityGroups)',
  Namespace: 'status(phase)',
  NodeClaim: `spec(startupTaints taints nodeClassRef requirements)
    status(nodeName providerID imageID allocatable capacity ${CONDITIONS})`,
  NodePool: `spec(limits weight disruption
    template(spec(nodeClassRef startupTaints taints requirements))) status(${CONDITIONS})`,
  EC2NodeClass: `spec(subnetSelectorTerms securityGroupSelectorTerms amiSelectorTerms amiFamily role
    instanceProfile) status(${CONDITIONS})`,
  NodeReadinessRule: 'spec(conditions taint enforcementMode nodeSelector)',
  Machine: `spec(providerID)
    status(phase errorMessage errorReason nodeName nodeRef ${CONDITIONS})`,
  JoinConfiguration: 'discovery(bootstrapToken=emptied file=emptied)',
  Widget: `status(${CONDITIONS})`,
  constructor: `status(${CONDITIONS})`,
  Secret: '',
};

describe('what is kept of an object', () => {
  for (const [kind, body] of Object.entries(KEPT))
    test(`${kind}: only what causes read`, () => {
      const { given, kept } = sampleOf(`apiVersion ${METADATA} ${body}`);
      assert.deepEqual(keptObject({ ...given, kind }, kind, new Map()), { ...kept, kind });
    });

  test('a Secret keeps neither data nor text', () => {
    const secret = { kind: 'Secret', data: { key: 'planted' }, stringData: { key: 'planted' } };
    assert.deepEqual(keptObject(secret, 'Secret', new Map()), { kind: 'Secret' });
  });

  test('a ConfigMap keeps the entries that causes read', () => {
    const map = { metadata: { name: 'cilium-config' }, data: { ipam: 'eni', other: 'planted' } };
    assert.deepEqual(keptObject(map, 'ConfigMap', new Map()), { ...map, data: { ipam: 'eni' } });
    assert.deepEqual(keptObject({ metadata: {} }, 'ConfigMap', new Map()), { metadata: {} });
    assert.deepEqual(keptObject(map, 'Node', new Map()), { metadata: map.metadata });
  });

  test('parts of another type than expected are left out', () => {
    const node = { kind: 'Node', metadata: 'planted', spec: ['planted'], status: null };
    assert.deepEqual(keptObject(node, 'Node', new Map()), { kind: 'Node' });
    const pod = { kind: 'Pod', spec: { containers: 'planted', volumes: { projected: 'planted' } } };
    assert.deepEqual(keptObject(pod, 'Pod', new Map()), { kind: 'Pod', spec: {} });
  });
});

describe('annotations', () => {
  const kept = (key: string): boolean => {
    const value = { metadata: { annotations: { [key]: 'value' } } };
    const left = new Map<string, number>();
    const object = keptObject(value, 'Node', left);
    const isKept = JSON.stringify(object).includes('value');
    assert.equal(left.get('annotations') ?? 0, isKept ? 0 : 1, key);
    return isKept;
  };

  for (const key of [
    'eks.amazonaws.com/role-arn',
    'k8s.aws/eni',
    'vpc.k8s.aws/eni',
    'karpenter.sh/do-not-disrupt',
    'cluster-autoscaler.kubernetes.io/scale-down-disabled',
    'VPC-Resource-controller',
    'nidhogg.uswitch.com/first-time-ready',
    'projectcalico.org/IPv4Address',
    'alpha.kubernetes.io/provided-node-ip',
    'volume.kubernetes.io/selected-node',
    'volume.beta.kubernetes.io/storage-provisioner',
    'k8s.amazonaws.com/eniConfig',
    'example.com/eni-config',
    'example.com/eniconfig',
    'readiness.k8s.io/checked',
    'readiness.node.x-k8s.io/bootstrap-completed',
    'rollcall.dev/usable',
    'gate.rollcall.dev/5b0d1c0e.not-enforced',
  ])
    test(`${key} is kept`, () => assert.ok(kept(key)));

  for (const key of [
    'kubectl.kubernetes.io/last-applied-configuration',
    'amazonaws.com',
    'notk8s.aws/eni',
    'provided-node-ip/token',
    'example.com/volume.kubernetes.io/x',
    'volumes.kubernetes.io/x',
    'my-rollcall-token',
  ])
    test(`${key} is not`, () => assert.ok(!kept(key)));

  test('no annotations at all are no empty ones', () => {
    assert.deepEqual(keptObject({ metadata: { annotations: null } }, 'Node', new Map()), {
      metadata: {},
    });
  });
});

describe('a CertificateSigningRequest', () => {
  const der = `0\u0082\u0001\u0017system:node:ip-10-0-1-5`;
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${btoa(der)}\n-----END CERTIFICATE REQUEST-----`;
  const kept = (spec: object, certificate: string | null): object =>
    keptObject(
      { kind: 'CertificateSigningRequest', spec, status: { certificate } } as never,
      'CertificateSigningRequest',
      new Map(),
    );

  test('keeps the user it asks for instead of the request', () => {
    assert.deepEqual(kept({ request: btoa(pem), username: 'boot' }, 'planted'), {
      kind: 'CertificateSigningRequest',
      requestedUser: 'system:node:ip-10-0-1-5',
      spec: { username: 'boot' },
      status: { certificate: '‹certificate›' },
    });
  });

  test('alone has a user who asks', () => {
    const pod = { kind: 'Pod', spec: { request: btoa(pem) } };
    assert.deepEqual(keptObject(pod, 'Pod', new Map()), { kind: 'Pod', spec: {} });
  });

  for (const missing of ['', null])
    test(`has no certificate where the status says ${JSON.stringify(missing)}`, () => {
      const { status } = kept({}, missing) as { status: object };
      assert.deepEqual(status, {});
    });
});

describe('what is kept of a list', () => {
  test('items take their kind from the list, or have their own', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'NodeList',
      metadata: { continue: 'token', resourceVersion: '1', annotations: { a: 'b' } },
      items: [
        { spec: { podCIDR: '10.0.0.0/24', other: 'planted' } },
        { kind: 'Lease', spec: { holderIdentity: 'a', podCIDR: 'planted' } },
        'planted',
      ],
    };
    const left = new Map<string, number>();
    assert.deepEqual(keptList(list, left), {
      apiVersion: 'v1',
      kind: 'NodeList',
      metadata: { continue: 'more', annotations: {} },
      items: [
        { spec: { podCIDR: '10.0.0.0/24' } },
        { kind: 'Lease', spec: { holderIdentity: 'a' } },
      ],
    });
    assert.deepEqual(Object.fromEntries(left), { annotations: 1 });
  });

  test('the last page says of no other', () => {
    for (const token of ['', null, 3]) {
      const list = { kind: 'PodList', metadata: { continue: token }, items: null };
      assert.deepEqual(keptList(list, new Map()), { kind: 'PodList', metadata: {}, items: [] });
    }
  });

  test('only the end of a kind says that it is of a list', () => {
    const item = { spec: { providerID: 'aws:///i', podCIDR: 'planted' } };
    const list = { kind: 'List', items: [{ ...item, kind: 'Machine' }] };
    assert.deepEqual(keptList(list, new Map()), {
      kind: 'List',
      items: [{ kind: 'Machine', spec: { providerID: 'aws:///i' } }],
    });
    const odd = { kind: 'MachineListList', items: [item] };
    assert.deepEqual(keptList(odd, new Map()), { kind: 'MachineListList', items: [{}] });
  });
});

describe('a container', () => {
  const kept = (container: object): { container: unknown; left: unknown } => {
    const left = new Map<string, number>();
    const pod = keptObject({ spec: { containers: [container] } } as never, 'Pod', left);
    const { spec } = pod as unknown as { spec: { containers: readonly unknown[] } };
    return { container: spec.containers[0], left: Object.fromEntries(left) };
  };

  for (const words of [
    ['/opt/bin/agent', '--cloud-provider=external'],
    ['aws-node', '--allocate-node-cidrs', '--cloud-provider'],
    ['kiam', 'agent', '--host-interface=!eth0,eth1+'],
    ['kiam', 'server'],
  ])
    test(`keeps ${words.join(' ')}`, () => {
      const own = { command: words, args: words };
      assert.deepEqual(kept(own), { container: own, left: {} });
    });

  for (const word of [
    '--token=a',
    '--cloud-provider=a b',
    `--cloud-provider=${'a'.repeat(61)}`,
    'x--cloud-provider',
    'my-agent',
    'servers',
    '/bin/other',
  ])
    test(`leaves out and counts the argument ${word.slice(0, 30)}`, () => {
      assert.deepEqual(kept({ args: ['/bin/sh', word] }), {
        container: { args: ['/bin/sh'] },
        left: { 'arguments of containers': 1 },
      });
    });

  test('a program is a path without blanks and of a limited length', () => {
    for (const program of ['sh -c secret', `/${'a'.repeat(100)}`, 'a=b', '$(secret)', ''])
      assert.deepEqual(kept({ command: [program] }).container, { command: [] }, program);
    assert.deepEqual(kept({ command: 'sh' }).container, {});
  });

  test('leaves out and counts variables that no cause reads', () => {
    const env = [
      { name: 'WARM_IP_TARGET', value: '3', valueFrom: 'planted' },
      { name: 'AWS_REGION', valueFrom: 'planted' },
      { name: 'DB_PASSWORD', value: 'planted' },
      { value: 'planted' },
    ];
    assert.deepEqual(kept({ env }), {
      container: { env: [{ name: 'WARM_IP_TARGET', value: '3' }, { name: 'AWS_REGION' }] },
      left: { 'environment variables': 2 },
    });
  });
});
