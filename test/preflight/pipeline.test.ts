/** What runs rollcall preflight in pipelines: the action's script, its page, and the hook. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { load } from 'js-yaml';
import { preflightMarkdown } from '../../src/apps/cli/pages/preflight-markdown.ts';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { isObject, type Json, listAt, textAt } from '../../src/evidence/json.ts';
import { capture } from '../cli/capture.ts';

const ROOT = join(import.meta.dirname, '../..');
const PLANS = join(ROOT, 'src/causes/authenticated/aws-auth-missing/plans');
const FOUND = join(PLANS, 'found-self-managed-without-mapping.json');
const CLEAR = join(PLANS, 'clear-mapped-by-reference.json');
const UNKNOWN = join(PLANS, 'unknown-cluster-of-another-stack.json');
const folder = mkdtempSync(join(tmpdir(), 'rollcall-pipeline-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function yamlOf(path: string): Json {
  return load(readFileSync(join(ROOT, path), 'utf8')) as Json;
}

interface Step {
  readonly code: number | null;
  readonly summary: string;
  readonly outputs: string;
  readonly said: string;
}

let steps = 0;

/** Runs the script of the action's second step as a runner does: bash that ends at an error. */
function actionStep(inputs: Readonly<Record<string, string>>): Step {
  const [, judge] = listAt(yamlOf('action.yml'), 'runs.steps');
  const place = join(folder, String(++steps));
  const files = { GITHUB_STEP_SUMMARY: `${place}-summary`, GITHUB_OUTPUT: `${place}-output` };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const script = [
    '--noprofile',
    '--norc',
    '-e',
    '-o',
    'pipefail',
    '-c',
    textAt(judge, 'run') ?? '',
  ];
  const { status, stdout } = spawnSync('bash', script, {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      ROLLCALL: join(ROOT, 'bin/rollcall'),
      PARAMETERS: '',
      FAIL_ON: 'likely',
      FAIL_ON_UNKNOWN: 'false',
      SARIF: '',
      ...files,
      ...inputs,
    },
  });
  const [summary = '', outputs = ''] = Object.values(files).map((file) =>
    readFileSync(file, 'utf8'),
  );
  return { code: status, summary, outputs, said: stdout };
}

