/** What people read where a region, a partition or a clock is another than they think. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, type TestContext } from 'node:test';
import { authority, type CertificateWanted } from '../ports/fake/kube-certificates.ts';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { sharedTests } from '../share.ts';
import { always, only, refusedStatus } from './answers.ts';
import { documentOf, type Run, rollcall, type Surroundings, writeKubeconfig } from './rollcall.ts';
import { CLUSTER, type Machine, type Site, startSite, layTwoMachines } from './world.ts';

const HOUR_MS = 3_600_000;
const HOUR_MIN = 60;

const live = sharedTests(3, 3);
const skip = missing(...CONTROL_PLANE, 'moto');
const WITH_PARTS = { skip, timeout: 120_000 };
let site: Site;
let healthy: Machine;
let lonely: Machine;

before(async () => {
  if (skip !== false) return;
  site = await startSite();
  ({ healthy, lonely } = await layTwoMachines(site));
});
beforeEach(() => {
  if (skip === false) site.reset();
});
after(async () => {
  if (skip === false) await site.stop();
});

/** Nothing but sentences, and nothing but reading. */
function assertCivil({ stdout, stderr }: Run): void {
  const words = /rollcall has a bug|\\n\s+at .*:\d+:\d+|node:internal|\bundefined\b|\u001b/;
  assert.doesNotMatch(stdout + stderr, words);
  for (const { method, url } of site.kube.calls())
    assert.ok(method === 'GET' || url.endsWith('/selfsubjectaccessreviews'), `${method} ${url}`);
  for (const { body } of site.aws.calls())
    assert.match(new URLSearchParams(body).get('Action') ?? 'Get', /^(?:Describe|List|Get)/);
}

/** The document and what was lost, one line each, `locator: sentence`. */
async function seen(args: readonly string[], env: Surroundings, code: number) {
  const run = await rollcall(['diagnose', ...args, '-o', 'json'], env);
  assertCivil(run);
  assert.equal(run.code, code, run.stderr);
  const document = documentOf(run);
  const losses = document.losses.map(({ locator, what }) => `${locator}: ${what}`).join('\n');
  const verdicts = document.subjects.map(({ name, instanceId, verdict, findings }) => ({
    machine: instanceId ?? name,
    verdict,
    causes: findings
      .filter(({ confidence }) => confidence !== 'possible')
      .map(({ cause, role, confidence }) => `${cause} ${role} ${confidence}`),
  }));
  return { document, losses, verdicts };
}

function verdictOf({ verdicts }: Awaited<ReturnType<typeof seen>>, { id }: Machine): string | null {
  return verdicts.find(({ machine }) => machine === id)?.verdict ?? null;
}

/** Where nobody listens and no name is, as of a service that a partition does not have. */
const NOWHERE = 'http://eks.cn-north-1.invalid';

live.test(
  'a service that a partition does not have is named, and the others decide',
  WITH_PARTS,
  async () => {
    const look = await seen([], { ...site.env, AWS_ENDPOINT_URL_EKS: NOWHERE }, 1);
    assert.equal(verdictOf(look, lonely), 'not-usable');
    assert.equal(verdictOf(look, healthy), 'cannot-tell');
    assert.match(
      look.losses,
      /^eks:DescribeCluster: eks\.cn-north-1\.invalid has no address: there is no eks in us-west-2, .*; check --region and AWS_REGION$/m,
    );
    assert.doesNotMatch(look.losses, /^(?:ec2|iam|sts|autoscaling):/m);
    const page = await rollcall(['status'], { ...site.env, AWS_ENDPOINT_URL_EKS: NOWHERE });
    assert.equal(page.stdout.match(/there is no eks in us-west-2/g)?.length, 1);
    assert.equal(page.code, 1);
  },
);

live.test(
  'a partition without any of the services leaves what Kubernetes says',
  WITH_PARTS,
  async () => {
    const look = await seen([], { ...site.env, AWS_ENDPOINT_URL: NOWHERE }, 2);
    assert.deepEqual(
      look.verdicts.map(({ verdict, causes }) => [verdict, causes]),
      [['cannot-tell', []]],
    );
    assert.match(look.losses, /^ec2:DescribeInstances: .* there is no ec2 in us-west-2, /m);
  },
);

live.test(
  'does not blame keys for a call that a partition does not support',
  WITH_PARTS,
  async () => {
    const unknown = always(403, JSON.stringify({ message: 'Missing Authentication Token' }), {
      'content-type': 'application/json',
      'x-amzn-errortype': 'MissingAuthenticationTokenException',
    });
    site.aws.fail(only(/pod-identity-associations/, unknown));
    const look = await seen([], site.env, 1);
    assert.ok(site.aws.calls().some(({ url }) => url.includes('pod-identity-associations')));
    assert.equal(verdictOf(look, lonely), 'not-usable');
    assert.doesNotMatch(look.losses, /PodIdentity|keys|not accepted/);
  },
);

live.test('reports that a cluster is in the region of its Nodes', WITH_PARTS, async () => {
  const noCluster = always(404, JSON.stringify({ message: 'No cluster found for name: lab.' }), {
    'content-type': 'application/json',
    'x-amzn-errortype': 'ResourceNotFoundException',
  });
  site.aws.fail(only(/^\/clusters/, noCluster));
  const asked = ['--cluster', CLUSTER, '--region', 'eu-west-1'];
  const look = await seen(asked, site.env, 2);
  assert.deepEqual(
    look.verdicts.map(({ verdict, causes }) => [verdict, causes]),
    [['cannot-tell', []]],
  );
  assert.equal(
    look.losses,
    'aws: The Nodes are in us-west-2, but AWS was asked in eu-west-1; use --region us-west-2',
  );
});

