import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentSource, originOf, readPrefix } from './origin.ts';

const sourceOf = (line: string): string => originOf(line, 'unknown').source;

/** Tags of syslog and journald, by the program that they are of. */
const TAGS: Readonly<Record<string, string>> = {
  kubelet: 'kubelet hyperkube kubelet-wrapper kubelet-eks.daemon /usr/bin/kubelet',
  containerd: 'containerd dockerd crio',
  nodeadm: 'nodeadm',
  'cloud-init': 'cloud-init user-data cloud',
  nodeup: 'nodeup kops-configuration',
  kubeadm: 'kubeadm',
  bottlerocket: 'sundog pluto early-boot-config host-containers apiserver thar-be-settings',
  ignition: 'ignition',
  kernel: 'kernel',
  journal: 'systemd sshd',
};

describe('the tag of a line', () => {
  for (const [source, tags] of Object.entries(TAGS))
    for (const tag of tags.split(' '))
      test(`${tag} is ${source}`, () => {
        assert.equal(sourceOf(`Nov 22 10:00:00 web-1 ${tag}[12]: words`), source);
        assert.equal(
          sourceOf(`[   12.345678] ${tag.replaceAll('/', '')}[12]: words`),
          tag.includes('/') ? 'journal' : source,
        );
      });

  for (const [form, prefix, host] of [
    ['of the journal', 'Nov 22 10:00:00 web-1 kubelet[12]: ', 'web-1'],
    ['with one digit of a day', 'Nov  2 10:00:00 web-1 kubelet: ', 'web-1'],
    ['with a year', 'Nov 22 2026 10:00:00.123456 web-1 kubelet[12]: ', 'web-1'],
    ['in ISO form', '2026-11-22T10:00:00.123Z web-1 kubelet[12]: ', 'web-1'],
    ['in ISO form with a zone', '2026-11-22T10:00:00,1+0100 web-1 kubelet[12]: ', 'web-1'],
    ['in ISO form with another zone', '2026-11-22T10:00:00-01:00 web-1 kubelet[12]: ', 'web-1'],
    ['with a priority', '<13>Nov 22 10:00:00 web-1 kubelet[12]: ', 'web-1'],
    ['without a host', 'Nov 22 10:00:00 kubelet[12]: ', null],
  ] as const)
    test(`is seen ${form}, and the host beside it`, () => {
      assert.deepEqual(readPrefix(`${prefix}words`), { host, program: 'kubelet', isTagged: true });
    });

  for (const line of [
    'x Nov 22 10:00:00 web-1 kubelet[12]: words',
    'nov 22 10:00:00 web-1 kubelet[12]: words',
    'Nov 22 10:00:00 web-1 kubelet[12]:words',
    'Nov 22 10:00:00 web-1 kubelet[x]: words',
    'Nov 22 10:00:00 web-1 on kubelet[12]: words',
    'web-1 kubelet[12]: words',
    'x [   12.345678] kubelet[12]: words',
    '[   12.345678] kubelet: words',
    '[   12] kubelet[12]: words',
    `${' '.repeat(2000)}Nov 22 10:00:00 web-1 kubelet[12]: words`,
  ])
    test(`is none in "${line.trim()}"`, () => {
      assert.deepEqual(readPrefix(line), { host: null, program: null, isTagged: false });
    });

  for (const level of 'TRACE DEBUG INFO WARN WARNING ERROR FATAL'.split(' '))
    test(`is none behind the level ${level}`, () => {
      assert.deepEqual(readPrefix(`2026-11-22T10:00:00Z ${level} kubelet: words`), {
        host: null,
        program: null,
        isTagged: false,
      });
    });

  test('that no program is known by leaves it to the words', () => {
    const line = 'Nov 22 10:00:00 web-1 sh[12]: ';
    assert.deepEqual(readPrefix(`${line}words`), { host: 'web-1', program: null, isTagged: true });
    assert.deepEqual(originOf(`${line}nidhogg`, 'unknown'), { source: 'nidhogg', host: 'web-1' });
    assert.deepEqual(originOf(`${line}words`, 'kubelet'), { source: 'journal', host: 'web-1' });
    assert.deepEqual(originOf('words', 'kubelet'), { source: 'kubelet', host: null });
  });
});

