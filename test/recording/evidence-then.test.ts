/** What a recording kept of a moment gives the verdicts of that moment, also as a bundle. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { frozenClock } from '../../src/apps/sim/observe-cluster.ts';
import { lookOf } from '../../src/collection/recording/look.ts';
import { EvidencePile } from '../../src/collection/recording/pile.ts';
import { Recording } from '../../src/collection/recording/recording.ts';
import { SeenCluster } from '../../src/collection/recording/seen.ts';
import { allListeners } from '../../src/collection/resident/all-listeners.ts';
import { createFeeds, type Feeds } from '../../src/collection/resident/feeds.ts';
import { askAwsOnce, askDetailsOnce } from '../../src/collection/resident/rounds.ts';
import {
  createResidentStore,
  type Moment,
  NO_ROUND,
  type ResidentStore,
} from '../../src/collection/resident/store.ts';
import { evidenceThen } from '../../src/collection/timeline/evidence-then.ts';
import { alignClocks } from '../../src/diagnosis/clocks.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import type { Recorder } from '../../src/ports/recorder.ts';
import { createReading } from '../../src/readers/reading.ts';
import { awsPort } from '../../src/sim/aws/port.ts';
import type { SimulatedCluster } from '../../src/sim/cluster/simulated-cluster.ts';
import { FAULT_IDS, FAULTS } from '../../src/sim/faults/faults.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { run } from '../../src/sim/run/run.ts';
import { planInjections } from '../../src/sim/swarm/plan.ts';
import { drawSwarm } from '../../src/sim/swarm/swarm.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { capture } from '../cli/capture.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { toldOf } from '../resident/told.ts';
import { lookAt, recordingInto, row, START_MS } from './looks.ts';

const WISHES = { nodes: 4, hours: 0.7, faults: 'all' } as const;
/** `ROLLCALL_RECORDED_SEEDS=700-759` runs other ones. */
const [FROM = 701, TO = 703] = (process.env['ROLLCALL_RECORDED_SEEDS'] ?? '701-703')
  .split('-')
  .map(Number);
const SEEDS = Array.from({ length: TO - FROM + 1 }, (_, index) => FROM + index);
const LIMITS = { keepMs: 30 * 86_400_000, bytesMax: 1e9 };

