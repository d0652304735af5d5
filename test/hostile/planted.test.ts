/**
 * Secrets of every shape in every place that Kubernetes and AWS have: none leaves the machine, in
 * whatever output, file or error. `node tools/planted-secrets.ts` writes
 * what was looked for where.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { KUBE_LISTS } from '../../src/collection/resources.ts';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import type { StatusObservation } from '../../src/apps/cli/commands/status.ts';
import { createStatusCommand } from '../../src/apps/cli/commands/status.ts';
import { type BundleContents, createBundle } from '../../src/apps/cli/live/bundle.ts';
import { observe } from '../../src/collection/observe.ts';
import { savedSentences } from '../../src/apps/cli/live/saved-words.ts';
import { run as runCommand } from '../../src/apps/cli/run.ts';
import { renderMarkdown } from '../../src/diagnosis/report/markdown.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';
import { shareOf, tellShare } from '../share.ts';
import { plantedLog } from './planted/kubernetes.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';
import { plantedWorld } from './planted/world.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-'));
after(() => rmSync(ROOM, { recursive: true }));

const search = createSearch();
const world = plantedWorld(search.plant);
const lengths: Lengths = new Map();

const assertSecretless = (output: string, text: string): void =>
  assertNoSecretIn(search, lengths, output, text);

const SILENT = {
  stdin: async function* none() {},
  progress: () => {},
  isInputPiped: false,
  colour: false,
  columns: 100,
  width: Infinity,
};

async function capture(argv: readonly string[]): Promise<{ out: string; err: string }> {
  const printed = { out: '', err: '' };
  await runCommand(argv, {
    ...SILENT,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
  });
  return printed;
}

test('at least 200 shapes are planted', () => {
  assert.ok(SHAPES.length >= 200, `${SHAPES.length}`);
  assert.equal(new Set(SHAPES.map(([name]) => name)).size, SHAPES.length);
});

test('a planted secret is found where it is shown, as it is and encoded', () => {
  const own = createSearch();
  const [first] = own.plant('here');
  assert.ok(first !== undefined);
  const forms = [
    first.secret,
    Buffer.from(first.secret).toString('base64'),
    Buffer.from(first.secret).toString('hex'),
  ];
  for (const form of forms) assert.notEqual(own.leaksIn(`x ${form} y`).length, 0, form);
  assert.equal(own.leaksIn('nothing of it').length, 0);
});

interface Looked {
  readonly contents: BundleContents;
  readonly bundle: string;
  readonly look: StatusObservation;
}

/** Outputs of one kind differ in little, and so do shapes in a wrong command line. */
const OUTPUTS_OF = 3;
const SHAPES_OF = 4;

/** A live look at the planted world, and the bundle that `--save` writes of it. */
async function lookLive(): Promise<Looked> {
  const kept = createBundle();
  const seen = await observe(world.clients, {
    cluster: 'shop',
    asked: [],
    isDeep: true,
    onRequest: new Set(['node-logs', 'ssm', 'control-plane-logs']),
    timeoutMs: 60_000,
    progress: () => undefined,
    onDocument: (one, table) => kept.add(one, table),
  });
  const path = join(ROOM, 'evidence.tar.gz');
  const contents = await kept.write(path);
  const bundle = gunzipSync(readFileSync(path)).toString('utf8');
  return { contents, bundle, look: { ...seen, notObservable: [] } };
}

/** What `rollcall status` prints of a look, and `--watch` of two. */
async function printedStatus(look: StatusObservation, words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const command = createStatusCommand({
    observe: async () => look,
    watch: async (_, __, printer) => {
      printer.show(look);
      printer.show({ ...look, notObservable: look.document.subjects[0]?.notObservable ?? [] });
    },
    height: () => 24,
  });
  const print = (text: string): number => printed.push(text);
  await command(words, { ...SILENT, out: print, err: print, colour: true, width: 200 });
  return printed.join('');
}

describe('a live look', () => {
  let looked: Looked;
  before(async () => {
    looked = await lookLive();
  });

  test('saves what causes read, and no secret', () => {
    assert.match(looked.bundle, /system:nodes|KubeletNotReady/);
    assertSecretless('bundle', looked.bundle);
    assertSecretless('bundle, its base64 decoded', decoded(looked.bundle));
  });

  test('says what the bundle holds and what was left out', () => {
    const [held = '', left = ''] = savedSentences('evidence.tar.gz', looked.contents);
    assert.match(held, /^Saved evidence\.tar\.gz: .*\bEvent \d+.*\bec2:DescribeInstances 1\b/);
    for (const what of [
      'environment variables',
      'arguments of containers',
      'annotations',
      'entries of ConfigMaps',
      'values of tags',
      'lines of user data',
      'secrets in texts',
    ])
      assert.match(left, new RegExp(`${what} [1-9]`));
  });

  test('prints no secret in any format', () => {
    const { document: said, observations } = looked.look;
    assert.ok(said.subjects.some(({ findings }) => findings.length > 0));
    const options = { columns: 100, colour: true, paths: [] };
    assertSecretless('diagnose, text', renderText(said, options));
    assertSecretless('diagnose, Markdown', renderMarkdown(said));
    assertSecretless('diagnose, JSON', JSON.stringify(said));
    assertSecretless('lines in memory', JSON.stringify(observations.hits));
  });

  const pages = [
    [],
    ['--watch'],
    ['-o', 'wide'],
    ['-o', 'wide', '--watch'],
    ['-o', 'json'],
    ['-o', 'yaml'],
    ['-o', 'name'],
  ];
  const chosen = shareOf(pages, OUTPUTS_OF);
  tellShare('pages of status with planted secrets', chosen.length, pages.length);
  for (const words of chosen)
    test(`prints no secret in rollcall status ${words.join(' ')}`, async () => {
      const printed = await printedStatus(looked.look, words);
      assert.ok(printed.includes('ip-10-0-1-5'));
      assertSecretless(['status', ...words].join(' '), printed);
    });
});

