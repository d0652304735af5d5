import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentSource, type Likely, NOT_KNOWN, originOf } from './origin.ts';

const LINES: readonly (readonly [source: string, line: string])[] = [
  [
    'kubelet',
    'Jun 06 19:42:03 ip-10-1-2-3 kubelet[21177]: E0606 19:42:03.8 3214 controller.go:145] "Failed to ensure lease exists"',
  ],
  ['kubelet', 'E0719 02:42:59.679107    9662 kubelet_node_status.go:787] Unable to construct'],
  ['kubelet', '2024-05-02T10:00:00+0000 ip-10-1-2-3 kubelet[77]: plain'],
  ['containerd', 'May 01 10:00:00 h containerd[9]: time="2024-05-01T10:00:00Z" level=info msg="x"'],
  [
    'nodeadm',
    'Aug 28 19:55:30 localhost nodeadm[4782]: SDK 2024/08/28 19:55:30 DEBUG attempting waiter request',
  ],
  ['cloud-init', '<13>Aug  7 07:44:02 user-data: + true'],
  [
    'cloud-init',
    '2024-08-28 19:55:32,448 - url_helper.py[DEBUG]: Read from http://169.254.169.254',
  ],
  [
    'nodeup',
    'Nov 06 16:54:02 i-3d65f8b73d15c7d32.ec2.internal nodeup[10225]: nodeup version 1.29.2',
  ],
  ['bottlerocket', '[  303.392308] sundog[15092]: Setting generator failed'],
  [
    'ipamd',
    '{"level":"error","ts":"2022-01-19T15:36:50.585Z","caller":"ipamd/ipamd.go:444","msg":"x"}',
  ],
  ['ipamd', '2019-07-03T21:02:20Z [ERROR] Failed to get eni limit'],
  [
    'aws-node',
    '{"level":"info","ts":"2022-02-04T15:20:48.035Z","caller":"entrypoint.sh","msg":"Install CNI binaries.."}',
  ],
  [
    'karpenter',
    '{"level":"ERROR","logger":"controller","message":"x","controller":"nodeclaim.lifecycle"}',
  ],
  ['cloud-controller', 'E1124 08:00:14.506217       1 node_controller.go:212] error syncing'],
  ['controller-manager', 'I0925 15:51:17.296509      11 gc_controller.go:182] Found orphaned Pod'],
  [
    'machine-approver',
    'E0511 11:35:52.336917       1 node_csr_approver.go:77] Reconciliation failed',
  ],
  ['kubeadm', '[preflight] Running pre-flight checks'],
  ['kubeadm', '\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: already exists'],
  [
    'event',
    '  Warning  FailedScheduling  31m (x3 over 31m)   default-scheduler  0/3 nodes are available',
  ],
  ['terraform', '│ Error: waiting for EKS Node Group create: unexpected state'],
  ['terraform', 'Error: failed to create EKS cluster: ResourceInUseException'],
  [
    'pod-identity-agent',
    '{"level":"info","msg":"Calling EKS Auth to fetch credentials","time":"2025-07-09T03:08:10Z"}',
  ],
  [
    'event',
    '4m    Warning   Unhealthy   pod/calico-node-x1   Readiness probe failed: 2020-05-12 10:00:00 [INFO][5161] confd/health.go',
  ],
  [
    'machine-config-server',
    'I0101 10:00:00.000000       1 bootstrap_server.go:70] Pool worker requested by address:"10.0.0.9:4000"',
  ],
  ['host-file', '-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD'],
  ['unknown', '2019-05-21T06:40:31Z ERROR AccessDenied: User is not authorized'],
  ['unknown', 'some words that no program is known to print'],
];

describe('the program behind a line', () => {
  for (const [source, line] of LINES) {
    test(`${source}: ${line.slice(0, 60)}`, () =>
      assert.equal(originOf(line, NOT_KNOWN).source, source));
  }

  test('the host of a journal line is known, that of other lines is not', () => {
    assert.equal(originOf(LINES[0]?.[1] ?? '', NOT_KNOWN).host, 'ip-10-1-2-3');
    assert.equal(originOf(LINES[1]?.[1] ?? '', NOT_KNOWN).host, null);
  });

  test('a line without a mark of its own takes the source of its document', () => {
    assert.equal(
      originOf('plain words', { source: 'kiam-agent', isKnown: false }).source,
      'kiam-agent',
    );
  });

  test('only a tag and what is known of its file make a source more than a guess', () => {
    const file = { source: 'kubelet', isKnown: true } as const;
    const isKnown = (line: string, likely: Likely): boolean => originOf(line, likely).isKnown;
    assert.equal(isKnown(LINES[0]?.[1] ?? '', NOT_KNOWN), true);
    assert.equal(isKnown('plain words', file), true);
    assert.equal(isKnown('the kops-controller is gone', file), false);
    assert.equal(isKnown('Error: no such thing', NOT_KNOWN), false);
  });

  test('a document is what most of its lines are', () => {
    const lines = LINES.filter(([source]) => source === 'kubelet').map(([, line]) => line);
    assert.equal(documentSource([...lines, LINES[3]?.[1] ?? '', 'plain']).source, 'kubelet');
    assert.deepEqual(documentSource(['plain']), NOT_KNOWN);
  });
});
