import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Standing } from '../../collection/resident/resident.ts';
import type { SubjectReport } from '../../diagnosis/document.ts';
import type { RollCallDocument } from '../../diagnosis/roll-call/document.ts';
import { row } from '../../diagnosis/roll-call/testing.ts';
import { findingOf, observationsOf, reportOf } from '../../diagnosis/testing.ts';
import { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { declareMetrics } from './metrics.ts';

function standingOf(subjects: readonly SubjectReport[], delayMs: number | null = null): Standing {
  return {
    observations: observationsOf(),
    document: {
      apiVersion: 'rollcall.dev/v1alpha1',
      kind: 'Diagnosis',
      catalogueVersion: '1',
      headline: null,
      subjects,
      recognized: [],
      losses: [],
    },
    nowMs: 0,
    cluster: null,
    skewMs: null,
    delayMs,
    tookMs: 40,
  };
}

function rollCallOf(rows: RollCallDocument['rows']): RollCallDocument {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'RollCall',
    catalogueVersion: '1',
    rows,
    shared: [],
    gaps: [],
    cluster: [],
    notObservable: [],
    losses: [],
  };
}

const LAUNCHED = '2026-05-01T00:00:00Z';
const REGISTERED = '2026-05-01T00:00:50Z';

/** A machine that registered 50 s after its launch. */
function climbed(instanceId: string): SubjectReport {
  const passed = { state: 'passed', evidence: [] } as const;
  return reportOf(instanceId, {
    instanceId,
    ladder: [
      { ...passed, stage: 'launched', since: LAUNCHED },
      { ...passed, stage: 'registered', since: REGISTERED },
    ],
  });
}

function createScene() {
  const registry = new MetricsRegistry();
  const metrics = declareMetrics(registry, () => []);
  const observe = (subjects: readonly SubjectReport[], rows: RollCallDocument['rows'] = []): void =>
    metrics.observe(standingOf(subjects), rollCallOf(rows));
  const valueOf = (series: string): string | null => {
    const line = registry
      .text()
      .split('\n')
      .find((one) => one.startsWith(`${series} `));
    return line?.slice(series.length + 1) ?? null;
  };
  return { metrics, observe, valueOf };
}

const REGISTRATIONS = 'rollcall_stage_reached_seconds_count{stage="registered"}';

describe('metrics of the controller', () => {
  test('count machines by stage and verdict, and forget what is over', () => {
    const { observe, valueOf } = createScene();
    const failing = { stage: 'networked', verdict: 'not-usable' } as const;
    observe([], [row('a', failing), row('b', failing), row('c')]);
    assert.equal(valueOf('rollcall_machines{stage="networked",verdict="not-usable"}'), '2');
    assert.equal(valueOf('rollcall_machines{stage="none",verdict="usable"}'), '1');
    observe([], [row('a'), row('b'), row('c')]);
    assert.equal(valueOf('rollcall_machines{stage="networked",verdict="not-usable"}') ?? '0', '0');
    assert.equal(valueOf('rollcall_machines{stage="none",verdict="usable"}'), '3');
  });

  test('count root findings by cause, and none that is only possible', () => {
    const { observe, valueOf } = createScene();
    const findings = [
      findingOf('aws-auth-missing', 'authenticated', { confidence: 'definite' }),
      findingOf('sure', 'authenticated', { confidence: 'possible' }),
    ];
    observe([reportOf('a', { findings }), reportOf('b', { findings })]);
    const series = 'rollcall_findings{cause="aws-auth-missing",confidence="definite"}';
    assert.equal(valueOf(series), '2');
    assert.equal(valueOf('rollcall_findings{cause="sure",confidence="possible"}'), null);
  });

  test('measure from the launch to each stage, once for each machine', () => {
    const { observe, valueOf } = createScene();
    for (let look = 0; look < 3; look++) observe([climbed('i-1'), climbed('i-2')]);
    assert.equal(valueOf(REGISTRATIONS), '2');
    assert.equal(valueOf('rollcall_stage_reached_seconds_sum{stage="registered"}'), '100');
    assert.equal(
      valueOf('rollcall_stage_reached_seconds_bucket{stage="registered",le="30"}') ?? '0',
      '0',
    );
    assert.equal(valueOf('rollcall_stage_reached_seconds_bucket{stage="registered",le="60"}'), '2');
  });

  test('measure machines that come after 24,000 others, and no machine twice', () => {
    const { observe, valueOf } = createScene();
    const staying = 'i-staying';
    for (let batch = 0; batch < 3; batch++) {
      const coming = Array.from({ length: 8000 }, (_, index) => climbed(`i-${batch}-${index}`));
      observe([climbed(staying), ...coming]);
    }
    assert.equal(valueOf(REGISTRATIONS), '24001');
  });

  test('tell who leads, how writes ended and how long a change took', () => {
    const { metrics, valueOf } = createScene();
    assert.equal(valueOf('rollcall_leading'), '0');
    metrics.lead(true);
    assert.equal(valueOf('rollcall_leading'), '1');
    metrics.observe(standingOf([], 70), rollCallOf([]));
    metrics.observe(standingOf([]), rollCallOf([]));
    assert.equal(valueOf('rollcall_change_judged_seconds_count'), '1');
    assert.equal(valueOf('rollcall_change_judged_seconds_bucket{le="0.1"}'), '1');
    assert.equal(valueOf('rollcall_judging_seconds_count'), '2');
  });
});
