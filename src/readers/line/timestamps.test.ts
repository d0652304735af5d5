import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAgeMs, parseWhen } from './timestamps.ts';

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
