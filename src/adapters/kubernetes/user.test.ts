import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { PortError } from '../../ports/port-error.ts';
import type { ExecSource } from './target.ts';
import { credentialOf } from './user.ts';

const V1 = 'client.authentication.k8s.io/v1';

function of(body: JsonObject): ReturnType<typeof credentialOf> {
  return credentialOf({ name: 'dev user', path: '/home/ubuntu/.kube/config', body });
}

function refusal(body: JsonObject): PortError {
  try {
    of(body);
  } catch (error) {
    if (error instanceof PortError) return error;
    throw error;
  }
  return assert.fail('it was not refused');
}

function execOf(exec: JsonObject): ExecSource {
  const credential = of({ exec: { apiVersion: V1, command: 'aws', ...exec } });
  return credential.kind === 'exec' ? credential.exec : assert.fail(credential.kind);
}

test('nobody, and a user without a credential, show none', () => {
  assert.deepEqual(credentialOf(null), { kind: 'none' });
  assert.deepEqual(of({}), { kind: 'none' });
  assert.deepEqual(of({ token: '', tokenFile: '', username: '', exec: 'aws' }), { kind: 'none' });
});

test('a token file goes before a token, a token before a name, a name before a program', () => {
  const exec = { apiVersion: V1, command: 'aws' };
  const all = { tokenFile: 'token', token: 'abc', username: 'me', password: 'pw', exec };
  const kinds: string[] = [];
  for (const key of ['tokenFile', 'token', 'username', 'exec']) {
    kinds.push(of(all).kind);
    Reflect.deleteProperty(all, key);
  }
  assert.deepEqual(kinds, ['token-file', 'token', 'basic', 'exec']);
  assert.deepEqual(of({ tokenFile: 'token' }), {
    kind: 'token-file',
    path: '/home/ubuntu/.kube/token',
  });
  assert.deepEqual(of({ username: 'me' }), { kind: 'basic', username: 'me', password: '' });
});

test('trims a token and does not send it when no header can hold it', () => {
  assert.deepEqual(of({ token: ' abc\n' }), { kind: 'token', token: 'abc' });
  for (const token of ['a c', ' ', 'a\u00e9', 'a\u007f', 'abc \u0001x']) {
    const { failure, message } = refusal({ token });
    assert.equal(failure, 'not-configured');
    assert.match(message, /set-credentials 'dev user' --token=TOKEN$/);
  }
});

test('finds a program by name or next to the file', () => {
  assert.equal(execOf({}).command, 'aws');
  assert.equal(execOf({ command: './bin/aws' }).command, '/home/ubuntu/.kube/bin/aws');
  assert.equal(execOf({ command: '/bin/aws' }).command, '/bin/aws');
  assert.match(refusal({ exec: { apiVersion: V1 } }).message, /has an exec without a command; for/);
});

test('reads the arguments of a program from its entry', () => {
  const env = [{ name: 'A', value: '1' }, { name: 'B' }, { value: 'nameless' }];
  const exec = execOf({ args: ['token', 7], env, installHint: 'get it', provideClusterInfo: true });
  assert.deepEqual(exec.args, ['token', '7']);
  assert.deepEqual(exec.env, { A: '1', B: '' });
  assert.equal(exec.installHint, 'get it');
  assert.equal(exec.provideClusterInfo, true);
  const {
    args,
    env: none,
    installHint,
    provideClusterInfo,
  } = execOf({ provideClusterInfo: 'true' });
  assert.deepEqual([args, none, installHint, provideClusterInfo], [[], {}, null, false]);
});

test('a program may ask at a terminal unless its entry says otherwise', () => {
  const modes = [undefined, 'Never', 'Always', 'IfAvailable', 'Sometimes'];
  assert.deepEqual(
    modes.map(
      (mode) => execOf(mode === undefined ? {} : { interactiveMode: mode }).interactiveMode,
    ),
    ['IfAvailable', 'Never', 'Always', 'IfAvailable', 'IfAvailable'],
  );
});

test('accepts only versions that kubectl still supports', () => {
  assert.equal(execOf({ apiVersion: `${V1}beta1` }).apiVersion, `${V1}beta1`);
  const old = refusal({ exec: { apiVersion: `${V1}alpha1`, command: 'aws' } });
  assert.equal(old.failure, 'unsupported');
  assert.match(old.message, /has the version client\.authentication\.k8s\.io\/v1alpha1, which/);
  assert.match(refusal({ exec: { command: 'aws' } }).message, /has the version \(none\), which/);
});

test('an old way to sign in is named with what replaces it', () => {
  const said = (name: string): string => refusal({ 'auth-provider': { name } }).message;
  assert.match(said('gcp'), /gcloud container clusters get-credentials CLUSTER$/);
  assert.match(said('azure'), /kubelogin convert-kubeconfig$/);
  assert.match(said('oidc'), /kubectl oidc-login setup/);
  for (const name of ['constructor', 'other', ''])
    assert.match(said(name), /set-credentials 'dev user' --exec-command=COMMAND$/);
  assert.equal(refusal({ 'auth-provider': {} }).failure, 'unsupported');
});
