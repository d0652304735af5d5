/** Each tool without a cluster: what it takes, what it answers, and how it words a mistake. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { emptyHome } from '../live/rollcall.ts';
import { capture } from '../cli/capture.ts';
import { call, ROOT, type Started, startClient } from './client.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-mcp-tools-'));
const EXAMPLE = 'examples/4a-never-let-in';
let server: Started;

before(async () => {
  server = await startClient([], { cwd: ROOT, env: emptyHome(FOLDER, 'home') });
});
after(async () => {
  await server.close();
  rmSync(FOLDER, { recursive: true });
});

describe('the list of tools', () => {
  test('names six tools that only read', async () => {
    const { tools } = await server.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['status', 'diagnose', 'explain', 'capacity', 'name', 'permissions'],
    );
    for (const { name, annotations, title, description } of tools) {
      assert.equal(annotations?.readOnlyHint, true, name);
      assert.equal(annotations.destructiveHint, false, name);
      assert.equal(annotations.openWorldHint, name !== 'explain', name);
      assert.ok((title ?? '').length > 5 && (description ?? '').length > 50, name);
    }
  });

  test('lets no argument choose a cluster, an account, a file to write or a machine to enter', async () => {
    const { tools } = await server.client.listTools();
    const theirs =
      /^(?:context|kubeconfig|cluster|region|profile|timeout|save|host|deep|allow|output|with|wait)$/;
    for (const { name, inputSchema } of tools) {
      assert.equal(inputSchema['additionalProperties'], false, name);
      for (const argument of Object.keys(inputSchema.properties ?? {}))
        assert.doesNotMatch(argument, theirs, `${name} ${argument}`);
    }
  });

  test('tells the client what is untrusted', () => {
    assert.match(server.client.getInstructions() ?? '', /untrusted .*never follow it/);
    assert.equal(server.client.getServerVersion()?.name, 'rollcall');
  });
});

interface Subject {
  readonly name: string | null;
  readonly verdict: string;
  readonly ranking: readonly {
    readonly cause: string;
    readonly title: string;
    readonly fix: readonly { readonly command: string | null }[];
    readonly untrusted: { readonly lines: readonly { readonly excerpt: string }[] };
  }[];
}

function subjectsOf(answer: Record<string, unknown>): readonly Subject[] {
  return answer['subjects'] as readonly Subject[];
}

describe('diagnose', () => {
  test('answers files as the command does', async () => {
    const { out } = await capture(['diagnose', join(ROOT, EXAMPLE), '-o', 'json']);
    const document = JSON.parse(out) as DiagnosisDocument;
    const { content, text } = await call(server, 'diagnose', { paths: [EXAMPLE] });
    assert.deepEqual(JSON.parse(text), content);
    const headline = content.answer['headline'] as DiagnosisDocument['headline'];
    assert.ok(document.headline !== null);
    assert.equal(headline?.cause, document.headline.cause);
    assert.equal(headline.confidence, document.headline.confidence);
    const subjects = subjectsOf(content.answer);
    assert.equal(subjects.length, document.subjects.length);
    const [first] = subjects;
    assert.equal(first?.ranking[0]?.cause, document.headline.cause);
    assert.ok(first.ranking[0].untrusted.lines.length > 0);
    for (const { ranking } of subjects)
      for (const { untrusted } of ranking) assert.ok(untrusted.lines.length <= 3);
    assert.equal(content.next, null);
  });

  test('names the cause of pasted text, with the command filled in', async () => {
    const line =
      'Jun 06 19:42:03 ip-10-0-2-1 kubelet[21]: E0606 19:42:03.800000 3214 run.go:74] "command failed" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from docker cgroup driver: \\"cgroupfs\\""';
    const { content } = await call(server, 'diagnose', { text: line });
    assert.equal(content.answer['verdict'], 'not-usable');
    const [subject] = subjectsOf(content.answer);
    assert.equal(subject?.name, 'ip-10-0-2-1');
    assert.equal(subject.ranking[0]?.cause, 'cgroup-driver-mismatch');
    assert.match(subject.ranking[0].untrusted.lines[0]?.excerpt ?? '', /cgroup driver/);
  });

  test('asks the one question that decides where the text does not', async () => {
    const { content } = await call(server, 'diagnose', {
      text: 'kubelet[21]: E0606 19:42:03.800000 3214 kubelet.go:2400] "Error getting node" err="node \\"ip-10-0-2-1.ec2.internal\\" not found"',
    });
    assert.equal(content.answer['headline'], null);
    assert.notEqual(content.answer['mostLikely'], null);
    assert.deepEqual(content.answer['recognized'], ['kubelet journal']);
    const { next } = content;
    assert.ok(next !== null);
    assert.match(String(next['question']), /\S/);
    assert.match(String(next['command']), /^(?:sudo |kubectl |aws |journalctl )/);
  });

  test('asks for evidence where the text has nothing of a machine', async () => {
    const { content } = await call(server, 'diagnose', { text: 'hello' });
    assert.equal(content.answer['verdict'], 'cannot-tell');
    assert.match(JSON.stringify(content.untrusted), /unrecognized input/);
    assert.notEqual(content.next, null);
  });
});

describe('explain', () => {
  test('has the page of a cause by its id', async () => {
    for (const ask of ['aws-auth-missing', 'AwsAuthMissing']) {
      const { content } = await call(server, 'explain', { ask });
      assert.equal(content.answer['cause'], 'aws-auth-missing');
      assert.match(String(content.answer['page']), /## How to fix it/);
    }
  });

  test('searches by words, by the line of a log, and says when it finds nothing', async () => {
    for (const [ask, cause] of [
      ['aws-auth configmap missing', 'aws-auth-missing'],
      ['kubelet cgroup driver is different from docker cgroup driver', 'cgroup-driver-mismatch'],
    ] as const) {
      const { content } = await call(server, 'explain', { ask });
      const matches = content.answer['matches'] as readonly { readonly cause: string }[];
      assert.equal(matches[0]?.cause, cause);
      assert.ok(matches.length <= 8);
      assert.deepEqual(content.next?.['arguments'], { ask: cause });
    }
    const { isError, text } = await call(server, 'explain', { ask: 'xyzzy' });
    assert.ok(isError);
    assert.match(text, /^no cause resembles "xyzzy"; give other words/);
  });
});

test('status counts verdicts and causes of files', async () => {
  const { content } = await call(server, 'status', { paths: ['examples/3-said-it-was-ready'] });
  assert.deepEqual(content.answer['machines'], { 'not-usable': 1, 'cannot-tell': 0, usable: 0 });
  assert.deepEqual(content.next?.['arguments'], { paths: ['examples/3-said-it-was-ready'] });
  const rows = content.untrusted?.['rows'] as readonly { readonly name: string }[];
  assert.match(rows[0]?.name ?? '', /^ip-/);
});

test('capacity computes a type before launch', async () => {
  const { content } = await call(server, 'capacity', { type: 'm5.large', 'max-pods': 110 });
  assert.equal(content.untrusted?.['addressPods'], 29);
  assert.equal(content.answer['verdict'], 'not-usable');
});

test('name answers before launch', async () => {
  const { content } = await call(server, 'name', {
    image: 'other',
    'cloud-provider': 'none',
    ip: '10.0.0.1',
    hostname: 'node00.k8s.internal',
  });
  assert.equal(content.answer['machines'], 1);
  const { machines } = content.untrusted as {
    readonly machines: readonly { readonly name: object }[];
  };
  const [machine] = machines;
  assert.match(JSON.stringify(machine?.name), /"state":"known".*node00\.k8s\.internal/);
});

test('permissions has the roles and the policy of a feature', async () => {
  const { content } = await call(server, 'permissions', { for: ['capacity'] });
  assert.match(JSON.stringify(content.answer['policy']), /ec2:DescribeNetworkInterfaces/);
  assert.doesNotMatch(JSON.stringify(content.answer['policy']), /iam:/);
  assert.ok((content.answer['roles'] as readonly object[]).length > 0);
});

describe('a mistake is one sentence with the fix', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['diagnose', { file: 'x' }, /^diagnose has no argument "file"; use machines, paths or text$/],
    ['diagnose', { paths: 'x' }, /^paths takes a list of at most 50 texts, not "x"$/],
    ['diagnose', { paths: [1] }, /^paths takes a text of 1 to 1000 characters, not "1"; /],
    [
      'diagnose',
      { text: '' },
      /^text takes a text of 1 to 4194304 characters, not one of 0; a longer text is a file /,
    ],
    ['diagnose', { text: 'x'.repeat(4_194_305) }, /^text takes .*, not one of 4194305; a longer /],
    ['diagnose', { machines: ['a'], text: 'b' }, /^machines are of the live cluster; ask /],
    ['status', { failed: 'yes' }, /^failed takes true or false, not "yes"$/],
    ['status', { selector: '((' }, /^-l cannot read "\(\("; it takes key=value/],
    ['explain', {}, /^explain needs ask; give it as a text$/],
    ['capacity', { 'max-pods': -1 }, /^max-pods takes a whole number from 0 to 999999, not "-1"$/],
    ['capacity', { 'max-pods': 1.5 }, /^max-pods takes a whole number from 0 /],
    ['capacity', { image: 'al9' }, /^unknown image family "al9"; use al2, al2023 or bottlerocket$/],
    ['capacity', { subnet: ['subnet-1'] }, /^--subnet needs a type/],
    ['permissions', { for: ['all'] }, /^unknown feature "all"; use status, details, /],
    [
      'status',
      {},
      /^No source answered \(.* not an instruction\): KUBECONFIG names .*, and no such file exists; .*: unset KUBECONFIG$/,
    ],
    [
      'permissions',
      { check: true },
      /not an instruction\): AWS needs a region; use --region or set AWS_REGION; No AWS credentials /,
    ],
    ['delete', {}, /^no tool is called "delete"; use status, diagnose, /],
  ];
  for (const [tool, args, sentence] of cases)
    test(`${tool} ${JSON.stringify(args).slice(0, 80)}`, async () => {
      const { isError, text, content } = await call(server, tool, args);
      assert.ok(isError);
      assert.match(text, sentence);
      assert.deepEqual(content, {});
    });
});

test('an answer about hundreds of machines fits, and what is left out is counted', async () => {
  const folder = join(FOLDER, 'many');
  mkdirSync(folder);
  const items = Array.from({ length: 300 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${index}.example`, uid: `u-${index}` },
    status: {
      conditions: [
        { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'x'.repeat(900) },
      ],
    },
  }));
  const list = { apiVersion: 'v1', kind: 'NodeList', items };
  writeFileSync(join(folder, 'nodes.json'), JSON.stringify(list));
  const many = await startClient(['--allow', folder], { cwd: ROOT, env: emptyHome(FOLDER, 'h2') });
  try {
    for (const [tool, left] of [
      ['diagnose', 'subjects'],
      ['status', 'rows'],
      ['name', 'machines'],
      ['capacity', 'nodes'],
    ] as const) {
      const { content, text } = await call(many, tool, { paths: [join(folder, 'nodes.json')] });
      assert.ok(Buffer.byteLength(text) <= 32_000, `${tool}: ${text.length}`);
      assert.ok((content.leftOut[left] ?? 0) > 100, `${tool}: ${JSON.stringify(content.leftOut)}`);
    }
  } finally {
    await many.close();
  }
});
