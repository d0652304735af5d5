import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetadataFlows } from './conntrack.ts';

const LISTED =
  'tcp      6 431999 ESTABLISHED src=10.77.1.2 dst=169.254.169.254 sport=36702 dport=80 src=169.254.169.254 dst=10.70.0.2 sport=80 dport=36702 [ASSURED] mark=0 use=1';
const REDIRECTED =
  'tcp      6 119 TIME_WAIT src=10.77.1.3 dst=169.254.169.254 sport=40000 dport=80 src=10.77.0.1 dst=10.77.1.3 sport=8181 dport=40000 [ASSURED] mark=0 use=1';

test('says who asks and who answers', () => {
  assert.deepEqual(readMetadataFlows(`${LISTED}\n${REDIRECTED}\n`), [
    { from: '10.77.1.2', fromPort: 36702, answeredBy: '169.254.169.254', state: 'ESTABLISHED' },
    { from: '10.77.1.3', fromPort: 40000, answeredBy: '10.77.0.1', state: 'TIME_WAIT' },
  ]);
});

test("reads the kernel's own list as well", () => {
  const line = `ipv4     2 ${LISTED.replace('mark=0 use=1', 'mark=0 zone=0 use=2')}`;
  assert.equal(readMetadataFlows(line)[0]?.from, '10.77.1.2');
});

test('reads a connection that was not answered yet', () => {
  const line = LISTED.replace('ESTABLISHED', 'SYN_SENT').replace(
    'dport=80 src',
    'dport=80 [UNREPLIED] src',
  );
  assert.equal(readMetadataFlows(line)[0]?.state, 'SYN_SENT');
});

for (const [what, line] of [
  ['another port', LISTED.replace('dport=80', 'dport=443')],
  ['another address', LISTED.replace('dst=169.254.169.254', 'dst=10.0.0.1')],
  ['UDP', LISTED.replace('tcp      6 431999 ESTABLISHED', 'udp      17 29')],
  ['nothing', 'conntrack v1.4.7 (conntrack-tools): 0 flow entries have been shown.'],
] as const)
  test(`leaves out a line about ${what}`, () => {
    assert.deepEqual(readMetadataFlows(line), []);
  });

test('stops at a thousand connections', () => {
  assert.equal(readMetadataFlows(`${LISTED}\n`.repeat(1500)).length, 1000);
});
