import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PassageReading } from '../passage.ts';
import { readTranscript } from './transcript.ts';

/** What a transcript has said of pods, without the facts in it. */
function saidIn(text: string): readonly string[] {
  const said: string[] = [];
  const collector = {
    locatorAt: () => '',
    locatorOf: () => '',
    listing: () => {},
    fact: () => {},
    link: () => {},
    share: (value: unknown) => value,
    sawMachine: () => {},
  };
  const passage = {
    collector,
    document: 0,
    say: (line: { readonly text: string }) => said.push(line.text),
  } as unknown as PassageReading;
  readTranscript(passage, text.split('\n'));
  return said;
}

describe('what a pod is asked', () => {
  test('comes with the answer, which alone does not say what was asked', () => {
    assert.deepEqual(saidIn('$ kubectl exec -it a -- nslookup kubernetes.default\n;; timed out'), [
      'In a pod: nslookup kubernetes.default',
    ]);
    assert.deepEqual(
      saidIn('$ kubectl run a --rm -i --image=b -- sh -c "apk add x; dig c.svc.cluster.local"'),
      ['In a pod: dig c.svc.cluster.local'],
    );
  });

  test('tells the role that instance metadata gives, and no page of an error', () => {
    const asked =
      '$ kubectl -n a exec b -- curl -s http://169.254.169.254/latest/meta-data/iam/security-credentials/ ; echo';
    assert.deepEqual(saidIn(`${asked}\nrole-c`), [
      'Pod a/b is given the role role-c by instance metadata',
    ]);
    assert.deepEqual(saidIn(`${asked}\n404 - Not Found`), []);
  });

  test('tells which variables are not there, as far as all or those sought are shown', () => {
    const ended = 'command terminated with exit code 1';
    assert.deepEqual(saidIn(`$ kubectl -n a exec b -- env | grep AWS_ROLE\n${ended}`), [
      'Pod a/b has no variable AWS_ROLE_ARN',
    ]);
    assert.deepEqual(saidIn(`$ kubectl -n a exec b -- env | grep -v AWS_ROLE\n${ended}`), []);
    assert.deepEqual(saidIn('$ kubectl -n a exec b -- env\nAWS_REGION=c'), []);
    assert.deepEqual(
      saidIn(
        '$ kubectl -n a exec b -- env\nPATH=/bin\nKUBERNETES_SERVICE_HOST=10.0.0.1\nAWS_ROLE_ARN=c\nAWS_WEB_IDENTITY_TOKEN_FILE=d',
      ),
      ['Pod a/b has no variable AWS_CONTAINER_CREDENTIALS_FULL_URI'],
    );
  });
});

describe('rows of pods', () => {
  const ROW = 'a b 0/1 Completed 0 1d 10.0.0.9 ip-10-0-0-1';

  test('tell a pod at the address of one that has ended, and no address of a machine', () => {
    assert.deepEqual(
      saidIn(
        `$ kubectl get pods -A -o wide | grep 10.0.0.9\n${ROW}\nc d 1/1 Running 0 1m 10.0.0.9 x`,
      ),
      ['Pod c/d has the address 10.0.0.9, which Pod a/b had that has ended'],
    );
    assert.deepEqual(
      saidIn(
        `$ kubectl get pods -A -o wide | grep 10.0.0.9\n${ROW}\nc d 1/1 Running 0 1m 10.0.0.9 x\ne f 1/1 Running 0 1m 10.0.0.9 x`,
      ),
      [],
    );
  });

  test('are all there are where nothing leaves some out', () => {
    assert.deepEqual(saidIn(`$ kubectl get pods -A | awk '{print $1,$2,$4}'\na b Running`), [
      'All 1 pods of the cluster are listed',
    ]);
    assert.deepEqual(saidIn('$ kubectl get pods -A | grep b\na b Running'), []);
    assert.deepEqual(saidIn('$ kubectl get pods -A\na b 1/1 Running 0 1d\n...'), []);
  });
});