live.test(
  'does not report a cluster as missing from a region that did not answer',
  WITH_PARTS,
  async () => {
    site.aws.fail(always(403, refusedStatus(403, 'Forbidden', 'no')));
    const look = await seen(['--cluster', CLUSTER, '--region', 'eu-west-1'], site.env, 2);
    assert.doesNotMatch(look.losses, /No EKS cluster/);
  },
);

live.test(
  'reports that the Nodes belong to another cluster than the one named',
  WITH_PARTS,
  async () => {
    const look = await seen(['--cluster', 'nobodys'], site.env, 2);
    assert.match(look.losses, new RegExp(`carry the tag of ${CLUSTER}, not of nobodys`));
    assert.match(look.losses, new RegExp(`--cluster ${CLUSTER}`));
  },
);

/** All times in objects of Kubernetes, moved: the cluster's clocks against that of this machine. */
function moved(text: string, minutes: number): string {
  const times = /"((?:renew|creation|last\w{0,20}|acquire|event)Time(?:stamp)?)":\s*"([^"]+)"/g;
  return text.replaceAll(times, (_, field: string, time: string) => {
    const when = new Date(Date.parse(time) + minutes * 60_000).toISOString();
    return `"${field}":"${when}"`;
  });
}

live.test('clocks of the cluster that are an hour off change no verdict', WITH_PARTS, async () => {
  const right = await seen([], site.env, 1);
  for (const minutes of [-HOUR_MIN, HOUR_MIN]) {
    site.reset();
    site.kube.rewrite((text) => moved(text, minutes));
    const look = await seen([], site.env, 1);
    assert.deepEqual(look.document.headline, right.document.headline);
    assert.deepEqual(look.verdicts, right.verdicts, `${minutes} min`);
  }
});

for (const [minutes, words] of [
  [HOUR_MIN, 'behind'],
  [-HOUR_MIN, 'ahead of'],
] as const)
  live.test(`a token refused by a server whose clock says ${minutes} min`, WITH_PARTS, async () => {
    const body = refusedStatus(401, 'Unauthorized', 'Unauthorized');
    const date = new Date(Date.now() + minutes * 60_000).toUTCString();
    site.kube.fail(always(401, body, { 'content-type': 'application/json', date }));
    const told = `the clock here is 60 min ${words} the server's; set it: sudo timedatectl set-ntp true`;
    const alone = await rollcall(['diagnose'], site.env);
    assertCivil(alone);
    assert.ok(alone.stderr.includes(told), alone.stderr);
    assert.equal(alone.code, 69);
    const look = await seen(['--cluster', CLUSTER], site.env, 2);
    assert.ok(look.losses.includes(told), look.losses);
    assert.equal(verdictOf(look, lonely), 'cannot-tell');
  });

for (const [minutes, words] of [
  [HOUR_MIN, 'behind'],
  [-HOUR_MIN, 'ahead of'],
] as const)
  live.test(`ages by a server whose clock says ${minutes} min`, WITH_PARTS, async () => {
    site.kube.setAhead(minutes * 60_000);
    const told = `The clock here is 60 min ${words} the API server's, so ages are off by as much; set it: sudo timedatectl set-ntp true`;
    const { losses } = await seen([], site.env, 1);
    assert.equal(losses.split('\n').filter((line) => line === `clock: ${told}`).length, 1);
    const page = await rollcall(['status'], site.env);
    assert.ok(page.stdout.replaceAll(/\s+/g, ' ').includes(`Left out: ${told}`), page.stdout);
  });

live.test('clocks that agree are not spoken of', WITH_PARTS, async () => {
  site.kube.setAhead(-20_000);
  const { losses } = await seen([], site.env, 1);
  assert.doesNotMatch(losses, /clock/);
});

/** An API server that shows this certificate; it gets no request, as nobody trusts it. */
async function certified(
  t: TestContext,
  wanted: Partial<CertificateWanted>,
): Promise<Surroundings> {
  const root = authority();
  const { keyPem, certificatePem } = root.issue({
    commonName: 'api',
    addresses: ['127.0.0.1'],
    ...wanted,
  });
  const server = createServer({ key: keyPem, cert: certificatePem }, (_, response) => {
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const trusted = Buffer.from(root.certificatePem).toString('base64');
  const path = writeKubeconfig(join(site.plane.dir, `${crypto.randomUUID()}.kubeconfig`), {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cluster: { 'certificate-authority-data': trusted },
  });
  return { ...site.env, KUBECONFIG: path };
}

for (const [what, wanted, sentence] of [
  [
    'that is not valid yet',
    { validFromMs: Date.now() + HOUR_MS },
    /is not valid yet, as the clock here says \S+.*; set the clock: sudo timedatectl set-ntp true/,
  ],
  ['that has expired', { validToMs: Date.now() - HOUR_MS }, /has expired \(the clock here says /],
] as const)
  live.test(`an API server with a certificate ${what}`, WITH_PARTS, async (t) => {
    const env = await certified(t, wanted);
    const alone = await rollcall(['diagnose'], env);
    assertCivil(alone);
    assert.match(alone.stderr, sentence);
    assert.equal(alone.code, 69);
    const look = await seen(['--cluster', CLUSTER], env, 2);
    assert.match(look.losses, sentence);
    assert.ok(look.verdicts.some(({ machine }) => machine === lonely.id));
  });

live.tell('looks at other regions and clocks');
