import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reporterOf } from './reporter.ts';
import { agoIn, parseAgeMs, parseWhen } from './timestamps.ts';

const FULL: readonly (readonly [string, string])[] = [
  ['2018-09-11T07:28:11Z [DEBUG] Found eni', '2018-09-11T07:28:11Z'],
  ['2024-08-28 19:55:32,448 - url_helper.py[DEBUG]: Read', '2024-08-28T19:55:32.448Z'],
  ['2023-04-18T10:20:12+0000 [eks-bootstrap] INFO: starting', '2023-04-18T10:20:12Z'],
  ['2023-04-18T12:20:12+02:00 host kubelet[1]: x', '2023-04-18T10:20:12Z'],
  ['{"level":"info","ts":"2022-01-19T15:36:50.585Z","msg":"x"}', '2022-01-19T15:36:50.585Z'],
  ['{"level":"info","ts":1724872350.5,"msg":"x"}', '2024-08-28T19:12:30.500Z'],
  ['time="2021-05-11T06:00:01Z" level=error msg="x"', '2021-05-11T06:00:01Z'],
  ['[2021-05-08 12:31:58] I0508 12:31:58.282533    2583 join.go:465] x', '2021-05-08T12:31:58Z'],
  ['LastHeartbeat Thu, 02 Apr 2020 11:02:38 +0000', '2020-04-02T11:02:38Z'],
  ['Jan 03 2024 11:02:38 host kubelet[1]: x', '2024-01-03T11:02:38Z'],
];

const YEARLESS: readonly (readonly [string, number])[] = [
  [
    'Jun 06 19:42:03 host kubelet[1]: I0606 19:42:03.796478 3214 x.go:1] y',
    Date.UTC(2000, 5, 6, 19, 42, 3),
  ],
  ['I0719 02:42:59.500000    9662 manager.go:946] x', Date.UTC(2000, 6, 19, 2, 42, 59, 500)],
  ['<13>Aug  7 07:44:02 user-data: x', Date.UTC(2000, 7, 7, 7, 44, 2)],
];

describe('stamps of log lines', () => {
  for (const [line, iso] of FULL) {
    test(line.slice(0, 40), () => {
      const when = parseWhen(line);
      assert.equal(when?.yearless, false);
      assert.equal(when.ms, Date.parse(iso));
    });
  }

  for (const [line, ms] of YEARLESS) {
    test(`${line.slice(0, 30)} has no year`, () => {
      assert.deepEqual(parseWhen(line), { ms, yearless: true, clock: 'utc', isLocal: true });
    });
  }

  test('a line without a stamp has no moment', () => {
    assert.equal(parseWhen('Error from server (NotFound): nodes "x" not found'), null);
  });
});

describe('ages', () => {
  for (const [text, ms] of [
    ['2d4h', 187_200_000],
    ['5m3s', 303_000],
    ['118s', 118_000],
    ['<1s', 0],
    ['3y12d', 365 * 86_400_000],
  ] as const) {
    test(text, () => assert.equal(parseAgeMs(text), ms));
  }

  test('other words do not count as ages', () => {
    for (const text of ['', '<unknown>', 'Running', '5', 'm5'])
      assert.equal(parseAgeMs(text), null, text);
  });
});

const WITH_YEAR = [
  ['2026-11-22T10:00:00+0130 x', '2026-11-22T08:30:00Z'],
  ['2026-11-22T10:00:00-01:30 x', '2026-11-22T11:30:00Z'],
  ['2026/11/22 10:00:00 UTC x', '2026-11-22T10:00:00Z'],
  ['2026-11-22 10:00:00.123456789 Z', '2026-11-22T10:00:00.123Z'],
  ['Nov 22 2026 10:00:00.250 h x: y', '2026-11-22T10:00:00.250Z'],
  ['Sun, 22 Nov 2026 10:00:00', '2026-11-22T10:00:00Z'],
  ['Sun, 22 Nov 2026 10:00:00 +0130', '2026-11-22T08:30:00Z'],
  ['Sun, 22 Nov 2026 10:00:00 -0130', '2026-11-22T11:30:00Z'],
  ['{"ts":1724872350}', '2024-08-28T19:12:30Z'],
  ['{"time": 1724872350.125,"a":1}', '2024-08-28T19:12:30.125Z'],
  ['{"timestamp":"1724872350"}', '2024-08-28T19:12:30Z'],
  ['{"__REALTIME_TIMESTAMP" : "1724872350000000"}', '2024-08-28T19:12:30Z'],
  ['{"__REALTIME_TIMESTAMP":"1724872350000000"}', '2024-08-28T19:12:30Z'],
] as const;

