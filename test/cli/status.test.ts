import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import {
  createStatusCommand,
  createWatchPrinter,
  exitCodeOfRollCall,
  type StatusObservation,
  type StatusSource,
} from '../../src/apps/cli/commands/status.ts';
import type { CliContext } from '../../src/apps/cli/context.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { STORY_FOLDERS } from '../story-folders.ts';
import { readStatusArguments } from '../../src/apps/cli/table/status-arguments.ts';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import {
  diagnosis,
  dnsName,
  finding,
  instance,
  instanceId,
  machine,
  node,
  NOW_MS,
  subject,
  tags,
  textsOf,
} from '../roll-call/fixtures.ts';
import type { Captured } from './capture.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCHEMA = readFileSync(join(ROOT, 'docs/schemas/roll-call.schema.json'), 'utf8');
const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-status-'));
after(() => rmSync(FOLDER, { recursive: true }));

function schemaErrors(value: unknown): string {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  return ajv.validate(JSON.parse(SCHEMA) as object, value) ? '' : ajv.errorsText();
}

interface Page extends Captured {
  readonly context: CliContext;
}

function contextOf(columns = 100): { readonly context: CliContext; readonly text: () => string[] } {
  const texts = ['', ''];
  const context: CliContext = {
    out: (text) => {
      texts[0] += text;
    },
    err: (text) => {
      texts[1] += text;
    },
    stdin: () => (async function* () {})(),
    isInputPiped: false,
    progress: () => {},
    colour: false,
    columns,
    width: columns,
  };
  return { context, text: () => texts };
}

async function lookAt(
  sources: Parameters<typeof textsOf>[0],
  subjects: readonly SubjectReport[],
): Promise<StatusObservation> {
  const observations = await readTexts(textsOf(sources));
  return { observations, document: diagnosis(subjects), nowMs: NOW_MS, notObservable: [] };
}

function sourceOf(look: StatusObservation): StatusSource {
  return { observe: async () => look, watch: null, height: () => null };
}

async function status(
  look: StatusObservation,
  args: readonly string[] = [],
  columns = 100,
): Promise<Page> {
  const { context, text } = contextOf(columns);
  const code = await createStatusCommand(sourceOf(look))(args, context);
  const [out = '', err = ''] = text();
  return { code, out, err, context };
}

const WORKERS = tags({ 'eks:nodegroup-name': 'workers', team: 'blue' });
const CLUSTER = subject({
  kind: 'Cluster',
  name: 'cluster',
  verdict: 'not-usable',
  findings: [finding('aws-auth-missing')],
});
const SHUT_OUT = finding('aws-auth-missing', {
  role: 'consequence',
  explainedBy: 'aws-auth-missing',
});
const UNSEEN = {
  stage: 'gated',
  why: 'no taints or readiness gates of the Node',
  collect: `kubectl get node ${dnsName(3)} -o jsonpath={.spec.taints}`,
} as const;

/** Two that never joined, one of which nobody can tell, nine usable ones, and one that is lacking. */
const SMALL = await lookAt(
  {
    instances: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) =>
      instance(n, {
        ...WORKERS,
        ...(n <= 2 ? { SubnetId: 'subnet-0bad', InstanceType: 'c6gd.16xlarge' } : {}),
      }),
    ),
    nodes: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => node(n, { labels: { zone: 'a' } })),
    scaling: [
      {
        AutoScalingGroupName: 'eks-1',
        DesiredCapacity: 13,
        Instances: Array.from({ length: 12 }, () => ({ LifecycleState: 'InService' })),
        ...WORKERS,
      },
    ],
  },
  [
    CLUSTER,
    ...[1, 2].map((n) => machine(n, { node: null, verdict: 'not-usable', findings: [SHUT_OUT] })),
    machine(3, { verdict: 'cannot-tell', stage: 'gated', notObservable: [UNSEEN] }),
    ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => machine(n)),
  ],
);