describe('the action', () => {
  test('fails the step for a finding, with the page as summary and SARIF beside it', () => {
    const { code, summary, outputs, said } = actionStep({ PATHS: FOUND, SARIF: 'out.sarif' });
    assert.equal(code, 1);
    assert.match(summary, /^# Preflight: 1 of 1 group without usable nodes\n/);
    assert.equal(outputs, 'outcome=not-usable\n');
    assert.match(said, /aws-auth-missing \(likely\)/);
    assert.equal(JSON.parse(readFileSync(join(folder, 'out.sarif'), 'utf8')).version, '2.1.0');
  });

  test('passes where nothing is found, and for less than what it is to fail on', () => {
    assert.deepEqual(
      [actionStep({ PATHS: CLEAR })].map(({ code, outputs }) => [code, outputs]),
      [[0, 'outcome=usable\n']],
    );
    assert.equal(actionStep({ PATHS: FOUND, FAIL_ON: 'definite' }).code, 0);
  });

  test('fails for what is unknown only where it is asked to', () => {
    assert.equal(actionStep({ PATHS: UNKNOWN }).code, 0);
    const { code, outputs } = actionStep({ PATHS: UNKNOWN, FAIL_ON_UNKNOWN: 'true' });
    assert.deepEqual([code, outputs], [2, 'outcome=cannot-tell\n']);
  });

  test('takes several files and parameters, and runs nothing that they contain', () => {
    const template = join(ROOT, 'test/preflight/templates/broken-in-many-ways.yaml');
    const { code, summary } = actionStep({
      PATHS: `${CLEAR} ${template}`,
      PARAMETERS: 'ClusterName=orders\nNote=$(touch owned); `touch owned`',
    });
    assert.equal(code, 1);
    assert.match(summary, /broken-in-many-ways\.yaml/);
    const { status } = spawnSync('ls', [join(folder, 'owned')]);
    assert.notEqual(status, 0);
  });

  for (const name of [
    'kubeadm-with-provider-inside.yaml',
    'private-nodes-without-a-way-out.yaml',
    'bottlerocket-with-a-shell-script.yaml',
  ])
    test(`fails the step for ${name}`, () => {
      const { code, summary } = actionStep({ PATHS: join(ROOT, 'examples/preflight', name) });
      assert.equal(code, 1);
      assert.match(summary, /^# Preflight: 1 of 1 group/);
    });

  test('fails with the code of a file that cannot be read', () => {
    assert.equal(actionStep({ PATHS: '/nonexistent.json' }).code, 69);
  });

  test('hands no input to a shell but by its environment', () => {
    for (const step of listAt(yamlOf('action.yml'), 'runs.steps'))
      assert.doesNotMatch(textAt(step, 'run') ?? '', /\$\{\{/);
  });

  test('has every input that the workflow of the examples gives it', () => {
    const [job] = Object.values(recordAt(yamlOf('examples/preflight/workflow.yaml'), 'jobs'));
    const step = listAt(job, 'steps').find((one) =>
      textAt(one, 'uses')?.startsWith('OWNER/rollcall'),
    );
    const inputs = Object.keys(recordAt(yamlOf('action.yml'), 'inputs'));
    for (const name of Object.keys(recordAt(step, 'with'))) assert.ok(inputs.includes(name), name);
  });
});

function recordAt(value: Json | undefined, key: string): Readonly<Record<string, Json>> {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

const NAMES = [
  'template.yaml',
  'a/plan.json',
  'b/nodes.template.json',
  'c/x.plan.json',
  'change-set.json',
  'orders-changeset.json',
  'eksctl.yaml',
  'orders.eksctl.yml',
  'kubeadm-config.yaml',
  'join/kubeadm.yaml',
  'worker-kubeadm.yaml',
  'karpenter.yaml',
  'nodepool.yaml',
  'general-node-pools.yaml',
  'ec2nodeclass.yaml',
  'ec2-node-class.default.yaml',
];

const OTHER_NAMES = [
  'package.json',
  'templates/a.yaml',
  'myplan.json',
  'plan.tf',
  'email-template.yaml',
  'karpenter/chart.yaml',
  'karpenter-values.yaml',
  'kubeadm.md',
  'nodepoolsize.json',
];

describe('the hook of pre-commit', () => {
  const [hook] = yamlOf('.pre-commit-hooks.yaml') as readonly Json[];

  test('is the one of the examples, and takes plans and templates by their names', () => {
    const [repo] = listAt(yamlOf('examples/preflight/pre-commit-config.yaml'), 'repos');
    const [used] = listAt(repo, 'hooks');
    assert.equal(textAt(used, 'id'), textAt(hook, 'id'));
    const files = new RegExp(textAt(hook, 'files') ?? '');
    const exclude = new RegExp(textAt(hook, 'exclude') ?? '');
    const isTaken = (path: string): boolean => files.test(path) && !exclude.test(path);
    assert.deepEqual(NAMES.filter(isTaken), NAMES);
    assert.deepEqual(OTHER_NAMES.filter(isTaken), []);
  });

  test('runs a command that exists', async () => {
    const [program, command = ''] = (textAt(hook, 'entry') ?? '').split(' ');
    assert.equal(program, 'rollcall');
    assert.equal((await capture([command, FOUND])).code, 1);
  });
});

describe('the page in Markdown', () => {
  test('has a row for each group, and a part for each that is not well', async () => {
    const { out, code } = await capture(['preflight', FOUND, CLEAR, UNKNOWN, '-o', 'markdown']);
    assert.equal(code, 1);
    assert.equal(out.match(/^\| `aws_autoscaling_group/gm)?.length, 3);
    assert.equal(out.match(/^## `/gm)?.length, 2);
    assert.match(out, /^### `aws-auth-missing` \(likely\) at `aws_autoscaling_group\.workers`$/m);
    assert.match(out, /^```sh\naws eks describe-cluster --name orders/m);
  });

  test('says that there is nothing to judge, and what was not read', () => {
    const document: PreflightDocument = {
      apiVersion: 'rollcall.dev/v1alpha1',
      kind: 'Preflight',
      catalogueVersion: '1',
      subjects: [],
      plans: [],
      losses: [],
    };
    assert.equal(preflightMarkdown(document), '# Preflight: nothing to judge\n');
    const losses = [{ locator: 'a', what: 'a is <b>no</b> plan, says @team' }];
    assert.match(
      preflightMarkdown({ ...document, losses }),
      /^# Preflight: cannot tell\n\n## Not read\n\n- a is &lt;b&gt;no&lt;\/b&gt; plan, says &#64;team$/,
    );
  });

  test('takes names of a plan for names, whatever they hold', () => {
    const evil = 'a`|<img src=x onerror=y>[x](http://e.example)\n# @team';
    const line = { source: 'plan', locator: `p:${evil}`, excerpt: evil, time: null };
    const document = {
      subjects: [
        {
          kind: 'NodeGroup',
          name: evil,
          plan: 'p',
          address: evil,
          cluster: evil,
          verdict: 'not-usable',
          findings: [
            {
              cause: 'aws-auth-missing',
              stage: 'authenticated',
              confidence: 'likely',
              address: evil,
              summary: evil,
              why: evil,
              evidence: [line],
              remedy: [{ text: evil, command: `x\n\`\`\`\n${evil}` }],
            },
          ],
          clear: [],
          open: [],
          notObservable: [{ stage: 'authenticated', why: evil, collect: '' }],
        },
      ],
      losses: [],
    } as unknown as PreflightDocument;
    const outside = preflightMarkdown(document)
      .replaceAll(/^ *```sh\n[^]*?\n *```$/gm, '')
      .replaceAll(/`[^`\n]*`/g, '');
    assert.doesNotMatch(outside, /[<>@`]|^# @|(?<!\\)\[x/m);
  });
});
