import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zoneOffsetMs } from './zones.ts';

const HOUR_MS = 3_600_000;

function containerd(prefix: string, inner: string): string {
  return `${prefix} ip-10-0-1-2 containerd[811]: time="${inner}" level=info msg="stop pulling image"`;
}

const CASES: readonly (readonly [string, readonly string[], number | null])[] = [
  ['an hour ahead', [containerd('Jan 14 10:00:01', '2024-01-14T09:00:01.2Z')], HOUR_MS],
  ['behind', [containerd('Jul 14 04:00:01', '2023-07-14T09:00:00.9Z')], -5 * HOUR_MS],
  ['half an hour', [containerd('Jul 14 14:30:01', '2023-07-14T09:00:00Z')], 5.5 * HOUR_MS],
  ['UTC', [containerd('Mar  1 09:00:01', '2023-03-01T09:00:00Z')], 0],
  ['over midnight', [containerd('Mar  1 00:30:01', '2023-02-28T23:30:00Z')], HOUR_MS],
  ['over New Year', [containerd('Jan  1 00:30:01', '2023-12-31T23:30:00Z')], HOUR_MS],
  ['inner zone', [containerd('Jan 14 10:00:01', '2024-01-14T12:00:01+03:00')], HOUR_MS],
  [
    'ipamd JSON',
    ['Jan 14 10:00:01 ip-10-0-1-2 ipamd[9]: {"level":"info","ts":"2024-01-14T09:00:00.001Z"}'],
    HOUR_MS,
  ],
  ['inner zone behind', [containerd('Jan 14 10:00:01', '2024-01-14T07:30:01-01:30')], HOUR_MS],
  [
    'inner zone without a colon',
    [containerd('Jan 14 10:00:01', '2024-01-14T12:00:01+0300')],
    HOUR_MS,
  ],
  ['a priority', [containerd('<13>Jan 14 10:00:01', '2024-01-14T09:00:01Z')], HOUR_MS],
  ['JSON with a blank', ['Jan 14 10:00:01 h x[9]: {"time": "2024-01-14T09:00:00.001Z"}'], HOUR_MS],
  ['two minutes later', [containerd('Jan 14 10:02:00', '2024-01-14T09:00:00Z')], HOUR_MS],
  ['more than two minutes later', [containerd('Jan 14 10:02:01', '2024-01-14T09:00:00Z')], null],
  ['the furthest zone', [containerd('Jan 14 23:00:01', '2024-01-14T09:00:00Z')], 14 * HOUR_MS],
  ['further than any zone', [containerd('Jan 14 23:15:01', '2024-01-14T09:00:00Z')], null],
  ['before New Year', [containerd('Dec 31 22:30:01', '2024-01-01T00:30:00Z')], -2 * HOUR_MS],
  ['a stamp that is none', [containerd('Foo 14 10:00:01', '2024-01-14T09:00:01Z')], null],
  ['a quoted prefix', [containerd('x Jan 14 10:00:01', '2024-01-14T09:00:01Z')], null],
  [
    'zones that agree',
    [
      containerd('Jan 14 10:00:01', '2024-01-14T09:00:01Z'),
      'words',
      containerd('Jan 14 10:00:02', '2024-01-14T09:00:02Z'),
    ],
    HOUR_MS,
  ],
  ['timedatectl behind', ['Time zone: America/St_Johns (NST, -0330)'], -3.5 * HOUR_MS],
  ['timedatectl', ['                Time zone: Europe/Berlin (CET, +0100)'], HOUR_MS],
  [
    'no second stamp',
    ['Jan 14 10:00:01 ip-10-0-1-2 kubelet[7]: I0114 10:00:01.1 7 x.go:1] a'],
    null,
  ],
  ['another time quoted', [containerd('Jan 14 10:00:01', '2024-01-10T08:37:10Z')], null],
  [
    'zones that disagree',
    [
      containerd('Jan 14 10:00:01', '2024-01-14T09:00:01Z'),
      containerd('Jan 14 10:00:02', '2024-01-14T08:00:02Z'),
    ],
    null,
  ],
];

for (const [name, lines, expected] of CASES) {
  test(`the zone of a journal: ${name}`, () => {
    assert.equal(zoneOffsetMs(lines), expected);
  });
}
