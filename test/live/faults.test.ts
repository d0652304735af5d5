/** What people read when a source refuses, is silent, or says something else than it should. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe } from 'node:test';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { sharedTests } from '../share.ts';
import { THROTTLED, unauthorized } from '../real/moto.ts';
import { always, only, refusedStatus, silent, times } from './answers.ts';
import {
  documentOf,
  emptyHome,
  type KubeconfigParts,
  type Run,
  rollcall,
  type Surroundings,
  writeKubeconfig,
} from './rollcall.ts';
import { CLUSTER, type Machine, type Site, startSite, layTwoMachines } from './world.ts';

/** Nothing that a program says of itself, of its files, or of a mistake in it. */
function assertWorded({ stdout, stderr }: Run): void {
  for (const text of [stdout, stderr]) {
    assert.doesNotMatch(text, /rollcall has a bug|\n\s+at .*:\d+:\d+|node:internal|\bundefined\b/);
    assert.doesNotMatch(text, /\u001b|\[object Object\]/);
  }
}

function assertNoSource(run: Run, sentence: RegExp): void {
  assertWorded(run);
  assert.match(run.stderr, sentence);
  assert.equal(run.stdout, '');
  assert.equal(run.code, 69, run.stderr);
}

const live = sharedTests(3, 1);
const skip = missing(...CONTROL_PLANE, 'moto');
let site: Site;
let healthy: Machine;
let lonely: Machine;
let count = 0;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  ({ healthy, lonely } = await layTwoMachines(site));
});
beforeEach(() => {
  if (skip !== false) return;
  site.reset();
  for (const action of ['*', 'DescribeInstances', 'DescribeSubnets']) site.moto.allow(action);
});
after(async () => {
  if (skip === false) await site.stop();
});

function withKubeconfig(parts: Partial<KubeconfigParts>): Surroundings {
  const path = join(site.plane.dir, `fault-${count++}.kubeconfig`);
  return { ...site.env, KUBECONFIG: writeKubeconfig(path, { server: site.kube.url, ...parts }) };
}

function plugin(script: string): Surroundings {
  const command = join(site.plane.dir, `plugin-${count++}`);
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o755);
  const apiVersion = 'client.authentication.k8s.io/v1';
  return withKubeconfig({ user: { exec: { apiVersion, command, interactiveMode: 'Never' } } });
}

/** Asks for a document, and shows that the machines which the other source knows are in it. */
async function partial(args: readonly string[], env: Surroundings, code: number) {
  const run = await rollcall(['diagnose', ...args, '-o', 'json'], env);
  assertWorded(run);
  assert.equal(run.code, code, run.stderr);
  const document = documentOf(run);
  const machines = document.subjects.filter(({ kind }) => kind === 'Machine');
  const losses = document.losses.map(({ locator, what }) => `${locator}: ${what}`).join('\n');
  return { machines, losses };
}

/** What is told, and how it is caused. */
const KUBERNETES_FAULTS: readonly (readonly [
  string,
  RegExp,
  Parameters<Site['kube']['fail']>[0],
])[] = [
  [
    'an expired token',
    /HTTP 401, as it does not accept the token of user someone .*; write a new one: kubectl config set-credentials someone --token=TOKEN\n/,
    always(401, refusedStatus(401, 'Unauthorized', 'Unauthorized')),
  ],
  [
    'a page of HTML',
    /with a web page \(HTTP 200\), as a proxy or sign-in page .*; see it: curl -vk \S+\n/,
    always(200, '<html><body>sign in</body></html>', { 'content-type': 'text/html' }),
  ],
  [
    'half a JSON',
    /with half a JSON or none, .*; compare: kubectl get --raw \/version\n/,
    always(200, '{"kind":"NodeList","items":[{"meta'),
  ],
  [
    'too many requests',
    /with HTTP 429 \(Too many requests\); see who asks too much: kubectl get --raw \S+\n/,
    always(429, 'Too many requests', { 'retry-after': '1' }),
  ],
  [
    'a server that is not ready',
    /with HTTP 503 \(etcd is away\); ask how it is: kubectl get --raw \/readyz\?verbose\n/,
    always(503, refusedStatus(503, 'ServiceUnavailable', 'etcd is away')),
  ],
  [
    'a cut connection',
    /^The connection to \S+ was cut .*; see whether it runs: curl -vk \S+\n/,
    (_call, response) => {
      response.destroy();
      return true;
    },
  ],
];

