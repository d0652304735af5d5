import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergedDocument } from '../../src/apps/cli/live/diagnose-cluster.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';

const HEALTHY = [
  'NAME                        STATUS   ROLES    AGE   VERSION',
  'ip-10-0-1-1.ec2.internal    Ready    <none>   9d    v1.34.2-eks-3abd1f4',
].join('\n');

const REFUSED =
  'Jun 06 19:42:03 ip-10-0-2-1 kubelet[21]: E0606 19:42:03.800000 3214 run.go:74] "command failed" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""';

test('several clusters are one document, with the first headline that there is', async () => {
  const [one, other] = await Promise.all([
    diagnoseTexts([{ name: 'nodes.txt', text: HEALTHY }]),
    diagnoseTexts([{ name: 'kubelet.log', text: REFUSED }]),
  ]);
  assert.equal(one.headline, null);
  const merged = mergedDocument([one, other]);
  assert.deepEqual(merged.subjects, [...one.subjects, ...other.subjects]);
  assert.equal(merged.headline?.cause, 'cgroup-driver-mismatch');
  assert.deepEqual(merged.losses, [...one.losses, ...other.losses]);
});
