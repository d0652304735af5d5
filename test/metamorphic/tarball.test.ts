import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openEvidence } from '../../src/adapters/bundle/open.ts';
import { packTar, packZip } from '../../src/adapters/bundle/testing.ts';
import { diagnoseObservations, diagnoseTexts } from '../../src/engine/diagnose.ts';
import { readPile } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { ASKED } from '../causes/asked.ts';
import { type ExampleFile, loadExamples } from '../causes/example.ts';
import { shareButInCi, tellShare } from '../share.ts';
import { STORY_FOLDERS } from '../story-folders.ts';

const PACKED_OF = 8;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-tarball-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function tarOf(files: readonly ExampleFile[]): Promise<Buffer> {
  return packTar(files.map(({ name, text }) => ({ name: `logs/${name}`, content: text })));
}

/** One way of handing files over; writes them below `path` and returns what to open. */
interface Wrapping {
  readonly name: string;
  readonly write: (path: string, files: readonly ExampleFile[]) => Promise<string>;
}

async function written(path: string, content: Uint8Array): Promise<string> {
  await writeFile(path, content);
  return path;
}

const TARBALL: Wrapping = {
  name: 'a tar.gz',
  write: async (path, files) => written(`${path}.tar.gz`, gzipSync(await tarOf(files))),
};

const WRAPPINGS: readonly Wrapping[] = [
  TARBALL,
  {
    name: 'a folder',
    write: async (path, files) => {
      await mkdir(path);
      for (const { name, text } of files) await writeFile(join(path, name), text);
      return path;
    },
  },
  {
    name: 'a zip',
    write: (path, files) =>
      written(`${path}.zip`, packZip(files.map(({ name, text }) => ({ name, content: text })))),
  },
  {
    name: 'a tar.gz in a tar',
    write: async (path, files) => {
      const inner = { name: 'node/logs.tar.gz', content: gzipSync(await tarOf(files)) };
      return written(`${path}.tar`, await packTar([inner]));
    },
  },
];

async function diagnosePath(path: string): Promise<DiagnosisDocument> {
  return diagnoseObservations(
    await readPile(openEvidence([path], ({ what }) => assert.fail(what))),
  );
}

let count = 0;

async function headlineIn(wrapping: Wrapping, files: readonly ExampleFile[]): Promise<unknown> {
  const path = await wrapping.write(join(folder, `${++count}`), files);
  try {
    return (await diagnosePath(path)).headline;
  } finally {
    await rm(path, { recursive: true });
  }
}

describe('found examples as the tarball that a log collector makes', () => {
  const found = loadExamples(ASKED).filter(({ expect }) => expect === 'found');
  const packed = shareButInCi(found, PACKED_OF);
  tellShare('found examples as tarballs', packed.length, found.length);
  for (const { cause, name, files } of packed) {
    test(`${cause}/${name}`, async () => {
      const { headline } = await diagnoseTexts(files);
      assert.deepEqual(await headlineIn(TARBALL, files), headline);
    });
  }
});

async function filesOf(story: string): Promise<readonly ExampleFile[]> {
  const names = (await readdir(story)).toSorted();
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(story, name), 'utf8') })),
  );
}

describe('the stories, wrapped in every way', () => {
  for (const story of ASKED.length === 0 ? STORY_FOLDERS : []) {
    for (const wrapping of WRAPPINGS) {
      test(`${basename(story)} as ${wrapping.name}`, async () => {
        const files = await filesOf(story);
        const { headline } = await diagnoseTexts(files);
        assert.notEqual(headline, null);
        assert.deepEqual(await headlineIn(wrapping, files), headline);
      });
    }
  }
});
