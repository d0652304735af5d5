/** What people read where a kubeconfig, a credential program or an AWS profile cannot be used. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe } from 'node:test';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { sharedTests } from '../share.ts';
import {
  documentOf,
  type KubeconfigParts,
  type Run,
  rollcall,
  type Surroundings,
  writeKubeconfig,
} from './rollcall.ts';
import {
  layCluster,
  type Machine,
  registerNode,
  runMachine,
  type Site,
  startSite,
} from './world.ts';

const live = sharedTests(3, 2);
const skip = missing(...CONTROL_PLANE, 'moto');
const WITH_PARTS = { skip, timeout: 120_000 };
let site: Site;
let healthy: Machine;
let count = 0;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  await layCluster(site);
  healthy = await runMachine(site);
  await registerNode(site, healthy);
});
beforeEach(() => {
  if (skip === false) site.reset();
});
after(async () => {
  if (skip === false) await site.stop();
});

function assertCivil({ stdout, stderr }: Run): void {
  const words = /rollcall has a bug|\n\s+at .*:\d+:\d+|node:internal|\bundefined\b|\u001b/;
  assert.doesNotMatch(stdout + stderr, words);
}

/** One sentence, and that AWS was not asked where only Kubernetes knows which cluster it is. */
function assertSentence(run: Run, sentence: RegExp): void {
  assertCivil(run);
  const [first = '', ...rest] = run.stderr.trimEnd().split('\n');
  assert.match(first, sentence);
  for (const line of rest) assert.match(line, /^AWS was not asked, /);
  assert.equal(run.stdout, '');
  assert.equal(run.code, 69);
}

function withKubeconfig(parts: Partial<KubeconfigParts>): Surroundings {
  const path = join(site.plane.dir, `credentials-${count++}.kubeconfig`);
  return { ...site.env, KUBECONFIG: writeKubeconfig(path, { server: site.kube.url, ...parts }) };
}

const API_VERSION = 'client.authentication.k8s.io/v1';

function program(script: string, more: object = {}): Surroundings {
  const command = join(site.plane.dir, `program-${count++}`);
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o755);
  const exec = { apiVersion: API_VERSION, command, interactiveMode: 'Never', ...more };
  return withKubeconfig({ user: { exec } });
}

describe('a credential program', () => {
  const cases: readonly (readonly [string, string, object, RegExp])[] = [
    [
      'whose SSO login is over',
      'echo "Error loading SSO Token: Token for corp does not exist" >&2; exit 255',
      {},
      /ended with 255 and said: Error loading SSO Token.*; log in: aws sso login$/,
    ],
    [
      'whose SSO session has expired, of a profile in its environment',
      'echo "The SSO session associated with this profile has expired" >&2; exit 255',
      { env: [{ name: 'AWS_PROFILE', value: 'lab' }] },
      /has expired; log in: aws sso login --profile lab$/,
    ],
    [
      'that fails without a word',
      'exit 3',
      {},
      /ended with 3 and said: nothing; run it manually: \//,
    ],
    ['that prints nothing', 'exit 0', {}, /printed output that is not JSON .*; look at what it/],
    [
      'that prints a credential of nothing',
      `echo '{"kind":"ExecCredential","apiVersion":"${API_VERSION}","status":{}}'`,
      {},
      /without a token or certificate/,
    ],
    [
      'that prints without end',
      'exec yes',
      {},
      /printed no complete answer within 2\.1 s and was stopped/,
    ],
    [
      'that is not installed',
      '',
      { command: 'not-there' },
      /not-there is not installed.*: command -v/,
    ],
    [
      'of a version that is gone',
      '',
      { apiVersion: 'client.authentication.k8s.io/v1alpha1' },
      /v1alpha1, which kubectl has dropped; .*aws eks update-kubeconfig/,
    ],
    ['that wants a terminal', '', { interactiveMode: 'Always' }, /needs a terminal/],
  ];
  for (const [what, script, more, sentence] of cases)
    live.test(what, WITH_PARTS, async () => {
      const run = await rollcall(['diagnose', '--timeout', '3s'], program(script, more));
      assertSentence(run, sentence);
    });
});

describe('a kubeconfig', () => {
  const cases: readonly (readonly [string, Partial<KubeconfigParts>, RegExp])[] = [
    [
      'without a server',
      { cluster: { server: '' } },
      /has no server; set it: kubectl config set-cl/,
    ],
    [
      'of a name that nobody has',
      { server: 'https://nobody.invalid' },
      /is not resolved .*: nslookup/,
    ],
    [
      'with a proxy that is away',
      { cluster: { 'proxy-url': 'http://127.0.0.1:1' } },
      /through the proxy/,
    ],
    [
      'without a current context',
      { context: '' },
      /sets no current-context; known contexts: lab; /,
    ],
    [
      'with a token file that is not there',
      { user: { tokenFile: '/nowhere' } },
      /token file \/nowhere/,
    ],
    [
      'with an authority that is not there',
      { cluster: { 'certificate-authority': '/nowhere' } },
      /certificate-authority of cluster lab \(\/nowhere\) does not exist/,
    ],
    [
      'with a certificate that is not there',
      { user: { 'client-certificate': '/nowhere', 'client-key': '/nowhere' } },
      /client certificate of user someone \(\/nowhere\) does not exist/,
    ],
    [
      'of an old way to sign in',
      { user: { 'auth-provider': { name: 'gcp' } } },
      /auth-provider gcp/,
    ],
  ];
  for (const [what, parts, sentence] of cases)
    live.test(what, WITH_PARTS, async () => {
      assertSentence(await rollcall(['diagnose'], withKubeconfig(parts)), sentence);
    });

  for (const [what, text, sentence] of [
    ['that is no YAML', '\u0000garbage: [', /is not complete YAML near line 1; fix it/],
    ['that is something else', 'hello', /is YAML but not a kubeconfig; look at it: head -c/],
  ] as const)
    live.test(what, WITH_PARTS, async () => {
      const path = join(site.plane.dir, `text-${count++}`);
      writeFileSync(path, text);
      assertSentence(await rollcall(['diagnose'], { ...site.env, KUBECONFIG: path }), sentence);
    });

  live.test('that is a folder', WITH_PARTS, async () => {
    const run = await rollcall(['diagnose'], { ...site.env, KUBECONFIG: site.plane.dir });
    assertSentence(run, /is a folder; look into it: ls -l/);
  });
});

