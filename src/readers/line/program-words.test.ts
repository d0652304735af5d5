import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NOT_KNOWN, originOf } from './origin.ts';

const sourceOf = (line: string): string => originOf(line, NOT_KNOWN).source;

/** Words that only one program prints, one line for each of its ways. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  event: [
    '5m Warning x',
    'default   2d4h   Normal   x',
    '<unknown> Normal x',
    'x <invalid> Warning x',
    'Normal Pulled x',
    '  Warning Failed x',
  ],
  nidhogg: ['a nidhogg word'],
  kubelet: [
    'failed to run Kubelet: x',
    'Failed to run Kubelet',
    'Timed out when waiting for CSINode publishing',
  ],
  terraform: [
    '[ℹ]  nodegroup',
    '[✔] done',
    '[!]  x',
    '[✖]  x',
    '[▶]  x',
    'Error: x',
    ' │ Error: x',
    'aws_eks_node_group.x',
    'module.eks-1',
    'Resource handler returned message: x',
    'x CREATE_FAILED',
    '[✖]',
  ],
  ipamd: [
    ...['ipamd', 'aws-k8s-agent', 'awsutils', 'networkutils', 'datastore', 'rpc'].map(
      (folder) => `{"caller":"${folder}/x.go:1"}`,
    ),
    'ipamd: Initialization failure: x',
    ...['DEBUG', 'INFO', 'ERROR', 'WARN'].map((level) => `2026-11-22T10:00:00Z [${level}] x`),
  ],
  'cni-plugin': ['"caller":"routed-eni-cni-plugin/cni.go"', '"caller":"driver/driver.go"'],
  'aws-node': [
    ...[
      'entrypoint.sh',
      '/usr/local/bin',
      'runtime/proc.go',
      '/go/src/runtime/proc.go',
      'aws-vpc-cni',
      'cp/',
    ].map((caller) => `{"caller":"${caller}"}`),
    'Starting IPAM daemon',
    'Checking for IPAM connectivity',
    'aws-vpc-cni-init',
  ],
  nodeadm: [
    ...['init', 'cmd', 'kubelet', 'containerd', 'imds', 'ec2', 'configprovider', 'system'].map(
      (folder) => `{"level":"info","caller":"${folder}/a.go:1"}`,
    ),
    'run nodeadm now',
  ],
  karpenter: [
    'karpenter.sh/x',
    'DEBUG controller x',
    'INFO  controller.provisioning.x  x',
    'WARN controller x',
    'ERROR controller.a-b x',
    '"logger":"controller"',
    '"logger":"controller.x',
    ...['provisioning', 'deprovisioning', 'interruption', 'node'].map((one) => `controller.${one}`),
    'nodeclaim.lifecycle',
    'machine.lifecycle',
  ],
  kubeadm: [
    ...'preflight discovery kubelet-start kubelet-check bootstrap-token control-plane-join init join certs kubeconfig upload-config wait-control-plane'
      .split(' ')
      .map((phase) => `[${phase}] x`),
    'error execution phase x',
    '  [ERROR Port-10250]: x',
  ],
  'cloud-init': [
    'user-data: x',
    'x cloud-init x',
    '/var/lib/cloud/instance',
    '2026-11-22 10:00:00,1 - util.py[WARNING]: x',
    '/etc/eks/bootstrap.sh',
    ' Cloud-init v. 23',
    'ci-info: x',
    '[eks-bootstrap] x',
  ],
  nodeup: [
    'x nodeup x',
    'kops-configuration',
    'BootstrapClientTask',
    'error parsing Cluster config response',
    'parsing NodeupConfig',
    'kops-controller DNS not setup',
    'executor.go:12] x',
  ],
  bottlerocket: 'sundog pluto schnauzer thar-be-settings early-boot-config storewolf netdog'
    .split(' ')
    .map((program) => `x ${program} x`),
  ignition: [
    'ignition[12]',
    'Ignition 2',
    'Ignition (x)',
    'GET https://api:22623/config/worker',
    'machine-config-server',
  ],
  'kiam-agent': [
    'kiam-agent',
    'kiamagent',
    '"msg":"configuring iptables"',
    '"msg": "undoing iptables changes"',
    '"msg":"error creating server gateway"',
    '"msg":"error finding role for pod"',
    '"path":"/latest/meta-data/iam/security-credentials"',
    '"pod.ip":1',
  ],
  'kiam-server': ['kiam-server-abc', 'processing pod update', 'announced=true', 'announced=false'],
  kube2iam: ['kube2iam', 'ns.name=a', '"ns.name":1', 'req.path=/x', '"req.path":1'],
  'pod-identity-agent': ['eks-pod-identity-agent', 'Calling EKS Auth', 'AssumeRoleForPodIdentity'],
  'pod-identity-webhook': ['amazon-eks-pod-identity-webhook', 'pod-identity-webhook'],
  'calico-node': [
    'calico-node',
    'x felix x',
    'bird: x',
    'bird6: x',
    'confd[12]',
    ...['INFO', 'WARNING', 'ERROR', 'FATAL'].map((level) => `[${level}][123] x`),
  ],
  cilium: ['level=info subsys=daemon-x'],
  'csi-driver': ['ebs.csi.aws.com', 'efs.csi.aws.com'],
  coredns: [
    '[INFO] plugin/x',
    '[ERROR] SERVFAIL',
    '[WARNING] Reloading',
    '[INFO] 127.0.0.1',
    'CoreDNS-1',
  ],
  authenticator: [
    'msg="access denied"',
    '"msg":"access granted"',
    'aws-iam-authenticator',
    'authenticator-0123456789abcdef0123456789abcdef',
  ],
  audit: ['{"kind": "Event","a":1,"auditID"', '"auditID": 1'],
  'kops-controller': [
    'kops-controller',
    'bootstrap failed to build node config',
    'getting node config for &{x}',
    '"/bootstrap"',
    'bootstrap request',
  ],
  'aws-message': [
    'StatusReason',
    'Launching a new EC2 instance: i',
    'health.issues',
    'AsgInstanceLaunchFailures',
    'NodeCreationFailure',
  ],
  'client-output': [
    ...['kubectl', 'oc', 'eksctl', 'kops', 'helm'].map((program) => `${program} get x`),
    '$ kubectl x',
    '# oc x',
    'Error from server (x)',
    'The connection to the server x',
    'error: unable to x',
    'error: You must be x',
  ],
  'host-file': [
    ...['INPUT', 'FORWARD', 'OUTPUT', 'PREROUTING', 'POSTROUTING'].flatMap((chain) => [
      `:${chain} ACCEPT [0:0]`,
      `-A ${chain} x`,
    ]),
    ':INPUT DROP [0:0]',
    '-A KUBE-SERVICES',
    '-A AWS-SNAT',
    '-A cali-x',
    '-A CNI-x',
    ...['filter', 'nat', 'mangle', 'raw'].map((table) => `*${table}`),
    '512:   from all lookup main',
    '1: not from all lookup main',
    'default via 10.0.0.1',
    '10.0.0.0/24 dev eth0',
    '10.0.0.1 dev eth0',
    ...['ipv4', 'ipv6', 'core', 'bridge'].map((one) => `net.${one}.a-b/c = 1`),
    'Filesystem  1K-blocks x',
    'Filesystem  Type  1M-blocks x',
    'Filesystem Size x',
    'Filesystem Inodes x',
    '/dev/nvme0n1p1 1 2 100% /',
  ],
  'machine-config-server': [
    'bootstrap_server.go:7',
    'cluster_server.go:7',
    'Pool worker requested by address:x',
    'refusing to serve bootstrap configuration',
  ],
  unknown: [
    '5x Warning x',
    'a b 5m Warning x',
    'Normal words',
    'xNormal Pulled x',
    '5m Warnings x',
    'my failed to run Kubelets',
    '[ℹ]nodegroup',
    '{"caller":"my/ipamd/x.go:1"}',
    'x 2026-11-22T10:00:00Z [DEBUG] x',
    'ipamd Initialization',
    'INFO controllers x',
    '"logger":"controllers"',
    'nodeadmin',
    '[preflight]x',
    'x  [ERROR Port',
    'my-ci-info: x',
    'cloud-inits',
    'x executor.go:12] x',
    'plutonium',
    'ignition[x]',
    'Ignition x',
    'announced=maybe',
    'felixes',
    'confd[x]',
    '[INFO][x] y',
    'msg=access',
    'authenticator-0123',
    'mysubsys=a',
    'x kubectl get',
    'x Error from server',
    'error: x',
    'my -A KUBE-SERVICES',
    '*filters',
    'my *filter',
    'x net.ipv4.x = 1',
    'x default via 10.0.0.1',
    '512: from all',
    '/dev/nvme0n1p1 1 2 100% x',
    'x Filesystem Size x',
  ],
};

describe('the words of a line', () => {
  for (const [source, lines] of Object.entries(WORDS))
    for (const line of lines)
      test(`${source}: ${line}`, () => assert.equal(sourceOf(line), source));

  test('are looked for in its beginning', () => {
    assert.equal(sourceOf(`${'.'.repeat(1990)} nidhogg`), 'nidhogg');
    assert.equal(sourceOf(`${'.'.repeat(2000)} nidhogg`), 'unknown');
    assert.equal(sourceOf(`${'.'.repeat(2000)} bootstrap_server.go:1`), 'unknown');
  });

  test('that several programs print are of the one that printed the lines around', () => {
    const line = 'Calling EKS Auth from a calico-node';
    assert.equal(sourceOf(line), 'pod-identity-agent');
    assert.equal(originOf(line, { source: 'calico-node', isKnown: false }).source, 'calico-node');
    assert.equal(originOf(line, { source: 'cilium', isKnown: false }).source, 'pod-identity-agent');
    assert.equal(originOf('Error: x', { source: 'terraform', isKnown: false }).source, 'terraform');
  });
});
