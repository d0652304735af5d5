/** What people read where they ask for what is not there, or of more clusters than answer. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { sharedTests } from '../share.ts';
import { unauthorized } from '../real/moto.ts';
import { only, silent } from './answers.ts';
import { documentOf, endOf, rollcall, startRollcall, type Surroundings } from './rollcall.ts';
import {
  CLUSTER,
  type Machine,
  runMachine,
  type Site,
  startSite,
  layTwoMachines,
} from './world.ts';

const live = sharedTests(3);
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
  if (skip !== false) return;
  site.reset();
  for (const action of ['DescribeInstances', 'DescribeSubnets']) site.moto.allow(action);
});
after(async () => {
  if (skip === false) await site.stop();
});

/** The kubeconfig with two more contexts: the same cluster again, and one where nobody listens. */
function withContexts(): Surroundings {
  const config = JSON.parse(readFileSync(site.env['KUBECONFIG'] ?? '', 'utf8')) as {
    readonly clusters: { name: string; cluster: object }[];
    readonly contexts: { name: string; context: object }[];
  };
  const [lab] = config.clusters;
  assert.ok(lab);
  config.clusters.push({ name: 'dead', cluster: { server: 'http://127.0.0.1:1' } });
  config.contexts.push({ name: 'dead', context: { cluster: 'dead', user: 'someone' } });
  config.contexts.push({ name: 'again', context: { cluster: lab.name, user: 'someone' } });
  const path = join(site.plane.dir, 'contexts.kubeconfig');
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return { ...site.env, KUBECONFIG: path };
}

live.test('reports only that no machine has the name', WITH_PARTS, async () => {
  const run = await rollcall(['diagnose', 'nobody'], site.env);
  assert.equal(run.stdout, '');
  assert.equal(run.stderr, 'No machine in lab is named nobody; see all: rollcall status\n');
  assert.equal(run.code, 64);
  for (const command of ['name', 'capacity', 'status']) {
    const other = await rollcall([command, 'nobody'], site.env);
    assert.equal(other.stdout, '', command);
    assert.equal(other.code, 64, command);
  }
});

live.test('a document of a name that no machine has says so too', WITH_PARTS, async () => {
  const run = await rollcall(['diagnose', 'nobody', '-o', 'json'], site.env);
  const { subjects, headline, losses } = documentOf(run);
  assert.deepEqual([subjects, headline, run.code], [[], null, 64]);
  const sentence = 'No machine in lab is named nobody; see all: rollcall status';
  assert.deepEqual(losses[0], { locator: 'nobody', what: sentence });
});

live.test('suggests the machine with a similar name', WITH_PARTS, async () => {
  for (const [asked, meant] of [
    [healthy.name.split('.')[0] ?? '', healthy.name],
    [`${healthy.id.slice(0, -1)}${healthy.id.endsWith('0') ? '1' : '0'}`, healthy.id],
  ] as const) {
    const run = await rollcall(['diagnose', asked], site.env);
    assert.match(run.stderr, new RegExp(`is named ${asked}; did you mean ${meant}\\? See all: `));
    assert.equal(run.code, 64);
  }
});

live.test('answers for one of two names and reports the other as unknown', WITH_PARTS, async () => {
  const run = await rollcall(['diagnose', lonely.id, 'nobody'], site.env);
  assert.match(run.stdout, /^NOT USABLE/m);
  assert.match(run.stderr, /^No machine in lab is named nobody; see all: rollcall status\n$/);
  assert.equal(run.code, 1);
});

live.test(
  'where a source that may know it is denied, a name may still exist',
  WITH_PARTS,
  async () => {
    site.moto.refuse('DescribeInstances', unauthorized('DescribeInstances'));
    const run = await rollcall(['diagnose', 'i-0123456789abcdef0'], site.env);
    assert.equal(run.stdout, '');
    assert.match(
      run.stderr,
      /^No machine in .* is named i-0123456789abcdef0; .*\n.*allow ec2:DescribeInstances/,
    );
    assert.equal(run.code, 2);
  },
);

