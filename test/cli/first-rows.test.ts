import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createStatusCommand,
  type StatusObservation,
  type StatusSource,
} from '../../src/apps/cli/commands/status.ts';
import type { CliContext } from '../../src/apps/cli/context.ts';
import { SourceError } from '../../src/apps/cli/context.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { diagnosis, instance, machine, node, NOW_MS, textsOf } from '../roll-call/fixtures.ts';

const WIDTH = 90;
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const NODES = await readTexts(
  textsOf({ nodes: NUMBERS.map((n) => node(n, n === 2 ? { ready: 'False' } : {})) }),
);
const WHOLE: StatusObservation = {
  observations: await readTexts(
    textsOf({
      instances: NUMBERS.map((n) => instance(n)),
      nodes: NUMBERS.map((n) => node(n)),
    }),
  ),
  document: diagnosis(NUMBERS.map((n) => machine(n))),
  nowMs: NOW_MS,
  notObservable: [],
};

interface Told {
  readonly args?: readonly string[];
  readonly height?: number | null;
  readonly end?: () => StatusObservation;
}

/** What is written, one text after another; the first may be of Nodes alone. */
async function written({ args = [], height = 40, end = () => WHOLE }: Told): Promise<string[]> {
  const texts: string[] = [];
  const context: CliContext = {
    out: (text) => {
      if (text !== '') texts.push(text);
    },
    err: () => {},
    stdin: () => (async function* () {})(),
    isInputPiped: false,
    progress: () => {},
    colour: true,
    columns: WIDTH,
    width: WIDTH,
  };
  const source: StatusSource = {
    observe: async (_live, _context, onFirstNodes) => {
      onFirstNodes?.(NODES, NOW_MS);
      return end();
    },
    watch: null,
    height: () => height,
  };
  await createStatusCommand(source)(args, context).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error;
  });
  return texts;
}

function linesOf(page: string): readonly string[] {
  return page.split('\n').slice(0, -1);
}

describe('the Nodes, before anything is judged', () => {
  test('are shown with the word of their kubelets and no verdict', async () => {
    const [first = ''] = await written({});
    assert.match(first, /ip-10-0-0-2\b.* … +the kubelet reports Ready/);
    assert.match(first, /ip-10-0-0-3\b.* … +the kubelet reports NotReady/);
    assert.match(first, /\n9 machines so far, not judged yet\n$/);
    assert.doesNotMatch(first, /usable|cannot-tell|\u001b/);
  });

  test('disappear for the answer', async () => {
    const [first = '', wipe, page = ''] = await written({});
    assert.equal(wipe, `\r\u001b[${linesOf(first).length}A\u001b[J`);
    assert.match(page, /9 machines: 9 usable/);
  });

  test('disappear when there is no answer', async () => {
    const end = (): never => {
      throw new SourceError('nobody answered');
    };
    const texts = await written({ end });
    assert.match(texts.join('|'), /not judged yet\n\|\r\u001b\[\d+A\u001b\[J$/);
  });

  test('fit the screen, also with every column', async () => {
    for (const args of [[], ['-o', 'wide']]) {
      const [first = ''] = await written({ args, height: 8 });
      const lines = linesOf(first);
      assert.equal(lines.length, 7);
      assert.match(first, /… and 6 more lines/);
      assert.deepEqual(
        lines.filter((line) => line.length > WIDTH),
        [],
      );
    }
  });

  test('are not shown in a pipe, in a document, or where rows are chosen by verdict', async () => {
    const whole = await written({ height: null });
    assert.equal(whole.length, 1);
    for (const args of [['-o', 'json'], ['-o', 'name'], ['--failed']])
      assert.doesNotMatch((await written({ args })).join(''), /not judged yet|\u001b\[J/);
  });
});