describe('to Kubernetes, with nothing that names the cluster to AWS', () => {
  for (const [what, sentence, fault] of KUBERNETES_FAULTS)
    live.test(`${what} is one sentence`, { skip }, async () => {
      site.kube.fail(fault);
      const run = await rollcall(['diagnose'], site.env);
      assertNoSource(run, sentence);
      assert.match(run.stderr, /\nAWS was not asked, .* --cluster NAME\n$/);
      assert.equal(run.stderr.split('\n').length, 3);
    });

  live.test('a kubeconfig that is not there', { skip }, async () => {
    const run = await rollcall(['diagnose'], emptyHome(site.plane.dir, 'bare'));
    assertNoSource(run, /no such file exists; name one that does, .*: unset KUBECONFIG\n/);
  });

  live.test('a context that is not in it', { skip }, async () => {
    const run = await rollcall(['diagnose', '--context', 'lob'], site.env);
    assertNoSource(run, /^The context lob is not in \S+ \(did you mean lab\?\)/);
  });

  live.test('a certificate for another name', { skip }, async () => {
    const cluster = {
      'certificate-authority': site.plane.caPath,
      'tls-server-name': 'api.example.org',
    };
    const env = withKubeconfig({ server: site.plane.url, cluster });
    const run = await rollcall(['diagnose'], env);
    assertNoSource(run, /^The certificate of \S+ is for .* and not for api\.example\.org; use/);
  });

  live.test('a credential plugin that hangs is ended and named', { skip }, async () => {
    const run = await rollcall(['diagnose', '--timeout', '3s'], plugin('exec sleep 600'));
    assertNoSource(
      run,
      /^The credential command \S+ printed no complete answer .* see where it hangs/,
    );
  });

  live.test('a credential plugin that prints something else', { skip }, async () => {
    const run = await rollcall(['diagnose'], plugin('printf "\\033[31m<html>hello"'));
    assertNoSource(run, /^The credential command \S+ printed output that is not JSON/);
  });
});

live.test(
  'an API server that is away leaves what AWS says of a cluster that is named',
  {
    skip,
  },
  async () => {
    const env = withKubeconfig({ server: 'http://127.0.0.1:1' });
    const { machines, losses } = await partial(['--cluster', CLUSTER], env, 2);
    assert.ok(machines.some(({ instanceId }) => instanceId === lonely.id));
    assert.match(losses, /^list nodes: Nothing listens at http:\/\/127\.0\.0\.1:1/m);
  },
);

live.test('an API server that is busy for a moment is asked again', { skip }, async () => {
  site.kube.fail(times(20, always(429, 'later', { 'retry-after': '1' })));
  const { machines, losses } = await partial([], site.env, 1);
  assert.equal(machines.length, 2);
  assert.doesNotMatch(losses, /429/);
});

live.test('one list that is refused leaves the verdicts that need no other', { skip }, async () => {
  const message = 'pods is forbidden: User "x" cannot list resource "pods" at the cluster scope';
  site.kube.fail(only(/\/pods/, always(403, refusedStatus(403, 'Forbidden', message))));
  const { machines, losses } = await partial([], site.env, 1);
  const found = machines.find(({ instanceId }) => instanceId === lonely.id);
  assert.equal(found?.verdict, 'not-usable');
  assert.match(losses, /^list pods: .*kubectl create clusterrole .*--verb=list --resource=pods/m);
});

live.test(
  'one list that never comes holds no other, and is named with the way to wait',
  {
    skip,
  },
  async () => {
    site.kube.fail(only(/\/pods/, silent));
    const { machines, losses } = await partial(['--timeout', '6s'], site.env, 1);
    assert.equal(machines.length, 2);
    assert.match(losses, /^list pods: Some answers did not arrive within 6 s; .*--timeout 18s$/m);
    assert.doesNotMatch(losses, /^list nodes/m);
  },
);