live.test('reports an instance as terminated', WITH_PARTS, async () => {
  const ended = await runMachine(site);
  await site.moto.ec2('TerminateInstances', { 'InstanceId.1': ended.id });
  const run = await rollcall(['diagnose', ended.id], site.env);
  assert.match(
    run.stderr,
    new RegExp(`^${ended.id} is terminated .*; list the others: rollcall status\n$`),
  );
  assert.equal(run.stdout, '');
  assert.equal(run.code, 64);
});

live.test(
  'waiting for a name that no machine has says so once, and ends at the limit',
  WITH_PARTS,
  async () => {
    const run = await rollcall(['diagnose', 'nobody', '--wait', '--timeout', '8s'], site.env);
    assert.equal(run.stderr.match(/No machine in lab is named nobody/g)?.length, 1);
    assert.match(run.stderr, /\nTimed out after 8 s: .*: --timeout 24s\n$/);
    assert.equal(run.stdout, '');
    assert.equal(run.code, 2);
  },
);

live.test(
  'a look under way at the limit of the waiting does not hold it up',
  WITH_PARTS,
  async () => {
    const child = startRollcall(['diagnose', lonely.id, '--wait', '--timeout', '9s'], site.env);
    const ended = endOf(child);
    const isSeen = Promise.withResolvers<void>();
    child.stderr?.on('data', () => isSeen.resolve());
    await isSeen.promise;
    // From the second look on nothing is answered; its own nine seconds would end after the waiting's.
    site.kube.fail(silent);
    const { code, stdout, stderr } = await ended;
    assert.match(stderr, /\nTimed out after 9 s: /);
    assert.match(stdout, /^NOT USABLE {2}Machine /m);
    assert.doesNotMatch(stdout, /list nodes|Some answers did not arrive/);
    assert.equal(code, 2);
  },
);

live.test(
  'of two clusters the one that answers is diagnosed, and the dead one is a loss',
  WITH_PARTS,
  async () => {
    const env = withContexts();
    const both = ['--context', 'lab', '--context', 'dead'];
    const run = await rollcall(['diagnose', ...both, '-o', 'json'], env);
    const document = documentOf(run);
    const machines = document.subjects.map(({ instanceId }) => instanceId);
    assert.ok(machines.includes(healthy.id) && machines.includes(lonely.id));
    const dead = document.losses.find(({ locator }) => locator === 'context dead');
    assert.match(dead?.what ?? '', /^context dead: Nothing listens at http:\/\/127\.0\.0\.1:1 /);
    assert.equal(run.code, 1);
    const one = await rollcall(
      ['diagnose', healthy.name, '--context', 'dead', '--context', 'lab'],
      env,
    );
    assert.equal(one.stdout.match(new RegExp(`Machine ${healthy.name}`, 'g'))?.length, 1);
    assert.match(one.stdout.replaceAll(/\s+/g, ' '), /context dead: Nothing listens at/);
    assert.equal(one.code, 1);
  },
);

live.test(
  'two clusters that answer make one document, and none does without answers',
  WITH_PARTS,
  async () => {
    const env = withContexts();
    const two = await rollcall(
      ['diagnose', '--context', 'lab', '--context', 'again', '-o', 'json'],
      env,
    );
    const machines = documentOf(two).subjects.filter(({ kind }) => kind === 'Machine');
    const nodes = machines.filter(({ node }) => node === healthy.name);
    assert.equal(nodes.length, 2);
    const none = await rollcall(['diagnose', '--context', 'dead', '--context', 'gone'], env);
    assert.equal(none.stdout, '');
    assert.match(
      none.stderr,
      /^context dead: Nothing listens .*\ncontext gone: The context gone is not in /,
    );
    assert.equal(none.code, 69);
    const saved = await rollcall(
      ['diagnose', '--context', 'lab', '--context', 'again', '--save', 'x.tgz'],
      env,
    );
    assert.match(saved.stderr, /^--save writes the evidence of one cluster; /);
    assert.equal(saved.code, 64);
  },
);

