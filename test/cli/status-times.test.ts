import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import {
  createStatusCommand,
  createWatchPrinter,
  type StatusObservation,
} from '../../src/apps/cli/commands/status.ts';
import type { CliContext } from '../../src/apps/cli/context.ts';
import { readStatusArguments } from '../../src/apps/cli/table/status-arguments.ts';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { RecordedEvent } from '../../src/ports/recorder.ts';
import { event } from '../ports/recorder.contract.ts';
import {
  diagnosis,
  dnsName,
  instance,
  instanceId,
  machine,
  node,
  NOW_MS,
  textsOf,
} from '../roll-call/fixtures.ts';

const MINUTE_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-times-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function isoBefore(minutes: number): string {
  return new Date(NOW_MS - minutes * MINUTE_MS).toISOString();
}

const REJECTED: Partial<SubjectReport> = {
  verdict: 'not-usable',
  stage: 'networked',
  ladder: [{ stage: 'networked', state: 'failed', since: isoBefore(7), evidence: [] }],
  timeline: [
    { time: isoBefore(30), what: 'launched', source: 'ec2', locator: 'x' },
    { time: isoBefore(7), what: 'Ready is False', source: 'Node', locator: 'x' },
    { time: null, what: 'at some time', source: 'kubelet', locator: 'x' },
  ],
};

async function look(
  changes: readonly Partial<SubjectReport>[],
  laterMs = 0,
): Promise<StatusObservation> {
  const numbers = changes.map((_, index) => index + 1);
  const sources = {
    instances: numbers.map((n) => instance(n)),
    nodes: numbers.map((n) => node(n)),
  };
  return {
    observations: await readTexts(textsOf(sources)),
    document: diagnosis(changes.map((change, index) => machine(index + 1, change))),
    nowMs: NOW_MS + laterMs,
    notObservable: [],
  };
}

interface Written {
  readonly context: CliContext;
  readonly take: () => string;
}

function written(): Written {
  let text = '';
  const context: CliContext = {
    out: (more) => {
      text += more;
    },
    err: assert.fail,
    stdin: () => (async function* () {})(),
    isInputPiped: false,
    progress: () => {},
    colour: false,
    columns: 140,
    width: 140,
  };
  return {
    context,
    take: () => {
      const taken = text;
      text = '';
      return taken;
    },
  };
}

async function status(seen: StatusObservation, ...args: readonly string[]): Promise<string> {
  const { context, take } = written();
  const source = { observe: async () => seen, watch: null, height: () => null };
  await createStatusCommand(source)(args, context);
  return take();
}

/** A recording in which the second machine became usable two hours ago, and was cordoned since. */
async function recording(): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.db`);
  const recorder = openRecorder(path);
  const at = (minutes: number, change: Partial<RecordedEvent>): RecordedEvent =>
    event(NOW_MS - minutes * MINUTE_MS, { cluster: 'shop', source: 'rollcall', ...change });
  await recorder.append([
    at(120, {
      subject: instanceId(2),
      kind: 'verdict',
      body: { standing: 'usable', what: 'usable' },
    }),
    at(90, { subject: dnsName(2), kind: 'node-marks', body: { what: 'cordoned' } }),
    at(1, { subject: dnsName(2), kind: 'evidence', body: { what: 'kept Node' } }),
    at(60, {
      subject: instanceId(1),
      kind: 'verdict',
      body: { standing: 'usable', what: 'usable' },
    }),
  ]);
  await recorder.close();
  return path;
}

test('--events shows what happened to each machine last, the latest first', async () => {
  const out = await status(await look([{}, REJECTED]), '--events', '--no-headers');
  const [first = '', second = ''] = out.split('\n');
  assert.match(first, /^ip-10-0-0-3\.\S+ +i-\S+2 +not-usable +7m +7m +Ready is False$/);
  assert.match(second, /^ip-10-0-0-2\.\S+ +i-\S+1 +usable +<unknown> +<unknown> +<none>$/);
});

test('a recording tells since when, where the machine stands as it did, and what came last', async () => {
  const path = await recording();
  const seen = await look([REJECTED, {}]);
  const events = await status(seen, '--events', '--record', path);
  assert.match(events, /^NAME +INSTANCE +VERDICT +SINCE +LAST +WHAT\n/);
  assert.match(events, /-2\.\S+ +i-\S+1 +not-usable +7m +7m +Ready is False\n/);
  assert.match(events, /-3\.\S+ +i-\S+2 +usable +120m +90m +cordoned\n/);
  const table = await status(seen, '--record', path);
  assert.match(table, /VERDICT +SINCE +HEADLINE/);
  assert.match(table, /usable +usable +120m\n/);
});

test('without --events and a recording the table is as it was', async () => {
  assert.doesNotMatch(await status(await look([REJECTED])), /SINCE/);
});

test('a watch says since when, by what it saw change', async () => {
  const { context, take } = written();
  const printer = createWatchPrinter(readStatusArguments(['--watch']), context, {
    height: () => 40,
    nowMs: () => NOW_MS,
  });
  printer.show(await look([REJECTED, {}]));
  assert.match(take(), /not-usable +7m/);
  printer.show(await look([{}, {}], 5 * MINUTE_MS));
  const changed = take();
  assert.match(changed, /-2\.\S+ .* usable +usable +0s/);
  printer.show(await look([{}, {}], 9 * MINUTE_MS));
  assert.match(take(), /-2\.\S+ .* usable +usable +4m/);
});
