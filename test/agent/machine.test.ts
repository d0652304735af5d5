import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedMs } from '../../src/collection/agent/booted.ts';
import { decidingLines, decidingText } from '../../src/collection/agent/deciding-lines.ts';
import { csiProbe, diskProbe } from '../../src/collection/agent/machine.ts';
import type { NodeProbe } from '../../src/ports/node-probe.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createFakeHost } from '../ports/fake/host.ts';
import { TIMES, toolsOf, verdictOf } from './scene.ts';

const FOLDER = '/var/lib/kubelet/plugins_registry';
const DRIVER = 'ebs.csi.aws.com';

function driverProbe(files: Record<string, string>, registered: readonly string[]): NodeProbe {
  const place = { folder: FOLDER, drivers: [DRIVER], registered: async () => registered };
  return csiProbe(toolsOf({ files }), place, TIMES);
}

const SOCKET = { [`${FOLDER}/${DRIVER}-reg.sock`]: '' };

for (const [what, files, registered, verdict] of [
  ['with a socket and in CSINode', SOCKET, [DRIVER], 'yes Registered'],
  ['with a socket alone', SOCKET, [], 'no NotRegistered'],
  ['in CSINode alone', { [`${FOLDER}/other.sock`]: '' }, [DRIVER], 'no NoSocket'],
  ['behind a folder that may not be read', {}, [DRIVER], 'unknown FolderUnread'],
] as const)
  test(`a driver ${what}: ${verdict}`, async () => {
    assert.equal(await verdictOf(driverProbe(files, registered)), verdict);
  });

test('rejects when the CSINode cannot be read', async () => {
  const refused = new PortError({ failure: 'denied', message: 'no' });
  const place = {
    folder: FOLDER,
    drivers: [DRIVER],
    registered: () => Promise.reject(refused),
  };
  await assert.rejects(verdictOf(csiProbe(toolsOf({ files: SOCKET }), place, TIMES)), refused);
});

const SPACE = { bytesTotal: 100, bytesFree: 40, inodesTotal: 1000, inodesFree: 900 };

for (const [what, space, options, verdict] of [
  ['with room', SPACE, 'rw', 'yes Writable'],
  ['without inodes of its own', { ...SPACE, inodesTotal: 0, inodesFree: 0 }, 'rw', 'yes Writable'],
  ['that is full', { ...SPACE, bytesFree: 4 }, 'rw', 'no Full'],
  ['out of inodes', { ...SPACE, inodesFree: 49 }, 'rw', 'no Full'],
  ['that became read-only', SPACE, 'ro', 'no ReadOnly'],
  ['without a size', { ...SPACE, bytesTotal: 0, bytesFree: 0 }, 'rw', 'no Full'],
] as const)
  test(`a disk ${what}: ${verdict}`, async () => {
    const files = { '/proc/self/mountinfo': `1 0 8:1 / /data rw - ext4 /dev/sda ${options}\n` };
    const tools = toolsOf({ files, spaces: { '/data': space } });
    assert.equal(await verdictOf(diskProbe(tools, ['/data'], TIMES)), verdict);
  });

test('knows when the machine booted', async () => {
  const { clock, host } = toolsOf({ files: { '/proc/uptime': '120.50 400.00\n' } });
  assert.equal(await bootedMs(host, clock), clock.nowMs() - 120_500);
  for (const text of ['', 'x y', '-3 4']) {
    const odd = createFakeHost({ files: { '/proc/uptime': text } });
    assert.equal(await bootedMs(odd, clock), clock.nowMs());
  }
  assert.equal(await bootedMs(createFakeHost({}), clock), clock.nowMs());
});

const LOG = [
  'Jan  1 00:00:01 host kubelet: I0101 00:00:01.000000 1 server.go:1] "Started"',
  'Jan  1 00:00:02 host kubelet: E0101 00:00:02.000000 1 node.go:1] "Unable to register" err="Unauthorized"',
  'Jan  1 00:00:03 host kubelet: E0101 00:00:03.000000 1 node.go:1] "Unable to register" err="Unauthorized"',
  'Jan  1 00:00:04 host audit[1]: denied',
  'Jan  1 00:00:05 host app: failed with aws_secret_access_key=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY01',
].join('\n');

test('keeps the newest of lines about trouble that repeat, without secrets', async () => {
  const host = createFakeHost({ files: { '/host/var/log/messages': LOG } });
  const [found, ...others] = await decidingLines(host, '/host/var/log');
  assert.equal(others.length, 0);
  assert.equal(found?.path, '/var/log/messages');
  assert.equal(found.lines.length, 2);
  assert.match(found.lines[0] ?? '', /00:00:03 .*Unauthorized/);
  assert.doesNotMatch(found.lines.join('\n'), /wJalr/);
  assert.match(decidingText([found]), /^==> \/var\/log\/messages <==\nJan {2}1 00:00:03/);
});

test('keeps forty lines of a log, and no line longer than 400 characters', async () => {
  const kinds = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const lines = kinds.flatMap((one) =>
    kinds.map((two) => `failed: ${one}${two} ${'z'.repeat(900)}`),
  );
  const host = createFakeHost({ files: { '/l/syslog': lines.join('\n') } });
  const [found] = await decidingLines(host, '/l');
  assert.equal(found?.lines.length, 40);
  assert.equal(
    found.lines.every((line) => line.length <= 400),
    true,
  );
});