live.test(
  'a roll call of another cluster than the Nodes are of says so first',
  WITH_PARTS,
  async () => {
    const page = await rollcall(['status', '--cluster', 'other'], site.env);
    const told = page.stdout.replaceAll(/\s+/g, ' ').match(/Left out: .*?(?=Left out: |$)/g) ?? [];
    assert.match(told[0] ?? '', /carry the tag of lab, not of other; use --cluster lab/);
  },
);

live.test('maps the kubectl name of a list to the name used here', WITH_PARTS, async () => {
  const run = await rollcall(['status', '-o', 'jsonpath={.items[*].metadata.name}'], site.env);
  assert.match(
    run.stderr,
    /^-o jsonpath: a roll call has no field "\.items"; did you mean \.rows\? /,
  );
  assert.equal(run.code, 64);
  assert.deepEqual(site.kube.calls(), []);
});

live.test('what saved evidence lacks is one line beside the document', WITH_PARTS, async () => {
  site.moto.refuse('DescribeSubnets', unauthorized('DescribeSubnets'));
  const saved = join(site.plane.dir, 'lacking.tar.gz');
  const run = await rollcall(['diagnose', '-o', 'json', '--save', saved], site.env);
  assert.ok(documentOf(run).losses.some(({ locator }) => locator === 'ec2:DescribeSubnets'));
  assert.match(
    run.stderr,
    /^Saved \S+lacking\.tar\.gz: .*\nTaken out: .*\n.*--anonymize\.\nLeft out: eks:.* and \d+ more; why: rollcall diagnose \S+lacking\.tar\.gz\n$/,
  );
});

live.test('what a log of changes lacks is one line at the first look', WITH_PARTS, async () => {
  site.kube.fail(
    only(/\/pods/, (_call, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }),
      );
      return true;
    }),
  );
  const child = startRollcall(['status', '--watch'], site.env);
  const ended = endOf(child);
  const isTwice = Promise.withResolvers<void>();
  let isSeen = false;
  // What is told of the watch itself may come before the first look.
  child.stdout?.on('data', (text: string) => {
    if (isSeen) isTwice.resolve();
    if (isSeen || !text.includes(': new, ')) return;
    isSeen = true;
    void site.plane.client.create('/api/v1/nodes', { metadata: { name: `new-${CLUSTER}` } });
  });
  await isTwice.promise;
  child.kill('SIGINT');
  const { stderr } = await ended;
  assert.match(stderr, /^Left out: list pods,? .*; why: rollcall status -o json$/m);
  assert.equal(stderr.match(/Left out/g)?.length, 1);
});

live.test(
  'Tab offers Nodes, their instances, and machines without a Node',
  WITH_PARTS,
  async () => {
    const complete = async (word: string): Promise<readonly string[]> => {
      const words = ['__complete', 'diagnose', '--cluster', CLUSTER, word];
      const { code, stdout, stderr } = await rollcall(words, site.env);
      assert.deepEqual([code, stderr], [0, '']);
      return stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
    };
    const all = await complete('');
    for (const word of [healthy.name, healthy.id, lonely.id]) assert.ok(all.includes(word), word);
    assert.deepEqual(await complete(lonely.id.slice(0, -1)), [lonely.id, ':0', '']);
  },
);

live.test('Tab offers what one API knows while the other refuses', WITH_PARTS, async () => {
  site.moto.refuse('DescribeInstances', unauthorized('DescribeInstances'));
  const words = ['__complete', 'diagnose', '--cluster', CLUSTER, ''];
  const { code, stdout, stderr } = await rollcall(words, site.env);
  assert.deepEqual([code, stderr], [0, '']);
  assert.ok(stdout.includes(healthy.name));
  assert.ok(!stdout.includes(lonely.id));
});

live.tell('live questions');