live.test('an AWS that never answers leaves what Kubernetes says', { skip }, async () => {
  site.aws.fail(silent);
  const { machines, losses } = await partial(['--timeout', '4s'], site.env, 2);
  assert.deepEqual(
    machines.map(({ node }) => node),
    [healthy.name],
  );
  assert.match(losses, /^ec2:DescribeInstances: Some answers did not arrive within 4 s/m);
});

live.test(
  'a list of Nodes that never comes leaves what AWS says of a named machine',
  {
    skip,
  },
  async () => {
    site.kube.fail(silent);
    const { machines } = await partial([lonely.id, '--timeout', '8s'], site.env, 2);
    assert.deepEqual(
      machines.map(({ instanceId }) => instanceId),
      [lonely.id],
    );
  },
);

live.test('rejects an invalid time limit as a usage error', { skip }, async () => {
  const run = await rollcall(['diagnose', '--timeout', 'soon'], site.env);
  assert.equal(run.code, 64);
  assert.match(run.stderr, /^--timeout takes a time such as 30s, 15m, 2h or 1d, not "soon"\n$/);
});

live.test('AWS that throttles for a while is asked again', { skip }, async () => {
  site.moto.refuse('DescribeInstances', THROTTLED, 2);
  const { machines, losses } = await partial([], site.env, 1);
  assert.equal(machines.length, 2);
  assert.doesNotMatch(losses, /throttled/);
});

live.test('gives up on AWS that throttles forever', { skip }, async () => {
  site.moto.refuse('*', THROTTLED);
  const { machines, losses } = await partial(['--timeout', '8s'], site.env, 2);
  assert.equal(machines.length, 1);
  assert.match(losses, /^ec2:DescribeInstances: .*(?:throttled|not everything was answered)/im);
});

live.test('AWS that denies everything names what to allow', { skip }, async () => {
  site.moto.refuse('*', unauthorized('DescribeInstances'));
  const { losses } = await partial([], site.env, 2);
  assert.match(
    losses,
    /^ec2:DescribeInstances: .*; allow ec2:DescribeInstances in its IAM policy/m,
  );
});

live.test('AWS that denies one call leaves the others', { skip }, async () => {
  site.moto.refuse('DescribeSubnets', unauthorized('DescribeSubnets'));
  const { machines, losses } = await partial([], site.env, 1);
  assert.equal(machines.length, 2);
  assert.match(losses, /^ec2:DescribeSubnets: .*allow ec2:DescribeSubnets/m);
  assert.doesNotMatch(losses, /^ec2:DescribeInstances:/m);
});

live.test('a region in which the Nodes are not names theirs', { skip }, async () => {
  const { losses } = await partial(['--region', 'eu-west-1'], site.env, 2);
  assert.match(losses, /^aws: The Nodes are in us-west-2, but AWS was asked in eu-west-1; /m);
});

live.test('no credentials, and an expired login', { skip }, async () => {
  const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...env } = site.env;
  assert.match(
    (await partial([], env, 2)).losses,
    /No AWS credentials were found; set AWS_PROFILE/,
  );
  const config = join(site.plane.dir, 'aws-config');
  writeFileSync(
    config,
    [
      '[sso-session corp]\nsso_region = us-west-2\nsso_start_url = https://example.org/start',
      '[profile lab]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = reader',
    ].join('\n'),
  );
  const { losses } = await partial(['--profile', 'lab'], { ...env, AWS_CONFIG_FILE: config }, 2);
  assert.match(losses, /aws sso login --profile lab/);
});

live.test('a clock that AWS does not accept', { skip }, async () => {
  const message = 'Signature not yet current: 20261122T000000Z is still later than now';
  site.moto.refuse('*', { status: 403, code: 'SignatureDoesNotMatch', message });
  const { losses } = await partial([], site.env, 2);
  assert.match(losses, /clock/);
});

live.test('reports a machine that does not exist', { skip }, async () => {
  const run = await rollcall(['diagnose', 'ip-10-9-9-9.ec2.internal'], site.env);
  assertWorded(run);
  assert.match(run.stderr, /^No machine in lab is named ip-10-9-9-9\.ec2\.internal; see all: /);
  assert.equal(run.stdout, '');
  assert.equal(run.code, 64);
});

live.tell('faults of live sources');