const folder = mkdtempSync(join(tmpdir(), 'rollcall-then-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A program that records a simulated cluster, and judges it at moments that the test chooses. */
class Follower {
  readonly #store: ResidentStore = createResidentStore();
  readonly #seen = new SeenCluster();
  readonly #pile = new EvidencePile();
  readonly #listener = allListeners([this.#seen, this.#pile]);
  readonly #recording: Recording;
  readonly #feeds: Feeds;
  readonly #simulated: SimulatedCluster;

  constructor(simulated: SimulatedCluster, recorder: Recorder, ended: AbortSignal) {
    const { kernel, api, admin } = simulated;
    const clock = kernel.clock();
    this.#simulated = simulated;
    this.#recording = new Recording({
      recorder,
      limits: LIMITS,
      pauseMs: 1e9,
      say: assert.fail,
      cuts: { bytesPerS: Infinity },
    });
    this.#feeds = createFeeds({
      kube: kubePort({ server: api, user: admin.user, clock }),
      clock,
      random: kernel.random('recorder'),
      store: this.#store,
      onNews: () => undefined,
      listener: this.#listener,
    });
    kernel.spawn('rollcall/recorder', async () => this.#feeds.run(ended));
  }

  /** Judges and records; what was judged. */
  async take(): Promise<{ readonly observations: Observations; readonly nowMs: number }> {
    const { kernel, cloud, api, admin, setting } = this.#simulated;
    const nowMs = kernel.nowMs();
    const clock = frozenClock(nowMs);
    const kube = kubePort({ server: api, user: admin.user, clock });
    const aws = awsPort({ cloud, identity: admin.identity, clock, pauseMs: 0 });
    const { signal } = new AbortController();
    const { name } = setting.cluster;
    const store = this.#store;
    this.#feeds.settle();
    store.setDetails(NO_ROUND);
    const round = await askAwsOnce({ aws, clock }, store, name, signal, this.#listener);
    store.setAws(round);
    const moment: Moment = { nowMs, cluster: round.cluster, skewMs: kube.skewMs(), refusals: [] };
    const rough = store.observations(moment);
    const first = await diagnoseObservations(rough);
    const clients = { kube, aws, clock };
    store.setDetails(
      await askDetailsOnce(clients, first, rough, signal, { listener: this.#listener }),
    );
    const observations = store.observations(moment);
    const document = await diagnoseObservations(observations);
    const standing = { observations, document, nowMs, cluster: round.cluster, skewMs: null };
    await this.#recording.take(lookOf(standing, this.#seen.take(), 'sim', this.#pile));
    return { observations, nowMs };
  }
}

interface Judged {
  readonly atMs: number;
  readonly told: object;
}

/** Records a world to its end, and what was told of each moment at that moment. */
async function recorded(seed: number, recorder: Recorder): Promise<readonly Judged[]> {
  const swarm = drawSwarm(seed, WISHES, FAULT_IDS);
  const injections = planInjections(swarm, WISHES, FAULTS);
  const ended = new AbortController();
  const judged: Judged[] = [];
  let follower: Follower | null = null;
  const { violations } = await overTripwires(async () =>
    run({
      swarm,
      injections,
      settle,
      begin({ simulated }) {
        follower = new Follower(simulated, recorder, ended.signal);
      },
      async look() {
        assert.ok(follower !== null);
        const { observations, nowMs } = await follower.take();
        judged.push({ atMs: nowMs, told: await toldOf(observations, nowMs) });
        return [];
      },
    }),
  ).finally(() => ended.abort());
  assert.deepEqual(
    violations.filter(({ rule }) => rule === 'thrown'),
    [],
  );
  return judged;
}

/** What is told of the last evidence up to a moment; null where none is of that moment. */
async function toldThen(recorder: Recorder, atMs: number): Promise<object | null> {
  const then = await evidenceThen(recorder, 'sim', atMs, []);
  if (then?.atMs !== atMs) return null;
  const reading = createReading(SIGN_TABLE);
  for (const { locator, content } of then.documents) reading.take(locator, content);
  return toldOf(alignClocks(reading.finish()), atMs);
}

describe('a recording of a simulated cluster', () => {
  for (const seed of SEEDS)
    test(`gives at each moment of evidence what was told then (seed ${seed})`, async () => {
      const recorder = createFakeRecorder();
      const judged = await recorded(seed, recorder);
      let compared = 0;
      for (const { atMs, told } of judged) {
        const then = await toldThen(recorder, atMs);
        if (then === null) continue;
        assert.deepEqual(then, told);
        compared += 1;
      }
      assert.ok(compared > 0, `${compared} of ${judged.length} moments have evidence`);
    });
});

/** Verdicts and causes of all subjects, as a program prints them. */
async function printed(...args: readonly string[]): Promise<readonly string[]> {
  const { out, err } = await capture(['diagnose', ...args, '-o', 'json']);
  assert.ok(out !== '', err);
  const { subjects } = JSON.parse(out) as DiagnosisDocument;
  return subjects
    .map(({ name, verdict, stage, findings }) =>
      [name, verdict, stage, ...findings.map(({ cause, role }) => `${role} ${cause}`)].join(' '),
    )
    .toSorted();
}

describe('rollcall diagnose --record', () => {
  const path = join(folder, 'flight.db');
  const bundle = join(folder, 'then.tar.gz');

  test('judges a moment, and its bundle gives the same', async () => {
    const recorder = openRecorder(path);
    const judged = await recorded(704, recorder);
    const withEvidence: Judged[] = [];
    for (const one of judged)
      if ((await toldThen(recorder, one.atMs)) !== null) withEvidence.push(one);
    await recorder.close();
    assert.ok(withEvidence.length > 1);
    for (const { atMs } of withEvidence.slice(0, 2)) {
      const at = new Date(atMs).toISOString();
      const live = await printed('--record', path, '--at', at, '--save', bundle);
      assert.ok(live.length > 0);
      assert.deepEqual(await printed(bundle), live);
    }
    const [first, second] = withEvidence.map(({ atMs }) => new Date(atMs).toISOString());
    const { err } = await capture(['diagnose', '--record', path, '--at', first ?? '']);
    assert.equal(err, `Evidence recorded at ${first?.replace('.000', '')}.\n`);
    assert.notEqual(first, second);
  });

  test('answers about one machine, and hides names on request', async () => {
    const [name = ''] = (await printed('--record', path)).map((line) => line.split(' ')[0] ?? '');
    const one = await printed(name, '--record', path, '--save', bundle, '--anonymize');
    assert.equal(one.length, 1);
    assert.ok(!one.join().includes(name));
    assert.equal((await printed(bundle)).length, 1);
    const unknown = await capture(['diagnose', 'i-0000000000000dead', '--record', path]);
    assert.equal(unknown.code, 64);
  });

  test('says where there is no evidence, and when verdicts changed after it', async () => {
    const short = join(folder, 'short.db');
    const recorder = openRecorder(short);
    const { recording } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 1, rows: [row('usable')] }));
    const { code, err } = await capture(['diagnose', '--record', short]);
    assert.equal(code, 64);
    assert.match(err, /short\.db" holds no evidence; see what it holds: rollcall timeline --all/);
    const collection = { atMs: START_MS, cluster: 'shop', asked: [], refusals: [], shortened: [] };
    const pile = () => ({ lists: new Map(), documents: [], collection });
    await recording.take({ ...lookAt({ minute: 2, rows: [row('usable')] }), pile });
    await recording.take(lookAt({ minute: 3, rows: [row('not-usable')] }));
    await recorder.close();
    const later = await capture(['diagnose', '--record', short]);
    assert.match(
      later.err,
      /^Evidence recorded at 2026-05-01T10:02:00Z\. Verdicts changed after it/,
    );
    const then = await capture(['diagnose', '--record', short, '--at', '2026-05-01T10:02:30Z']);
    assert.equal(then.err, 'Evidence recorded at 2026-05-01T10:02:00Z.\n');
  });

  for (const [args, words] of [
    [['--at', '2h'], /--at needs a recording/],
    [['--record', 'x.db', '--host'], /--record takes no files, --host or --wait/],
    [['./x.log', '--record', 'x.db'], /--record takes no files/],
    [['--record', 'missing.db'], /no such file: missing\.db/],
  ] as const)
    test(`${args.join(' ')} is refused`, async () => {
      const { code, err } = await capture(['diagnose', ...args]);
      assert.equal(code, 64);
      assert.match(err, words);
    });
});
