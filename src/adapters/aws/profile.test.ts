import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type CredentialSource, type Environment, profileNames, readProfile } from './profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-profile-'));
after(() => rmSync(folder, { recursive: true }));

const CONFIG = `
region = before any section
[default]
region = eu-west-1
  region = of a nested setting
# region = a comment
; region = another
[profile  dev]
region=eu-central-1
ca_bundle = /etc/dev.pem
[profile "quoted"]
region = eu-north-1
[plain]
region = without the word profile
[sso-session corp]
sso_region = eu-west-1
[profile web]
web_identity_token_file = /token
role_arn = arn:aws:iam::1:role/web
[profile role]
role_arn = arn:aws:iam::1:role/r
sso_session = corp
[profile session]
sso_session = corp
[profile start]
sso_start_url = https://corp.awsapps.com/start
[profile program]
credential_process = /usr/bin/keys
[profile nothing]
output = json
`;
const CREDENTIALS = `
[default]
aws_access_key_id = AKID
[dev]
region = eu-west-3
aws_access_key_id = AKID
[keys]
aws_access_key_id = AKID
`;
writeFileSync(join(folder, 'config'), CONFIG.replaceAll('\n', '\r\n'));
writeFileSync(join(folder, 'credentials'), CREDENTIALS);

const FILES: Environment = {
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
};

test('the name comes from the command line, else from the environment', () => {
  const nameOf = (chosen: string | null, env: Environment = {}): unknown => {
    const { name, chosen: isChosen } = readProfile(chosen, { ...FILES, ...env });
    return [name, isChosen];
  };
  assert.deepEqual(nameOf('dev', { AWS_PROFILE: 'role' }), ['dev', true]);
  assert.deepEqual(nameOf(null, { AWS_PROFILE: 'role', AWS_DEFAULT_PROFILE: 'web' }), [
    'role',
    true,
  ]);
  assert.deepEqual(nameOf(null, { AWS_DEFAULT_PROFILE: 'web' }), ['web', true]);
  assert.deepEqual(nameOf(null, { AWS_PROFILE: '' }), ['default', false]);
  assert.deepEqual(nameOf(null), ['default', false]);
  assert.deepEqual(nameOf('default'), ['default', true]);
});

test('a section is found by its heading, and the credentials file goes before the other', () => {
  const regionOf = (name: string): string | null => readProfile(name, FILES).region;
  assert.equal(regionOf('default'), 'eu-west-1');
  assert.equal(regionOf('dev'), 'eu-west-3');
  assert.equal(regionOf('quoted'), 'eu-north-1');
  assert.equal(regionOf('plain'), null);
  const found = ['dev', 'keys', 'quoted', 'plain', 'corp', 'nowhere', 'default'];
  assert.deepEqual(
    found.filter((name) => readProfile(name, FILES).found),
    ['dev', 'keys', 'quoted', 'default'],
  );
});

test('the source of the credentials is what the section says first', () => {
  const sources: Readonly<Record<string, CredentialSource>> = {
    web: 'web-identity',
    role: 'role',
    session: 'sso',
    start: 'sso',
    program: 'process',
    keys: 'keys',
    nothing: 'none',
    nowhere: 'none',
  };
  const found = Object.keys(sources).map((name) => [name, readProfile(name, FILES).source]);
  assert.deepEqual(Object.fromEntries(found), sources);
});

test('keys in the environment count when both are there and no profile was given by argument', () => {
  const both = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };
  const sourceOf = (chosen: string | null, env: Environment): CredentialSource =>
    readProfile(chosen, { ...FILES, ...env }).source;
  assert.equal(sourceOf(null, both), 'environment');
  assert.equal(sourceOf(null, { ...both, AWS_PROFILE: 'role' }), 'environment');
  assert.equal(sourceOf('role', both), 'role');
  assert.equal(sourceOf(null, { ...both, AWS_SECRET_ACCESS_KEY: '' }), 'keys');
  assert.equal(sourceOf(null, { AWS_ACCESS_KEY_ID: 'AKID' }), 'keys');
});

test('certificates are those of the environment, else of the profile', () => {
  assert.equal(readProfile('dev', FILES).caBundle, '/etc/dev.pem');
  assert.equal(readProfile('role', FILES).caBundle, null);
  assert.equal(readProfile('dev', { ...FILES, AWS_CA_BUNDLE: '/mine' }).caBundle, '/mine');
});

test('the files are in the home folder unless they are named', () => {
  const { configPath, credentialsPath } = readProfile(null, { HOME: '/home/ubuntu' });
  assert.equal(configPath, '/home/ubuntu/.aws/config');
  assert.equal(credentialsPath, '/home/ubuntu/.aws/credentials');
  assert.equal(readProfile(null, {}).configPath, join(homedir(), '.aws/config'));
});

test('the names of all profiles are listed, each once and no session', () => {
  assert.deepEqual(profileNames(FILES), [
    'default',
    'dev',
    'quoted',
    'web',
    'role',
    'session',
    'start',
    'program',
    'nothing',
    'keys',
  ]);
  const none = { AWS_CONFIG_FILE: folder, AWS_SHARED_CREDENTIALS_FILE: join(folder, 'nowhere') };
  assert.deepEqual(profileNames(none), []);
});

test('a file that is far too long for a configuration is not read', () => {
  const path = join(folder, 'long');
  const heading = '[profile long]\n';
  writeFileSync(path, heading + ' '.repeat((4 << 20) - heading.length));
  assert.deepEqual(profileNames({ ...FILES, AWS_CONFIG_FILE: path }), [
    'long',
    'default',
    'dev',
    'keys',
  ]);
  writeFileSync(path, heading + ' '.repeat((4 << 20) - heading.length + 1));
  assert.deepEqual(profileNames({ ...FILES, AWS_CONFIG_FILE: path }), ['default', 'dev', 'keys']);
});
