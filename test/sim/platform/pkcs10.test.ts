import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { withRequestedUser } from '../../../src/readers/kube/signing-request.ts';
import { requestOf, subjectOf } from '../../../src/sim/platform/certificates/pkcs10.ts';

const OF_A_NODE = {
  commonName: 'system:node:ip-10-0-1-16.eu-west-1.compute.internal',
  organizations: ['system:nodes'],
};

const skip =
  spawnSync('openssl', ['version']).status === 0
    ? false
    : 'openssl is not installed; run: apt-get install openssl';

function openssl(args: string, input = ''): string {
  const { status, stdout, stderr } = spawnSync('openssl', args.split(' '), {
    input,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('a certificate request of a kubelet', () => {
  it('is one that openssl reads', { skip }, () => {
    const pem = atob(requestOf(OF_A_NODE));
    const text = openssl('req -noout -text -nameopt RFC2253', pem);
    assert.match(
      text,
      /Subject: CN=system:node:ip-10-0-1-16\.eu-west-1\.compute\.internal,O=system:nodes$/m,
    );
    assert.match(text, /Public Key Algorithm: id-ecPublicKey\s+Public-Key: \(256 bit\)/);
    assert.match(text, /Signature Algorithm: ecdsa-with-SHA256/);
  });

  it('shows Rollcall the name of its node', () => {
    const request = requestOf(OF_A_NODE);
    const read = withRequestedUser({ spec: { request } });
    assert.deepEqual(read, { spec: { request }, requestedUser: OF_A_NODE.commonName });
  });

  it('says to the signer what it asks for, whatever the length of its names', () => {
    for (const length of [1, 100, 110, 120, 240, 300]) {
      const subject = {
        commonName: `system:node:${'n'.repeat(length)}`,
        organizations: ['a', 'b'],
      };
      assert.deepEqual(subjectOf(requestOf(subject)), subject);
    }
  });
});

describe('a request made with openssl', () => {
  it('is read, with a key of another kind and more in its name', { skip }, () => {
    const subject = '/C=DE/O=system:nodes/CN=system:node:n1';
    const pem = openssl(`req -new -newkey rsa:2048 -nodes -keyout /dev/null -subj ${subject}`);
    const wanted = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
    assert.deepEqual(subjectOf(btoa(pem)), wanted);
  });
});

it('rejects an invalid request wherever it is cut', () => {
  const der = atob(atob(requestOf(OF_A_NODE)).replaceAll(/-----[A-Z ]+-----|\n/g, ''));
  for (let length = 0; length < der.length; length += 1)
    assert.equal(subjectOf(btoa(btoa(der.slice(0, length)))), null);
  for (const text of ['', '%', btoa('{}'), btoa(btoa('\u0030\u0084\u00ff\u00ff\u00ff\u00ff'))])
    assert.equal(subjectOf(text), null);
});