/** Everything in base64 that a text has, as text. */
function decoded(text: string): string {
  const runs = text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? [];
  return runs.map((run) => Buffer.from(run, 'base64').toString('latin1')).join('\n');
}

describe('files as people collect them', () => {
  const folder = join(ROOM, 'files');

  before(() => {
    mkdirSync(folder);
    for (const [plural, items] of Object.entries(world.lists)) {
      const kind = KUBE_LISTS.find(({ resource }) => resource.plural === plural)?.resource.kind;
      const list = { apiVersion: 'v1', kind: `${kind ?? ''}List`, items };
      writeFileSync(join(folder, `${plural}.json`), JSON.stringify(list));
    }
    for (const [call, answer] of Object.entries(world.answers))
      writeFileSync(join(folder, `${call.replace(':', '-')}.json`), JSON.stringify(answer));
    for (const name of ['kubelet', 'ipamd', 'cloud-init'])
      writeFileSync(join(folder, `${name}.log`), plantedLog(search.plant, `${name}.log`));
    const collection = {
      apiVersion: EVIDENCE_VERSION,
      kind: 'Collection',
      at: '2026-11-22T10:00:00Z',
    };
    writeFileSync(join(folder, 'collection.json'), JSON.stringify(collection));
  });

  const lines = [
    ['diagnose', folder],
    ['diagnose', folder, '-o', 'json'],
    ['diagnose', folder, '-o', 'yaml'],
    ['diagnose', folder, '-o', 'markdown'],
    ['status', folder],
    ['status', folder, '-o', 'json'],
    ['capacity', folder],
    ['capacity', folder, '-o', 'json'],
    ['name', folder],
    ['name', folder, '-o', 'json'],
  ];
  const run = shareOf(lines, OUTPUTS_OF, 1);
  tellShare('commands that read planted secrets', run.length, lines.length);
  for (const argv of run)
    test(`rollcall ${argv.map((word) => (word === folder ? 'FOLDER' : word)).join(' ')}`, async () => {
      const { out, err } = await capture(argv);
      assert.ok(out.length > 0, err);
      assertSecretless(argv.join(' ').replace(folder, 'FOLDER'), out + err);
    });
});

/** Command lines that are wrong because of a text, wherever one may stand. */
function wrongLines(text: string): readonly (readonly string[])[] {
  return [
    [text],
    [`--${text}`],
    ['diagnose', `/nowhere/${text}`],
    ['diagnose', '-o', text],
    ['diagnose', '--timeout', text],
    ['status', '-o', `custom-columns=${text}`],
    ['status', '-l', `${text} in b`],
    ['status', '--sort-by', `.${text}`],
    ['status', '--expect', `/nowhere/${text}`],
    ['name', '--image', text],
    ['explain', text],
    ['causes', text],
    ['lab', text],
    ['sim', '--faults', text],
    ['completion', text],
  ];
}

describe('errors and records', () => {
  test('a wrong command line repeats no secret', async () => {
    const printed: string[] = [];
    const planted = search.plant('command line');
    for (const { text } of shareOf(planted, SHAPES_OF)) {
      for (const argv of wrongLines(text)) {
        const { out, err } = await capture(argv);
        // Words that resemble a cause are searched for, which is no error.
        const said = argv[0] === 'explain' ? out + err : err;
        assert.ok(said.length > 0, `${argv.join(' ')} says nothing`);
        printed.push(out, err);
      }
    }
    assertSecretless('errors of commands', printed.join('\n'));
  });

  test('the flight recorder keeps no secret', async () => {
    const path = join(ROOM, 'flight.sqlite');
    const recorder = openRecorder(path);
    await recorder.append(
      search.plant('recorder').map(({ text, secret }, index) => ({
        atMs: index,
        receivedMs: index,
        cluster: 'shop',
        subject: text,
        subjectKind: 'Node',
        uid: text,
        kind: 'event',
        source: text,
        boot: text,
        skewMs: null,
        key: null,
        body: { message: text, password: secret, list: [text] },
      })),
    );
    await recorder.close();
    const files = ['', '-wal'].map((suffix) => readIfThere(`${path}${suffix}`));
    assertSecretless('flight recorder', files.join(''));
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

after(() => writePlantedTable(search, lengths));
