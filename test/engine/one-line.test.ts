/** Lines that name a cause where hardly more than the line itself is shown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';

const LINES: readonly (readonly [cause: string, line: string])[] = [
  [
    'csi-driver-not-ready',
    `Warning  FailedAttachVolume  9s  attachdetach-controller  AttachVolume.Attach failed for volume "pvc-3f0a" : CSINode ip-10-2-33-15.ec2.internal does not contain driver efs.csi.aws.com`,
  ],
  [
    'csi-driver-not-ready',
    `Warning  FailedMount  12s  kubelet  MountVolume.MountDevice failed for volume "pvc-3f0a" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered CSI drivers`,
  ],
  [
    'karpenter-nodeclass-not-ready',
    `NodeClassReady  False  NodeClassNotReady  Failed to resolve instance profile`,
  ],
  [
    'kube-proxy-not-working',
    `E0302 10:00:00.100200       1 server.go:655] Failed to retrieve node IP: host IP unknown; known addresses: []`,
  ],
  [
    'service-ip-unreachable-for-cni',
    `{"level":"info","ts":"2025-02-02T10:20:43.104Z","caller":"wait/loop.go:87","msg":"Unable to reach API Server, Get \\"https://172.20.0.1:443/version?timeout=5s\\": dial tcp 172.20.0.1:443: i/o timeout"}`,
  ],
  [
    'memory-or-pid-pressure',
    `Status: Failed Reason: Evicted Message: The node had condition: [MemoryPressure].`,
  ],
  ['node-disk-full', `Pod web-6f7d9c5b8f-t5p2l Evicted: The node had condition: [DiskPressure].`],
  [
    'sts-throttling',
    `time="2025-03-02T10:00:00Z" level=warning msg="access denied" client="127.0.0.1:40620" error="sts getCallerIdentity failed: error from AWS (expected 200, got 400). Body: {\\"Error\\":{\\"Code\\":\\"Throttling\\",\\"Message\\":\\"Rate exceeded\\"}}" method=POST path=/authenticate`,
  ],
  [
    'calico-dataplane-not-ready',
    `Readiness probe failed: calico/node is not ready: BIRD is not ready: BGP not established with 10.20.1.4,10.20.2.9`,
  ],
  [
    'container-runtime-down',
    `E0302 10:00:00.100200    2011 run.go:74] "command failed" err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint \\"unix:///run/crio/crio.sock\\": rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix /run/crio/crio.sock: connect: no such file or directory\\""`,
  ],
  [
    'address-limit-per-eni-exceeded',
    `{"level":"error","ts":"2025-02-02T10:20:43.104Z","caller":"ipamd/ipamd.go:972","msg":"Failed to increase pool size: failed to allocate a private IP/Prefix address: PrivateIpAddressLimitExceeded: Number of private addresses will exceed limit."}`,
  ],
  [
    'pause-image-pull-failed',
    `E0514 09:20:41.402113    2310 kuberuntime_sandbox.go:72] "Failed to create sandbox for pod" err="rpc error: code = Unknown desc = failed to get sandbox image \\"registry.example.com/mirror/pause:3.9\\": failed to pull image \\"registry.example.com/mirror/pause:3.9\\": failed to pull and unp"`,
  ],
  [
    'control-plane-down',
    `E0702 07:40:10.113201    3011 reflector.go:205] k8s.io/kubernetes/pkg/kubelet/config/apiserver.go:47: Failed to list *v1.Pod: Get https://127.0.0.1/api/v1/pods?limit=500&resourceVersion=0: dial tcp 127.0.0.1:443: connect: connection refused`,
  ],
  [
    'tls-handshake-timeout',
    `E0912 04:10:22.310045    3310 reflector.go:123] k8s.io/kubernetes/pkg/kubelet/kubelet.go:459: Failed to list *v1.Node: Get https://10.20.0.9:6443/api/v1/nodes?limit=500&resourceVersion=0: net/http: TLS handshake timeout`,
  ],
];

/** Lines of a log that says nothing of trouble. */
const OTHERS = '2024-03-02T10:00:00Z request served\n'.repeat(60);

async function named(text: string): Promise<readonly (string | null)[]> {
  const { headline } = await diagnoseTexts([{ name: 'paste.txt', text }]);
  return [headline?.cause ?? null, headline?.confidence ?? null];
}

describe('one line alone', () => {
  for (const [cause, line] of LINES)
    test(`names ${cause}: ${line.slice(0, 60)}`, async () => {
      assert.equal((await named(`${line}\n`))[0], cause);
    });

  test('names nothing where more of the log is shown', async () => {
    const [, line] = LINES.find(([cause]) => cause === 'container-runtime-down') ?? ['', ''];
    assert.deepEqual(await named(`${line}\n`), ['container-runtime-down', 'likely']);
    assert.deepEqual(await named(`${line}\n${OTHERS}`), [null, null]);
  });
});
