import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDeclaration, type MetricType } from '../../src/runtime/metrics/declaration.ts';
import { sampleLine } from '../../src/runtime/metrics/exposition.ts';
import { MetricsRegistry } from '../../src/runtime/metrics/registry.ts';

const help = 'What it is.';
const VERDICT = { verdict: ['usable', 'not-usable'] };

/** Without the metric about metrics, which comes first. */
function textOf(registry: MetricsRegistry): string {
  return registry.text().replace(/^# HELP rollcall_metrics_other_total.*\n# TYPE .*\n/, '');
}

function lines(registry: MetricsRegistry): readonly string[] {
  const all = textOf(registry).trimEnd().split('\n');
  return all.filter((line) => !line.startsWith('#') && !line.startsWith('rollcall_metrics'));
}

test('a counter has its help, its type and its value', () => {
  const registry = new MetricsRegistry();
  const counter = registry.counter({ name: 'looks_total', help: 'Looks\nat \\ "all".' });
  counter.add();
  counter.add({}, 2.5);
  const text =
    '# HELP looks_total Looks\\nat \\\\ "all".\n# TYPE looks_total counter\nlooks_total 3.5\n';
  assert.equal(textOf(registry), text);
});

test('a counter of declared values begins at zero for each of them', () => {
  const registry = new MetricsRegistry();
  const counter = registry.counter({
    name: 'looks_total',
    help,
    labels: { ...VERDICT, by: ['a', 'b'] },
  });
  counter.add({ by: 'b', verdict: 'usable' });
  assert.deepEqual(lines(registry), [
    'looks_total{verdict="usable",by="a"} 0',
    'looks_total{verdict="usable",by="b"} 1',
    'looks_total{verdict="not-usable",by="a"} 0',
    'looks_total{verdict="not-usable",by="b"} 0',
  ]);
});

test('a gauge has the last value, and none before or after it is cleared', () => {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge({ name: 'machines', help, labels: VERDICT });
  assert.deepEqual(lines(registry), []);
  gauge.set(3, { verdict: 'usable' });
  gauge.set(-2, { verdict: 'usable' });
  assert.deepEqual(lines(registry), ['machines{verdict="usable"} -2']);
  gauge.clear();
  gauge.set(1, { verdict: 'not-usable' });
  assert.deepEqual(lines(registry), ['machines{verdict="not-usable"} 1']);
});

test('gauges are set just before they are read', () => {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge({ name: 'machines', help });
  let reads = 0;
  registry.beforeReading(() => gauge.set((reads += 1)));
  assert.deepEqual([lines(registry), lines(registry)], [['machines 1'], ['machines 2']]);
});

test('a histogram counts up to each bound, which belongs to its bucket', () => {
  const registry = new MetricsRegistry();
  const histogram = registry.histogram({ name: 'run_seconds', help, buckets: [0.1, 1, 10] });
  for (const value of [0.05, 0.1, 0.5, 1, 10, 10.5]) histogram.observe(value);
  assert.deepEqual(lines(registry), [
    'run_seconds_bucket{le="0.1"} 2',
    'run_seconds_bucket{le="1"} 4',
    'run_seconds_bucket{le="10"} 5',
    'run_seconds_bucket{le="+Inf"} 6',
    'run_seconds_sum 22.15',
    'run_seconds_count 6',
  ]);
});

test('a histogram has its labels before the bound', () => {
  const registry = new MetricsRegistry();
  const buckets = [1];
  const histogram = registry.histogram({ name: 'run_seconds', help, labels: VERDICT, buckets });
  histogram.observe(2, { verdict: 'usable' });
  assert.deepEqual(lines(registry), [
    'run_seconds_bucket{verdict="usable",le="1"} 0',
    'run_seconds_bucket{verdict="usable",le="+Inf"} 1',
    'run_seconds_sum{verdict="usable"} 2',
    'run_seconds_count{verdict="usable"} 1',
  ]);
});

test('values of labels are escaped, and what has no UTF-8 is replaced', () => {
  const line = sampleLine('a', { b: 'x"y\\z\nü\ud800' }, 1);
  assert.equal(line, 'a{b="x\\"y\\\\z\\nü\ufffd"} 1\n');
});

test('numbers are written as Go reads them', () => {
  const written = [Infinity, -Infinity, NaN, 1e21, 5e-324, -0.5].map((value) =>
    sampleLine('a', {}, value).trimEnd(),
  );
  assert.deepEqual(written, ['a +Inf', 'a -Inf', 'a NaN', 'a 1e+21', 'a 5e-324', 'a -0.5']);
});

test('a value that was not declared is counted as other', () => {
  const registry = new MetricsRegistry();
  const counter = registry.counter({ name: 'looks_total', help, labels: VERDICT });
  counter.add({ verdict: 'ip-10-0-0-1.ec2.internal' });
  counter.add({ verdict: 'usable' });
  assert.match(registry.text(), /^looks_total\{verdict="other"\} 1$/m);
  assert.match(registry.text(), /^rollcall_metrics_other_total\{metric="looks_total"\} 1$/m);
  assert.doesNotMatch(registry.text(), /ip-10/);
});

test('an open label tells so many values apart as declared', () => {
  const registry = new MetricsRegistry();
  const labels = { cause: { valuesMax: 2 } };
  const counter = registry.counter({ name: 'findings_total', help, labels });
  for (const cause of ['a', 'b', 'c', 'a', 'd']) counter.add({ cause });
  assert.deepEqual(lines(registry), [
    'findings_total{cause="a"} 2',
    'findings_total{cause="b"} 1',
    'findings_total{cause="other"} 2',
  ]);
});

test('a metric never has more series than declared and one', () => {
  const registry = new MetricsRegistry();
  const labels = { cause: { valuesMax: 100 }, group: { valuesMax: 100 } };
  const declared = { name: 'findings_total', help, labels, seriesMax: 10 };
  const counter = registry.counter(declared);
  for (let n = 0; n < 1000; n++) counter.add({ cause: String(n % 40), group: String(n % 7) });
  assert.equal(lines(registry).length, 11);
  const other = /^findings_total\{cause="other",group="other"\} (\d+)$/m.exec(registry.text());
  const counted = /^rollcall_metrics_other_total\{metric="findings_total"\} (\d+)$/m;
  assert.deepEqual(counted.exec(registry.text())?.[1], other?.[1]);
  const sum = lines(registry).reduce((total, line) => total + Number(line.split(' ')[1]), 0);
  assert.equal(sum, 1000);
});

test('a cleared gauge tells values apart from the beginning', () => {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge({ name: 'g', help, labels: { group: { valuesMax: 1 } } });
  gauge.set(1, { group: 'a' });
  gauge.clear();
  gauge.set(2, { group: 'b' });
  assert.deepEqual(lines(registry), ['g{group="b"} 2']);
});

test('combinations beyond the bound begin when they are seen', () => {
  const registry = new MetricsRegistry();
  registry.counter({ name: 'looks_total', help, labels: VERDICT, seriesMax: 1 });
  assert.deepEqual(lines(registry), []);
});

test('values that a key could mix up have their own series', () => {
  const registry = new MetricsRegistry();
  const labels = { a: { valuesMax: 9 }, b: { valuesMax: 9 } };
  const gauge = registry.gauge({ name: 'g', help, labels });
  gauge.set(1, { a: 'x","y', b: 'z' });
  gauge.set(2, { a: 'x', b: 'y","z' });
  assert.equal(lines(registry).length, 2);
});

test('wrong labels and numbers are bugs', () => {
  const registry = new MetricsRegistry();
  const counter = registry.counter({ name: 'looks_total', help, labels: VERDICT });
  const histogram = registry.histogram({ name: 'run_seconds', help, buckets: [1] });
  const wrong = [
    () => counter.add(),
    () => counter.add({ node: 'a' }),
    () => counter.add({ verdict: 'usable', node: 'a' }),
    () => counter.add({ verdict: 'usable' }, -1),
    () => counter.add({ verdict: 'usable' }, NaN),
    () => histogram.observe(NaN),
    () => registry.gauge({ name: 'run_seconds', help }),
    () => registry.histogram({ name: 'b_seconds', help, buckets: [] }),
    () => registry.histogram({ name: 'b_seconds', help, buckets: [2, 1] }),
    () => registry.histogram({ name: 'b_seconds', help, buckets: [1, Infinity] }),
  ];
  for (const call of wrong) assert.throws(call, RangeError, String(call));
});

const REFUSED: readonly (readonly [string, MetricType, RegExp])[] = [
  ['Looks_total', 'counter', /small letters/],
  ['looks', 'counter', /a counter ends in _total/],
  ['looks_total', 'gauge', /only a counter/],
  ['looks_count', 'gauge', /belongs to the series of a histogram/],
  ['run', 'histogram', /ends in its base unit/],
  ['age_ms', 'gauge', /base units/],
  ['waited_minutes_total', 'counter', /base units/],
];

test('names against the conventions are refused', () => {
  for (const [name, type, why] of REFUSED)
    assert.throws(() => checkDeclaration({ name, help }, type), why, name);
  checkDeclaration({ name: 'rollcall_run_seconds', help }, 'histogram');
  checkDeclaration({ name: 'cpu_seconds_total', help }, 'counter');
});

test('labels that would name single objects are refused', () => {
  for (const label of ['node', 'pod', 'instance_id', 'uid', 'le', '__name__', 'A'])
    assert.throws(
      () => checkDeclaration({ name: 'a', help, labels: { [label]: ['x'] } }, 'gauge'),
      /label/,
      label,
    );
});