const HUNDRED_COLUMNS = `\
NAME          INSTANCE             AGE  STAGE          VERDICT      HEADLINE
ip-10-0-0-2   i-00000000000000001  3h   authenticated  not-usable   aws-auth-missing (cluster)
ip-10-0-0-3   i-00000000000000002  3h   authenticated  not-usable   aws-auth-missing (cluster)
ip-10-0-0-4   i-00000000000000003  3h   gated          cannot-tell  Not seen: no taints or readines…
ip-10-0-0-5   i-00000000000000004  3h   usable         usable
ip-10-0-0-6   i-00000000000000005  3h   usable         usable
ip-10-0-0-7   i-00000000000000006  3h   usable         usable
ip-10-0-0-8   i-00000000000000007  3h   usable         usable
ip-10-0-0-9   i-00000000000000008  3h   usable         usable
ip-10-0-0-10  i-00000000000000009  3h   usable         usable
ip-10-0-0-11  i-0000000000000000a  3h   usable         usable
ip-10-0-0-12  i-0000000000000000b  3h   usable         usable
ip-10-0-0-13  i-0000000000000000c  3h   usable         usable
(Long names continue with .eu-west-1.compute.internal)
(No room for TYPE, ZONE: -o wide shows them)

12 machines: 9 usable, 2 not-usable, 1 cannot-tell

NodeGroup workers has 12 of 13 machines

Not seen (gated): no taints or readiness gates of the Node
  $ kubectl get node ip-10-0-0-4.eu-west-1.compute.internal -o jsonpath={.spec.taints}
`;

describe('the table', () => {
  test('at 100 columns', async () => {
    const { out, code } = await status(SMALL);
    assert.equal(out, HUNDRED_COLUMNS);
    assert.equal(code, 1);
  });

  test('with room, all columns and whole names', async () => {
    const { out } = await status(SMALL, [], 160);
    assert.deepEqual(out.split('\n').slice(0, 2), [
      'NAME                                     INSTANCE             TYPE           ZONE        AGE  STAGE          VERDICT      HEADLINE',
      'ip-10-0-0-2.eu-west-1.compute.internal   i-00000000000000001  c6gd.16xlarge  eu-west-1a  3h   authenticated  not-usable   aws-auth-missing (cluster)',
    ]);
  });

  for (const columns of [60, 72, 80, 100, 120, 200])
    test(`no line is wider than ${columns} columns, commands apart`, async () => {
      const { out } = await status(SMALL, [], columns);
      const wide = out
        .split('\n')
        .filter((line) => line.length > columns && !/^ {2}\S|^ {4}\S/.test(line));
      assert.deepEqual(wide, []);
    });

  test('-o wide cuts nothing and adds node, group, image and launch', async () => {
    const { out } = await status(SMALL, ['-o', 'wide', '--no-headers', '-l', '!zone']);
    assert.deepEqual(out.split('\n')[0]?.split(/ {2,}/), [
      dnsName(1),
      instanceId(1),
      'c6gd.16xlarge',
      'eu-west-1a',
      '3h',
      'authenticated',
      'not-usable',
      '<none>',
      'NodeGroup/workers',
      'ami-0aaaaaaaaaaaaaaa1',
      '2026-03-01T09:00:00Z',
      'aws-auth-missing (cluster)',
    ]);
  });
});