/** Source files in klog lines, by the program that has them. */
const FILES: Readonly<Record<string, string>> = {
  kubelet: `kubelet kubelet_pods kuberuntime_manager pod_workers pod_container_deletor remote_runtime
    remote_image eviction_manager setters nodelease cpu_manager memory_manager topology_manager
    container_manager_linux volume_manager reconciler reconciler_common reconciler_new csi_plugin
    nodeinfomanager image_gc_manager cri_stats_provider generic pleg certificate_manager
    certificate_store bootstrap fs_resource_analyzer status_manager docker_service cni
    summary_sys_containers prober prober_manager desired_state_of_world_populator
    nestedpendingoperations watcher plugin_watcher dynamic_cafile_content policy_none
    kubelet_node_status manager`,
  'cloud-controller': `node_controller cloud_node_controller tagging_controller
    node_lifecycle_controller route_controller service_controller`,
  'machine-approver': 'node_csr_approver csr_check controller_approver',
  'controller-manager': `controllermanager gc_controller range_allocator cidr_allocator
    certificate_controller csr_approver garbagecollector taint_manager attach_detach_controller`,
  'kube-apiserver':
    'dispatcher authentication healthz available_controller naming_controller wrap trace',
  'kube-proxy': 'proxier server_others iptables config',
  kubeadm: 'join preflight checks init token waiter waitcontrolplane',
  unknown: `xkubelet cpu_managers my_node_controller node_controllers xcsr_check
    gc_controllers xgc_controller dispatchers xtrace proxiers xconfig joined xwaiter reflector`,
};

describe('the source file of a klog line', () => {
  for (const [source, files] of Object.entries(FILES))
    for (const file of files.split(/\s+/))
      test(`${file}.go is of ${source}`, () => {
        assert.equal(sourceOf(`E1122 10:00:00.123456    12 ${file}.go:7] words`), source);
      });

  for (const [form, line] of [
    ['of each level', 'W1122 10:00:00.1 1 pleg.go:7] words'],
    ['behind another stamp', '2026-11-22T10:00:00Z I1122 10:00:00.1 1 pleg.go:7] words'],
    ['in quotes', '"F1122 10:00:00.1 1 pleg.go:7] words"'],
    ['behind brackets', '[x]D1122 10:00:00.123 123 pleg.go:77] words'],
    ['in JSON', '{"ts":1700000000.5,"caller":"kubelet/pleg.go:77","msg":"x"}'],
    ['in JSON with blanks', '{"ts": 1700000000, "caller": "pleg.go:7", "msg": "x"}'],
    ['without a stamp', 'pleg.go:77] words'],
  ] as const)
    test(`is seen ${form}`, () => assert.equal(sourceOf(line), 'kubelet'));

  for (const line of [
    'xE1122 10:00:00.1 1 pleg.go:7] words',
    'E1122 10:00:00.1 1 pleg.go] words',
    'E1122 10:00:00 1 pleg.go:7] words',
    'my pleg.go:7] words',
    'pleg.go:7 words',
    'x{"ts":1,"caller":"pleg.go:7"}',
    '{"level":"info","ts":1,"caller":"pleg.go:7"}',
    `${' '.repeat(2000)}E1122 10:00:00.1 1 pleg.go:7] words`,
  ])
    test(`is none in "${line.trim()}"`, () => assert.equal(sourceOf(line), 'unknown'));
});

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
    assert.equal(originOf(line, 'calico-node').source, 'calico-node');
    assert.equal(originOf(line, 'cilium').source, 'pod-identity-agent');
    assert.equal(originOf('Error: x', 'terraform').source, 'terraform');
  });
});

describe('a document', () => {
  for (const first of [
    '#!/bin/bash',
    '#cloud-config',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed',
    '[settings.kubernetes]',
    'apiVersion: node.eks.aws/v1alpha1',
  ]) {
    test(`that begins with ${first} is user data`, () => {
      assert.equal(documentSource(['', '---', '  ', first, 'kubeadm join']), 'user-data');
      assert.notEqual(documentSource(['words', first]), 'user-data');
      assert.notEqual(documentSource([`x${first}`]), 'user-data');
    });
  }

  test('is what most of its lines are, whatever the journal says between', () => {
    const journal = 'Nov 22 10:00:00 web-1 sshd[12]: words';
    const lines = [
      journal,
      journal,
      journal,
      'words',
      'words',
      'nidhogg',
      'calico-node',
      'nidhogg',
    ];
    assert.equal(documentSource(lines), 'nidhogg');
    assert.equal(documentSource(lines.toReversed()), 'nidhogg');
    assert.equal(documentSource([journal, 'words']), 'unknown');
    assert.equal(documentSource([]), 'unknown');
  });
});