const ROLE = 'role_arn = arn:aws:iam::123456789012:role/reader';
const SSO = 'sso_account_id = 123456789012\nsso_role_name = reader';
const START = 'https://example.org/start';

/** Profiles by name, and a token of the SSO session that is long over. */
const CONFIG = `
[sso-session corp]
sso_region = us-west-2
sso_start_url = ${START}
[profile session]
sso_session = corp
${SSO}
[profile direct]
sso_region = us-west-2
sso_start_url = ${START}
${SSO}
[profile lost]
sso_session = nowhere
${SSO}
[profile orphan]
${ROLE}
source_profile = gone
[profile circle]
${ROLE}
source_profile = circle2
[profile circle2]
${ROLE}
source_profile = circle
[profile fails]
credential_process = false
[profile garbage]
credential_process = echo hello
[profile hangs]
credential_process = sleep 600
[profile code]
${ROLE}
source_profile = keys
mfa_serial = arn:aws:iam::123456789012:mfa/me
[profile keys]
aws_access_key_id = a
aws_secret_access_key = b
[profile token]
${ROLE}
web_identity_token_file = /nowhere/token
`;

function withProfiles(): Surroundings {
  const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...env } = site.env;
  const home = join(site.plane.dir, 'profiles');
  const cache = join(home, '.aws/sso/cache');
  mkdirSync(cache, { recursive: true });
  const expiresAt = '2020-01-01T00:00:00Z';
  const token = { startUrl: START, region: 'us-west-2', accessToken: 'old', expiresAt };
  for (const key of ['corp', START]) {
    const name = createHash('sha1').update(key).digest('hex');
    writeFileSync(join(cache, `${name}.json`), JSON.stringify(token));
  }
  writeFileSync(join(home, '.aws/config'), CONFIG);
  return { ...env, HOME: home };
}

describe('an AWS profile', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      'session',
      /^The credentials of profile session have expired; .*`aws sso login --profile session`$/,
    ],
    [
      'direct',
      /^The credentials of profile direct have expired; .*`aws sso login --profile direct`$/,
    ],
    ['lost', /^The SSO session of profile lost gave no credentials; /],
    [
      'orphan',
      /^The role of profile orphan gave no credentials; see why with `aws sts get-caller-/,
    ],
    ['circle', /^The role of profile circle gave no credentials; /],
    [
      'fails',
      /^The credential_process of profile fails gave no credentials; see why with `aws sts/,
    ],
    ['garbage', /^The credential_process of profile garbage gave no credentials; /],
    ['hangs', /^The credentials of profile hangs did not come in time; see why with `aws sts/],
    ['code', /^Profile code wants a one-time code; enter it first with `eval /],
    ['token', /^The web identity of profile token gave no credentials; /],
    [
      'nobody',
      /^Profile nobody is in neither AWS configuration file; see which are with `aws conf/,
    ],
  ];
  for (const [profile, sentence] of cases)
    live.test(
      `${profile} is one sentence, and what Kubernetes says stays`,
      WITH_PARTS,
      async () => {
        const args = ['diagnose', '-o', 'json', '--timeout', '20s', '--profile', profile];
        const run = await rollcall(args, withProfiles());
        assertCivil(run);
        assert.equal(run.code, 2, run.stderr);
        const { subjects, losses } = documentOf(run);
        assert.deepEqual(
          subjects.map(({ node, verdict }) => [node, verdict]),
          [[healthy.name, 'cannot-tell']],
        );
        const told = losses.map(({ what }) => what);
        // What waits for the credentials that do not come is late itself.
        const sentences = [...new Set(told)].filter(
          (one) => !one.startsWith('Some answers did not arrive'),
        );
        assert.equal(sentences.length, 1, sentences.join('\n'));
        assert.match(sentences[0] ?? '', sentence);
      },
    );

  live.test('of no region is one sentence', WITH_PARTS, async () => {
    const { AWS_REGION: _, AWS_DEFAULT_REGION: __, ...env } = site.env;
    const { losses } = documentOf(await rollcall(['diagnose', '-o', 'json'], env));
    const sentences = new Set(losses.map(({ what }) => what));
    assert.deepEqual([...sentences], ['AWS needs a region; use --region or set AWS_REGION']);
  });
});

live.test('names with odd characters ask for nothing but a name', WITH_PARTS, async () => {
  const names = ['\u001b]0;owned\u0007node', '$(reboot)', 'a\'b"c', 'ünïcödé', 'x'.repeat(5000)];
  const asked = ['status', 'name'].map((one) => [one, names[0] ?? '']);
  for (const argv of [['diagnose', ...names], ...asked, ['status', names.at(-1) ?? '']]) {
    const run = await rollcall(argv, site.env);
    assertCivil(run);
    assert.equal(run.code, 64, run.stderr);
    assert.equal(run.stdout, '');
    assert.ok(run.stderr.length < 1000, run.stderr);
  }
});

live.tell('credentials that fail');
