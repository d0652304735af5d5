import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMount } from './mounts.ts';

const MOUNTS = `25 1 259:1 / / rw,relatime shared:1 - xfs /dev/nvme0n1p1 rw,attr2
30 25 259:2 / /var/lib/kubelet ro,relatime - ext4 /dev/nvme1n1 rw,seclabel
31 25 259:3 / /scratch\\040one rw,relatime - ext4 /dev/nvme2n1 ro,seclabel
`;

test('finds the nearest mount above a path', () => {
  assert.equal(readMount(MOUNTS, '/var/lib/kubelet/pods')?.point, '/var/lib/kubelet');
  assert.equal(readMount(MOUNTS, '/var/lib/kubeletish')?.point, '/');
});

test('tells a file system that has become read-only from a mount that was made so', () => {
  assert.equal(readMount(MOUNTS, '/var/lib/kubelet')?.isReadOnly, false);
  assert.equal(readMount(MOUNTS, '/scratch one')?.isReadOnly, true);
});

test('takes the later of two mounts at one place', () => {
  const twice = `${MOUNTS}40 25 259:9 / /var/lib/kubelet rw - tmpfs none ro\n`;
  assert.equal(readMount(twice, '/var/lib/kubelet')?.isReadOnly, true);
});

test('finds none in another text', () => {
  assert.equal(readMount('nothing\n', '/'), null);
});
