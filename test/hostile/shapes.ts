/** How one reader's input carries some words in a line or a field that is quoted. */
export type Write = (words: string) => string;

const FAILURE = 'Unable to register node with API server err="Unauthorized';
const KLOG = 'E0606 19:42:03.800000 3214 kubelet_node_status.go:96]';
const STAMP = '2024-05-01T10:00:00.123456789Z';

function said(words: string): string {
  return `${KLOG} ${FAILURE} ${words}" node="ip-10-0-0-1.ec2.internal"`;
}

/** What collectors put around a line; names in capitals are the expressions of envelope.ts. */
export const ENVELOPES: Readonly<Record<string, Write>> = {
  'journal, short': (words) => `Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: ${said(words)}`,
  'journal, short-iso': (words) =>
    `2024-06-06T19:42:03+0000 ip-10-0-0-1 kubelet[21]: ${said(words)}`,
  JOURNAL_JSON: (words) =>
    JSON.stringify({
      _HOSTNAME: 'ip-10-0-0-1',
      SYSLOG_IDENTIFIER: 'kubelet',
      __REALTIME_TIMESTAMP: '1717702923000000',
      MESSAGE: said(words),
    }),
  'JOURNAL_JSON of bytes': (words) =>
    JSON.stringify({
      _HOSTNAME: 'ip-10-0-0-1',
      SYSLOG_IDENTIFIER: 'kubelet',
      MESSAGE: [...new TextEncoder().encode(said(words))],
    }),
  'journal-export.ts': (words) =>
    `__CURSOR=s=1\n_HOSTNAME=ip-10-0-0-1\nSYSLOG_IDENTIFIER=kubelet\nMESSAGE=${said(words)}\n\n`,
  CRI: (words) => `${STAMP} stderr F ${said(words)}`,
  DOCKER_JSON: (words) =>
    JSON.stringify({ log: `${said(words)}\n`, stream: 'stderr', time: STAMP }),
  KUBECTL_PREFIX: (words) => `[pod/kubelet-x/kubelet] ${said(words)}`,
  klog: said,
  seelog: (words) =>
    `2018-10-02T15:20:14Z [ERROR] Failed to CreateNetworkInterface UnauthorizedOperation: You are not authorized to perform this operation. ${words}`,
  'zap JSON': (words) =>
    JSON.stringify({
      level: 'error',
      ts: STAMP,
      caller: 'awsutils/awsutils.go:640',
      msg: `Failed to CreateNetworkInterface UnauthorizedOperation: You are not authorized to perform this operation. ${words}`,
    }),
  logfmt: (words) =>
    `Jun 06 19:42:03 ip-10-0-0-1 containerd[9]: time="${STAMP}" level=error msg="RunPodSandbox failed" error="failed to create pod sandbox: ${words}"`,
  syslog: (words) => `<13>Jun  6 19:42:03 ip-10-0-0-1 kubelet: ${said(words)}`,
  console: (words) => `[   12.345678] cloud-init[1234]: Unable to locate credentials ${words}`,
  'joined lines': (words) =>
    `Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: ${KLOG} Unable to register node\n  with API server err="Unauthorized ${words}"`,
  'command echo': (words) => `$ curl ${words}\nJun 06 19:42:03 h kubelet[21]: ${said('now')}`,
};

function object(kind: string, rest: object): string {
  return JSON.stringify({ apiVersion: 'v1', kind, ...rest });
}

function node(words: string): object {
  const message = `cni plugin not initialized ${words}`;
  const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
  return {
    metadata: { name: 'ip-10-0-0-1.ec2.internal', labels: { a: words }, annotations: { b: words } },
    spec: { taints: [{ key: 'k', value: words, effect: 'NoSchedule' }] },
    status: { conditions: [condition] },
  };
}

function indented(words: string): string {
  return JSON.stringify(words);
}

/** Text that is read into facts and not quoted, with a line that is. */
function beside(text: string): string {
  return `${text}\n---\nJun 06 19:42:03 h kubelet[21]: ${said('now')}`;
}

/** A machine of a cluster that has no Node, so that what its user data passes is told. */
function ownNodeless(): string {
  const tags = [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }];
  const instance = {
    InstanceId: 'i-0123456789abcdef0',
    ImageId: 'ami-0123456789abcdef0',
    LaunchTime: '2024-06-06T17:00:00.000Z',
    PrivateDnsName: 'ip-10-0-0-1.ec2.internal',
    State: { Code: 16, Name: 'running' },
    Tags: tags,
  };
  const at = '2024-06-06T19:42:03Z';
  return [
    { apiVersion: 'evidence.rollcall.dev/v1alpha1', kind: 'Collection', at, refusals: [] },
    { Reservations: [{ Instances: [instance] }] },
    {
      apiVersion: 'v1',
      kind: 'NodeList',
      metadata: { annotations: { rollcall: 'complete' } },
      items: [],
    },
  ]
    .map((one) => JSON.stringify(one))
    .join('\n');
}