describe('what the table is made of', () => {
  test('--no-headers prints rows alone', async () => {
    const { out } = await status(SMALL, ['--no-headers']);
    assert.equal(out.trimEnd().split('\n').length, 12);
    assert.doesNotMatch(out, /NAME|machines/);
  });

  test('colour is on the verdict only, and moves no column', async () => {
    const { context, text } = contextOf(100);
    await createStatusCommand(sourceOf(SMALL))([], { ...context, colour: true });
    const painted = text()[0] ?? '';
    assert.match(painted, /\u001b\[31mnot-usable\u001b\[0m {3}aws/);
    assert.equal(painted.replaceAll(/\u001b\[\d+m/g, ''), HUNDRED_COLUMNS);
  });

  test('hostile names neither move columns nor write to the terminal', async () => {
    const names = ['ok-1', '節点-二', 'a\u001b]0;x\u0007\u202eb'];
    const look = await lookAt(
      { nodes: names.map((name, n) => node(n + 1, { name, providerID: null, ip: null })) },
      [],
    );
    const { out } = await status(look, ['-o', 'custom-columns=NAME:.name,NODE:.node,V:.verdict']);
    assert.deepEqual(out.split('\n'), [
      'NAME      NODE      V',
      'ab        ab        cannot-tell',
      'ok-1      ok-1      cannot-tell',
      '節点-二   節点-二   cannot-tell',
      '',
    ]);
  });
});

describe('documents', () => {
  test('JSON fits the schema and YAML is the same document', async () => {
    const json = await status(SMALL, ['-o', 'json']);
    const yaml = await status(SMALL, ['-o=yaml']);
    assert.equal(schemaErrors(JSON.parse(json.out)), '');
    assert.deepEqual(load(yaml.out), JSON.parse(json.out));
    assert.equal((JSON.parse(json.out) as RollCallDocument).rows.length, 12);
  });

  for (const path of STORY_FOLDERS) {
    test(`${basename(path)}: files are called like a cluster`, async () => {
      const { out, code } = await status(SMALL, [path, '-o', 'json']);
      const document = JSON.parse(out) as RollCallDocument;
      assert.equal(schemaErrors(document), '');
      assert.ok(document.rows.some(({ headline }) => headline !== null));
      assert.equal(code, 1);
    });
  }

  test('names, columns and JSONPath', async () => {
    const printed = async (...args: string[]): Promise<string> => (await status(SMALL, args)).out;
    assert.equal(
      await printed('-o', 'name', '--failed'),
      `machine/${dnsName(1)}\nmachine/${dnsName(2)}\n`,
    );
    assert.equal(
      await printed(
        '-o',
        'jsonpath={range .rows[?(@.verdict=="not-usable")]}{.instanceId}{"\\n"}{end}',
      ),
      `${instanceId(1)}\n${instanceId(2)}\n`,
    );
    assert.equal(await printed('-o', 'jsonpath=.gaps[0].desired'), '13');
    const columns = join(FOLDER, 'columns.txt');
    writeFileSync(columns, 'MACHINE      WHY\n.instanceId  .headline.cause\n');
    assert.equal(
      await printed('-o', `custom-columns-file=${columns}`, '--failed', '--no-headers'),
      `${instanceId(1)}   aws-auth-missing\n${instanceId(2)}   aws-auth-missing\n`,
    );
  });
});

describe('visible columns', () => {
  const idsOf = async (...args: string[]): Promise<string[]> =>
    (await status(SMALL, [...args, '-o', 'jsonpath={.rows[*].instanceId}'])).out.split(' ');

  test('-l selects by labels of Nodes and tags of instances', async () => {
    assert.equal((await idsOf('-l', 'team=blue')).length, 12);
    assert.equal((await idsOf('-l', 'zone=a')).length, 10);
    assert.deepEqual(await idsOf('-l', 'team in (blue,red),!zone'), [instanceId(1), instanceId(2)]);
    assert.equal((await status(SMALL, ['-l', 'zone=a'])).code, 2);
    assert.equal((await status(SMALL, ['-l', 'zone=b'])).code, 2);
  });

  test('names are nodes, their first label, or instance ids', async () => {
    assert.deepEqual(await idsOf(dnsName(4)), [instanceId(4)]);
    assert.deepEqual(await idsOf(instanceId(5), 'ip-10-0-0-5'), [instanceId(4), instanceId(5)]);
    assert.equal((await status(SMALL, [instanceId(5)])).code, 0);
    await assert.rejects(status(SMALL, ['nobody']), /^Error: No machine is named "nobody"/);
  });

  test('--sort-by orders, and the exit code is over all rows', async () => {
    const [first] = await idsOf('--sort-by', '.instanceType');
    assert.equal(first, instanceId(1));
    assert.equal((await idsOf('--sort-by=.verdict'))[0], instanceId(3));
    assert.equal((await status(SMALL, ['--failed'])).code, 1);
  });

  test('--failed without a failure says so on stderr', async () => {
    const look = await lookAt({ instances: [instance(1)], nodes: [node(1)] }, [machine(1)]);
    const { out, err, code } = await status(look, ['--failed', '--no-headers']);
    assert.deepEqual([out, err, code], ['', 'No machine is known to be unusable.\n', 0]);
  });

  test('--expect adds hosts that no source shows', async () => {
    const file = join(FOLDER, 'hosts');
    writeFileSync(file, `${dnsName(4)}\nnode-99\n`);
    const { out } = await status(SMALL, ['--expect', file, '-o', 'name']);
    assert.match(out, /^machine\/node-99$/m);
    assert.equal(out.trimEnd().split('\n').length, 13);
  });
});

describe('exit codes', () => {
  const gap = { group: { kind: 'NodeGroup', name: 'w' }, desired: 2, present: 1 } as const;
  const codeOf = async (verdicts: readonly ('usable' | 'cannot-tell' | 'not-usable')[]) => {
    const numbers = verdicts.map((_, index) => index + 1);
    const look = await lookAt(
      { instances: numbers.map((n) => instance(n)) },
      verdicts.map((verdict, index) => machine(index + 1, { verdict })),
    );
    return (await status(look)).code;
  };

  test('1 before 2 before 0, and nothing seen tells nothing', async () => {
    assert.equal(await codeOf(['usable', 'cannot-tell', 'not-usable']), 1);
    assert.equal(await codeOf(['usable', 'cannot-tell']), 2);
    assert.equal(await codeOf(['usable', 'usable']), 0);
    assert.equal(await codeOf([]), 2);
  });

  test('what a group lacks is never fine', () => {
    const document = {
      rows: [],
      shared: [],
      cluster: [],
      notObservable: [],
      losses: [],
      catalogueVersion: 't',
    };
    const withGap = (verdict: 'cannot-tell' | 'not-usable'): RollCallDocument => ({
      ...document,
      apiVersion: 'rollcall.dev/v1alpha1',
      kind: 'RollCall',
      gaps: [{ ...gap, verdict, headline: null }],
    });
    assert.equal(exitCodeOfRollCall(withGap('cannot-tell')), 2);
    assert.equal(exitCodeOfRollCall(withGap('not-usable')), 1);
  });
});

describe('--watch', () => {
  const asked = readStatusArguments(['--watch']);
  const nowMs = (): number => NOW_MS;

  test('elsewhere than on a terminal, a line with the time for each change', async () => {
    const { context, text } = contextOf();
    const printer = createWatchPrinter(asked, context, { height: () => null, nowMs });
    const sources = { instances: [instance(1)], nodes: [node(1)] };
    const failed = machine(1, { verdict: 'not-usable', findings: [finding('no-nat')] });
    printer.show(await lookAt(sources, [failed]));
    assert.equal(printer.exitCode(), 1);
    printer.show(await lookAt(sources, [failed]));
    printer.show(await lookAt(sources, [machine(1)]));
    assert.equal(printer.exitCode(), 0);
    const name = `${dnsName(1)} ${instanceId(1)}`;
    assert.deepEqual(text()[0]?.trimEnd().split('\n'), [
      `2026-03-01T12:00:00.000Z  ${name}: new, not-usable at authenticated (no-nat)`,
      `2026-03-01T12:00:00.000Z  ${name}: not-usable at authenticated (no-nat) -> usable`,
    ]);
  });

  test('needs a cluster, and a table', async () => {
    await assert.rejects(status(SMALL, ['--watch']), /^Error: --watch needs a live cluster/);
  });

  test('on a terminal, the page once and then what changes', async () => {
    const { context, text } = contextOf();
    const printer = createWatchPrinter(asked, context, { height: () => 40, nowMs });
    const sources = { instances: [instance(1)], nodes: [node(1)] };
    printer.show(await lookAt(sources, [machine(1)]));
    const first = text()[0] ?? '';
    printer.show(await lookAt(sources, [machine(1)]));
    assert.equal(text()[0], first);
    printer.show(await lookAt(sources, [machine(1, { verdict: 'cannot-tell' })]));
    const second = (text()[0] ?? '').slice(first.length);
    assert.match(second, /cannot-tell/);
    assert.doesNotMatch(second, /ZONE.*\n.*ZONE/);
  });
});
