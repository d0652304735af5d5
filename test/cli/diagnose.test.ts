import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { STORY_FOLDERS } from '../story-folders.ts';
import { capture } from './capture.ts';

const ROOT = join(import.meta.dirname, '../..');

function validator(name: string): (value: unknown) => string {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  const validate = ajv.compile(
    JSON.parse(readFileSync(join(ROOT, 'docs/schemas', name), 'utf8')) as object,
  );
  return (value) => (validate(value) ? '' : ajv.errorsText(validate.errors));
}

describe('rollcall diagnose', () => {
  const isDiagnosis = validator('diagnosis.schema.json');

  for (const story of STORY_FOLDERS) {
    const name = story.slice(ROOT.length + 1);
    test(`${name}: JSON and YAML are one document and fit the schema`, async () => {
      const json = await capture(['diagnose', story, '-o', 'json']);
      const yaml = await capture(['diagnose', story, '-o', 'yaml']);
      assert.equal(isDiagnosis(JSON.parse(json.out)), '');
      assert.deepEqual(load(yaml.out), JSON.parse(json.out));
      assert.equal(json.code, 1);
    });

    test(`${name}: text fits 100 columns and names the cause`, async () => {
      const { out } = await capture(['diagnose', story]);
      // A quoted word of a command cannot be cut; everything else can.
      const wide = out.split('\n').filter((line) => line.replace(/'[^']{40,}'/, '').length > 100);
      assert.deepEqual(wide, []);
      const { headline } = JSON.parse((await capture(['diagnose', story, '-o', 'json'])).out) as {
        headline: { cause: string };
      };
      assert.match(out, new RegExp(`cause +${headline.cause} `));
      assert.doesNotMatch(out, /\u001b/);
    });
  }

  test('reads standard input and adds earlier evidence with --with', async () => {
    const story = join(ROOT, 'examples/4a-never-let-in');
    const piped = await capture(
      ['diagnose', '-', '--with', join(story, 'kubelet.log'), '-o', 'json'],
      readFileSync(join(story, 'kubectl.txt'), 'utf8'),
    );
    assert.equal(
      (JSON.parse(piped.out) as { headline: { cause: string } }).headline.cause,
      'aws-auth-missing',
    );
  });

  test('ends with one block to paste when nothing decides', async () => {
    const { out, code } = await capture([
      'diagnose',
      join(ROOT, 'examples/4a-never-let-in/kubelet.log'),
    ]);
    assert.equal(code, 1);
    assert.match(out, /Not enough evidence\. This would decide it/);
    assert.match(out, /kubectl -n kube-system get configmap aws-auth -o yaml/);
    assert.match(out, /… \| rollcall diagnose - --with \S+kubelet\.log/);
  });

  test('text without any evidence cannot tell', async () => {
    const { code, out } = await capture(['diagnose', '-'], 'hello\nworld\n');
    assert.equal(code, 2);
    assert.match(out, /CANNOT TELL/);
  });

  test('a path that is not there ends with 69 and names it', async () => {
    const { code, err, out } = await capture(['diagnose', './no-such-file.log']);
    assert.equal(code, 69);
    assert.match(err, /no-such-file\.log/);
    assert.equal(out, '');
  });
});

describe('the rest of the command line', () => {
  test('causes -o json fits its schema and lists each stage given', async () => {
    const all = await capture(['causes', '-o', 'json']);
    assert.equal(validator('cause-list.schema.json')(JSON.parse(all.out)), '');
    const { items } = JSON.parse(
      (await capture(['causes', '--stage', 'authenticated', '-o', 'json'])).out,
    ) as { items: { stage: string }[] };
    assert.ok(items.length > 0);
    assert.ok(items.every((item) => item.stage === 'authenticated'));
  });

  test('explain prints the page, by id and by Kubernetes reason', async () => {
    const byId = await capture(['explain', 'aws-auth-missing']);
    const byReason = await capture(['explain', 'AwsAuthMissing']);
    assert.equal(byId.out, byReason.out);
    assert.match(byId.out, /^# aws-auth-missing/);
  });

  for (const [words, first] of [
    [['aws-auth'], /^aws-auth-missing \(authenticated\)$/m],
    [['pods', 'get', 'no', 'IP', 'address'], /^subnet-out-of-pod-addresses \(networked\)$/m],
    [['not present according to cloud provider'], /^node-deleted-as-not-in-cloud \(retained\)$/m],
  ] as const)
    test(`explain ${words.join(' ')} lists the causes that it is most likely about`, async () => {
      const { code, out } = await capture(['explain', ...words]);
      assert.equal(code, 0);
      assert.match(out, /^Most likely about:\n\n/);
      assert.match(out, first);
      assert.match(out, /\nRead one: rollcall explain [a-z0-9-]+\n$/);
    });

  test('explain ends with 64 where words resemble nothing', async () => {
    const { code, err } = await capture(['explain', 'xyzzy']);
    assert.deepEqual([code, err], [64, 'unknown cause "xyzzy"; list them: rollcall causes\n']);
  });

  for (const [argv, sentence] of [
    [['diagnos', 'x'], /did you mean diagnose\?/],
    [['explain', 'aws-auth-mising'], /did you mean aws-auth-missing\?/],
    [['causes', '--stage', 'lunched'], /unknown stage "lunched"; did you mean launched\?/],
    [['diagnose', 'x', '--no-such-option'], /no-such-option/],
    [['diagnose', 'x', '-o', 'xml'], /unknown format "xml"; use text, json, yaml or markdown/],
  ] as const) {
    test(`${argv.join(' ')} ends with 64 and a sentence`, async () => {
      const { code, err, out } = await capture(argv);
      assert.equal(code, 64);
      assert.match(err, sentence);
      assert.equal(out, '');
    });
  }

  test('help shows examples of each command', async () => {
    for (const command of ['diagnose', 'explain', 'causes']) {
      const { out, code } = await capture([command, '--help']);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`\\n  .*rollcall ${command} `));
    }
  });
});

describe('the program as a shell runs it', () => {
  const shell = (command: string): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile('sh', ['-c', command], { cwd: ROOT }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(stderr));
      });
    });

  test('a reader that goes away is not an error', async () => {
    assert.equal(await shell('bin/rollcall causes -o json | head -c 1'), '{');
  });

  test('everything is written before it ends, however slowly it is read', async () => {
    const out = await shell('bin/rollcall causes -o json | { sleep 0.3; cat; }');
    assert.equal((JSON.parse(out) as { kind: string }).kind, 'CauseList');
  });
});