const LOCAL_OR_NOT = [
  ['2026-11-22T10:00:00Z', undefined],
  ['2026-11-22T10:00:00+00:00', undefined],
  ['2026-11-22 10:00:00 x', true],
  ['Nov 22 2026 10:00:00 h', true],
  ['I1122 10:00:00.5 1 x.go:1] y', true],
  ['Sun, 22 Nov 2026 10:00:00 +0000', undefined],
  ['{"ts":1724872350}', undefined],
] as const;

const WITHOUT_STAMP = [
  'xI1122 10:00:00.25 1',
  'h Nov 22 10:00:00 x',
  'Foo 22 10:00:00 h x: y',
  'Sun, 22 Foo 2026 10:00:00 +0000',
  '{"ts":17248723509}',
  '{"ats":1724872350}',
  '{"ts":1724872350',
  '{"ts":2724872350}',
  '{"__REALTIME_TIMESTAMP":"17248723500000001"}',
  '{"__REALTIME_TIMESTAMP":"x724872350000000"}',
  `${' '.repeat(400)}2026-11-22T10:00:00Z`,
  `${' '.repeat(400)}Sun, 22 Nov 2026 10:00:00 +0000`,
  `${' '.repeat(2000)}{"ts":1724872350}`,
];

const AGES = [
  ['0s', 0],
  ['1y', 365 * 86_400_000],
  ['10y', 365 * 86_400_000],
  ['5m3', null],
  ['x1y', null],
  ['1yx', null],
  ['1y2h', null],
] as const;

describe('forms of stamps', () => {
  const msOf = (line: string): number | undefined => parseWhen(line)?.ms;

  for (const [month, name] of 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
    .split(' ')
    .entries())
    test(`${name} is month ${month + 1}`, () => {
      assert.equal(msOf(`${name} 01 10:00:00 h x: y`), Date.UTC(2000, month, 1, 10));
      assert.equal(msOf(`x Sun, 01 ${name} 2026 10:00:00 +0000`), Date.UTC(2026, month, 1, 10));
    });

  for (const [line, iso] of WITH_YEAR)
    test(`${line} is ${iso}`, () => {
      assert.equal(Math.trunc(msOf(line) ?? 0), Date.parse(iso));
      assert.equal(parseWhen(line)?.yearless, false);
      assert.equal(parseWhen(line)?.clock, 'utc');
    });

  for (const [line, isLocal] of LOCAL_OR_NOT)
    test(`${line} is ${isLocal ? 'a stamp without a zone' : 'certain'}`, () => {
      assert.equal(parseWhen(line)?.isLocal, isLocal);
    });

  for (const line of [
    'I1122 10:00:00.25 1 x.go:1] y',
    'h "I1122 10:00:00.25 1 x.go:1] y',
    'h I1122 10:00:00.25 1 x.go:1] y',
  ])
    test(`klog in ${line.slice(0, 10)} has fractions and no year`, () => {
      assert.equal(msOf(line), Date.UTC(2000, 10, 22, 10, 0, 0, 250));
      assert.equal(parseWhen(line)?.yearless, true);
    });

  for (const line of WITHOUT_STAMP)
    test(`${line.trim()} tells no time here`, () => assert.equal(parseWhen(line), null));

  test('the beginning of a line counts before what it quotes', () => {
    const quoted = `I1122 10:00:00.25 1 x.go:1] ${'.'.repeat(100)} 2026-01-01T00:00:00Z`;
    assert.equal(parseWhen(quoted)?.yearless, true);
    const far = `${'.'.repeat(300)} 2026-01-01T00:00:00Z`;
    assert.equal(msOf(far), Date.UTC(2026, 0, 1));
  });

  for (const [text, ms] of AGES) test(`the age ${text}`, () => assert.equal(parseAgeMs(text), ms));

  test('an age counts backwards from its dump', () => {
    assert.deepEqual(agoIn(3, 500), { ms: -500, yearless: false, clock: 'dump 3' });
  });
});

test('a row of events may name the kubelet that reported it', () => {
  const node = { kind: 'node', value: 'ip-10-0-1-2.ec2.internal' };
  assert.deepEqual(reporterOf('5m Warning x kubelet, ip-10-0-1-2.ec2.internal words'), node);
  for (const row of ['kubelet words', 'mykubelet, a', 'kubelet,a'])
    assert.equal(reporterOf(row), null);
});