/** Text of every structured reader, named by its file. */
export const STRUCTURED: Readonly<Record<string, Write>> = {
  'kube/node.ts': (words) => object('Node', node(words)),
  'kube/object.ts': (words) =>
    object('Event', {
      involvedObject: { kind: 'Pod', name: 'web' },
      type: 'Warning',
      reason: 'FailedCreatePodSandBox',
      message: `Failed to create pod sandbox: ${words}`,
    }),
  'kube/event.ts': (words) =>
    object('Event', {
      metadata: { name: 'web.1', namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'ip-10-0-0-1.ec2.internal', uid: words },
      type: 'Normal',
      reason: 'DeletingNode',
      source: { component: 'cloud-node-lifecycle-controller' },
      message: `Deleting node ip-10-0-0-1.ec2.internal because it does not exist ${words}`,
    }),
  'kube/pod.ts': (words) => {
    const state = { waiting: { reason: 'ImagePullBackOff', message: `Back-off ${words}` } };
    return object('Pod', {
      metadata: { name: 'web', namespace: 'default', annotations: { a: words } },
      spec: { nodeName: 'ip-10-0-0-1.ec2.internal', containers: [{ name: 'c', args: [words] }] },
      status: { phase: 'Pending', containerStatuses: [{ name: 'c', state }] },
    });
  },
  'kube/table.ts': (words) =>
    `LAST SEEN   TYPE      REASON   OBJECT      MESSAGE\n10s         Warning   Failed   pod/web-1   Error: ErrImagePull ${words}`,
  'kube/describe.ts': (words) =>
    `Name:               ip-10-0-0-1.ec2.internal\nRoles:              <none>\nLabels:             a=${words}\nAnnotations:        b: ${words}\nConditions:\n  Type   Status  LastHeartbeatTime                 LastTransitionTime                Reason           Message\n  ----   ------  -----------------                 ------------------                ------           -------\n  Ready  False   Thu, 06 Jun 2024 19:42:03 +0000   Thu, 06 Jun 2024 19:42:03 +0000   KubeletNotReady  cni plugin not initialized ${words}\nEvents:\n  Warning  FailedCreatePodSandBox  10s  kubelet  Failed to create pod sandbox ${words}`,
  'kube/described-object.ts': (words) =>
    `Name:         default\nAPI Version:  karpenter.k8s.aws/v1\nKind:         EC2NodeClass\nSpec:\n  Instance Profile:  ${words}\nStatus:\n  Conditions:\n    Last Transition Time:  2024-06-06T19:42:03Z\n    Message:               ${words}\n    Reason:                NodeClassNotReady\n    Status:                False\n    Type:                  Ready\nEvents:\n  Warning  FailedDraining  10s  karpenter  Failed to drain ${words}`,
  'kube/aws-auth.ts': (words) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: aws-auth\ndata:\n  mapRoles: |\n    - rolearn: ${indented(`arn:aws:iam::123456789012:role/team/path/nodes ${words}`)}\n      username: ${indented(words)}\n      groups: [system:nodes]\n---\nJun 06 19:42:03 h kubelet[21]: ${said('now')}`,
  'aws/answer.ts': (words) =>
    JSON.stringify({
      nodegroup: {
        nodegroupName: 'workers',
        nodeRole: words,
        health: {
          issues: [
            {
              code: 'NodeCreationFailure',
              message: `Instances failed to join the kubernetes cluster ${words}`,
              resourceIds: [words],
            },
          ],
        },
      },
    }),
  'aws/command-output.ts': (words) =>
    JSON.stringify({
      InstanceId: 'i-0123456789abcdef0',
      Status: 'Success',
      StandardOutputContent: `Jun 06 19:42:03 h kubelet[21]: ${said(words)}\n`,
      StandardErrorContent: words,
    }),
  'kube/discovery.ts': (words) =>
    beside(
      object('ConfigMap', {
        metadata: { name: 'cluster-info', namespace: 'kube-public', labels: { a: words } },
        data: {
          kubeconfig: words,
          'jws-kubeconfig-abcdef': words,
          [`jws-kubeconfig-${words}`]: '',
        },
      }),
    ),
  'kube/kubeadm-status.ts': (words) =>
    beside(
      object('ConfigMap', {
        metadata: { name: 'kubeadm-config', namespace: 'kube-system', annotations: { a: words } },
        data: {
          ClusterStatus: `apiEndpoints:\n  ${indented(words)}:\n    advertiseAddress: ${indented(words)}\n`,
        },
      }),
    ),
  'kube/endpoint-slice.ts': (words) =>
    beside(
      object('EndpointSlice', {
        metadata: { name: 'dns-1', labels: { 'kubernetes.io/service-name': words } },
        endpoints: [{ addresses: [words], conditions: { ready: false } }],
        ports: [{ name: words, port: 53 }],
      }),
    ),
  'kube/volume.ts': (words) =>
    beside(
      object('PersistentVolumeClaim', {
        metadata: { name: words, namespace: 'default', annotations: { a: words } },
        spec: { volumeName: words, storageClassName: words },
        status: { phase: 'Pending' },
      }),
    ),
  'text/dhcp-lease.ts': (words) =>
    beside(
      `lease {\n  interface "eth0";\n  fixed-address 10.0.0.1;\n  option domain-name "${words}";\n  option host-name "${words}";\n  option dhcp-client-identifier "${words}";\n}`,
    ),
  'text/host-clock.ts': (words) =>
    beside(
      `Reference ID    : A9FEA97B (${words})\nSystem time     : 312.000000000 seconds slow of NTP time\nLeap status     : ${words}`,
    ),
  'kube/signing-request.ts': (words) => {
    const request = {
      metadata: { name: 'csr-1', labels: { a: words } },
      spec: { request: btoa('now'), signerName: 'kubernetes.io/kubelet-serving', username: words },
      status: { conditions: [{ type: 'Denied', status: 'True', message: `denied ${words}` }] },
    };
    return `${object('CertificateSigningRequest', request)}\nJun 06 19:42:03 h kubelet[21]: ${said('now')}`;
  },
  'aws/user-data.ts': (words) =>
    JSON.stringify({
      InstanceId: 'i-0123456789abcdef0',
      UserData: {
        Value: Buffer.from(
          `#!/bin/bash\n/etc/eks/bootstrap.sh shop --apiserver-endpoint '${words}'\nexec kubelet --register-node=false ${words}\n`,
        ).toString('base64'),
      },
    }),
  'aws/kubelet-labels.ts': (words) =>
    `${JSON.stringify({
      InstanceId: 'i-0123456789abcdef0',
      UserData: {
        Value: Buffer.from(
          `#!/bin/bash\n/etc/eks/bootstrap.sh shop --kubelet-extra-args '--node-labels=kops.k8s.io/now=a,node-role.kubernetes.io/${words}=a'\n`,
        ).toString('base64'),
      },
    })}\n${ownNodeless()}`,
  'aws/mime.ts': (words) =>
    JSON.stringify({
      InstanceId: 'i-0123456789abcdef0',
      UserData: {
        Value: Buffer.from(
          `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: text/x-shellscript\n\n#!/bin/bash\nexec kubelet --register-node=false ${words}\n--B--\n`,
        ).toString('base64'),
      },
    }),
  'text/structured.ts': (words) =>
    `apiVersion: v1\nkind: Node\nmetadata:\n  name: ip-10-0-0-1.ec2.internal\nstatus:\n  conditions:\n  - type: Ready\n    status: "False"\n    reason: KubeletNotReady\n    message: ${indented(`cni plugin not initialized ${words}`)}\n`,
  'text/loose-states.ts': (words) =>
    `conditions:\n- type: Launched\n  status: "False"\n  reason: LaunchFailed\n  message: ${indented(`launching nodeclaim ${words}`)}\n`,
  'text/items.ts': (words) =>
    `{"apiVersion":"v1","kind":"List","items":[${object('Node', node(words))},${Array.from({ length: 24 }, (_, index) => object('Service', { metadata: { name: `s${index}` }, filler: 'x y '.repeat(25_000) })).join(',')}]}`,
  'document.ts': (words) =>
    `${`Jun 06 19:42:02 ip-10-0-0-1 kubelet[21]: ${'all is well '.repeat(60)}\n`.repeat(3000)}Jun 06 19:42:03 ip-10-0-0-1 kubelet[21]: ${said(words)}\n`,
};

/** Files of the readers that are parts of the ones above: they are given no input of their own. */
export const PARTS: readonly string[] = [
  'aws/answer-shapes.ts',
  // What a queue brings is no evidence that is quoted; its own test looks for secrets.
  'aws/machine-news.ts',
  'aws/kubelet-arguments.ts',
  'aws/messages.ts',
  'kube/annotations.ts',
  'kube/aws-auth-edit.ts',
  'kube/aws-auth-quirks.ts',
  'kube/aws-auth-yaml.ts',
  'text/own-state.ts',
  'text/bracket-ends.ts',
  'text/segments.ts',
  'text/parse.ts',
  'text/yaml-lines.ts',
  'text/item-stream.ts',
  'text/line-starts.ts',
  'text/shape.ts',
  'text/starts.ts',
  'kube/label-columns.ts',
];
