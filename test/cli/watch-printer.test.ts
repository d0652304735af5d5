import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWatchPrinter, type StatusObservation } from '../../src/apps/cli/commands/status.ts';
import type { CliContext } from '../../src/apps/cli/context.ts';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import type { Listing, Refusal } from '../../src/evidence/observations.ts';
import type { WatchNotice } from '../../src/apps/cli/live/watch-notices.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { readStatusArguments } from '../../src/apps/cli/table/status-arguments.ts';
import { diagnosis, instance, machine, node, NOW_MS, textsOf } from '../roll-call/fixtures.ts';

const ASKED = readStatusArguments(['--watch']);
const STREAMED = readStatusArguments(['--watch', '-o', 'json']);
const WIDTH = 100;

interface Screen {
  readonly show: (seen: StatusObservation) => string;
  readonly tell: (notices: readonly WatchNotice[]) => string;
}

/** What each call writes; on a terminal of so many lines, null for none. */
function screen(height: number | null, asked = ASKED): Screen {
  let written = '';
  const context: CliContext = {
    out: (text) => {
      written += text;
    },
    err: assert.fail,
    stdin: () => (async function* () {})(),
    isInputPiped: false,
    progress: () => {},
    colour: false,
    columns: WIDTH,
    width: WIDTH,
  };
  const options = { height: () => height, nowMs: () => NOW_MS };
  const printer = createWatchPrinter(asked, context, options);
  const by = (write: () => void): string => {
    written = '';
    write();
    return written;
  };
  return {
    show: (seen) => by(() => printer.show(seen)),
    tell: (notices) => by(() => printer.tell(notices)),
  };
}

function stale(seconds: number, kinds: readonly string[] = ['Node']): WatchNotice {
  const line = `${kinds.join('s and ')}s as of ${seconds} s ago: the API server is silent`;
  return { key: 'silent', line, kinds, over: 'changes arrive again' };
}

const NODES_REFUSED: Refusal = {
  call: 'list nodes',
  message: 'list nodes is denied',
  failure: 'denied',
  permission: 'list nodes',
};

/** A look of a live cluster at its first machines; with `isRefused` its Nodes may not be listed. */
async function liveLook(count: number, isRefused = false): Promise<StatusObservation> {
  const numbers = Array.from({ length: count }, (_, rank) => rank + 1);
  const nodes = isRefused ? {} : { nodes: numbers.map((n) => node(n)) };
  const read = await readTexts(textsOf(nodes));
  const refusals = isRefused ? [NODES_REFUSED] : [];
  const collection = { atMs: NOW_MS, cluster: null, asked: [], refusals, shortened: [] };
  const listing: Listing = { kind: 'kube/Node', by: 'kubectl', locator: 'kubectl get nodes' };
  const observations = { ...read, collection, listings: isRefused ? [] : [listing] };
  const subjects = isRefused ? [] : numbers.map((n) => machine(n));
  return { observations, document: diagnosis(subjects), nowMs: NOW_MS, notObservable: [] };
}

async function look(change: Partial<SubjectReport> = {}): Promise<StatusObservation> {
  const sources = { instances: [instance(1)], nodes: [node(1)] };
  const observations = await readTexts(textsOf(sources));
  const document = diagnosis([machine(1, change)]);
  return { observations, document, nowMs: NOW_MS, notObservable: [] };
}

test('reports trouble with the watch when it starts, spreads and ends', () => {
  const { tell } = screen(null);
  assert.deepEqual(
    [[], [stale(5)], [stale(6)], [stale(7, ['Node', 'Pod'])], [stale(8)], [], []].map(tell),
    [
      '',
      '2026-03-01T12:00:00.000Z  Nodes as of 5 s ago: the API server is silent\n',
      '',
      '2026-03-01T12:00:00.000Z  Nodes and Pods as of 7 s ago: the API server is silent\n',
      '',
      '2026-03-01T12:00:00.000Z  changes arrive again\n',
      '',
    ],
  );
});

test('keeps it above the page on a terminal while it lasts', async () => {
  const { show, tell } = screen(40);
  assert.match(show(await look()), /usable/);
  const head = tell([stale(5)]);
  assert.ok(head.indexOf('as of 5 s ago') < head.indexOf('usable'), head);
  const next = tell([stale(6)]);
  assert.match(next, /as of 6 s ago/);
  assert.doesNotMatch(next, /usable/, 'only the line that changed is drawn again');
  assert.equal(tell([stale(6)]), '');
  const over = tell([]);
  assert.match(over, /usable/);
  assert.doesNotMatch(over, /as of/);
});

test('a line never breaks, whatever the server calls its kinds', () => {
  const { tell } = screen(40);
  const hostile = { ...stale(5), line: `\u001b[2J${'x'.repeat(300)}\n` };
  const drawn = tell([hostile]);
  assert.doesNotMatch(drawn, /\u001b\[2J/);
  assert.doesNotMatch(drawn, /x{101}/);
});

test('counts machines by verdict above the rows, and keeps the last change', async () => {
  const { show } = screen(40);
  assert.match(show(await look()), /1 machine: 1 usable, 0 not-usable, 0 cannot-tell\n/);
  const changed = show(await look({ verdict: 'not-usable', stage: 'networked' }));
  assert.match(changed, /1 machine: 0 usable, 1 not-usable, 0 cannot-tell/);
  assert.match(changed, /Last change 12:00:00 UTC: .*usable -> not/);
});

test('prints a document a line with -o json, and none while nothing changes', async () => {
  const { show } = screen(40, STREAMED);
  const verdictsIn = (text: string): readonly unknown[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).rows[0].verdict);
  assert.deepEqual(verdictsIn(show(await look())), ['usable']);
  assert.equal(show(await look()), '');
  assert.deepEqual(verdictsIn(show(await look({ verdict: 'cannot-tell' }))), ['cannot-tell']);
});

test('a machine is not gone while Nodes may not be listed, and gone once they are', async () => {
  const { show } = screen(null);
  show(await liveLook(2));
  assert.equal(show(await liveLook(2, true)), '');
  assert.match(show(await liveLook(1)), /^\S+ {2}ip-\S+.*: gone, was usable\n$/);
});
