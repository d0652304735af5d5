import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clocksSaid, speaksOfClock } from './host-clock.ts';

const CHRONY = `Reference ID    : A9FEA97B (169.254.169.123)
Stratum         : 4
Ref time (UTC)  : Tue May 14 06:02:11 2024
System time     : 312.000123 seconds slow of NTP time
Last offset     : +0.000021004 seconds
RMS offset      : 0.000034021 seconds
Frequency       : 2.711 ppm fast
Residual freq   : +0.002 ppm
Skew            : 0.061 ppm
Root delay      : 0.000412310 seconds
Root dispersion : 0.000211871 seconds
Update interval : 64.9 seconds
Leap status     : Normal`;

const TIMEDATECTL = `               Local time: Tue 2024-05-14 08:02:11 CEST
           Universal time: Tue 2024-05-14 06:02:11 UTC
                 RTC time: Tue 2024-05-14 06:07:23
                Time zone: Europe/Berlin (CEST, +0200)
System clock synchronized: no
              NTP service: active
          RTC in local TZ: no`;

const timesync = (offset: string): string => `       Server: 169.254.169.123 (169.254.169.123)
Poll interval: 34min 8s (min: 32s; max 34min 8s)
         Leap: normal
      Version: 4
      Stratum: 3
    Reference: A9FEA97A
    Precision: 1us (-24)
Root distance: 640us (max: 5s)
       Offset: ${offset}
        Delay: 583us
       Jitter: 1.2ms
 Packet count: 60
    Frequency: -4.512ppm`;

const ntpq = (
  mark: string,
): string => `     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
 198.51.100.7    .INIT.          16 u    - 1024    0    0.000    0.000   0.000
${mark}169.254.169.123 .GPS.            3 u   12   64  377    0.312  4021.512   0.051`;

const probe = (seconds: string): string =>
  `2024-05-14T06:02:11.004Z ip-10-0-31-7.ec2.internal rollcall: https://10.0.1.10:6443: its clock minus this machine's is ${seconds} s`;

function said(text: string): readonly (readonly [number | null, boolean | null, string])[] {
  return [...clocksSaid(text.split('\n'))].map(({ value, by }) => [
    value.aheadMs === null ? null : Math.round(value.aheadMs * 1000) / 1000,
    value.isSynchronised,
    by,
  ]);
}

describe('what a machine says of its clock', () => {
  for (const [name, text, expected] of [
    ['slow is behind', CHRONY, [-312_000.123, true, 'chronyc tracking']],
    [
      'fast is ahead',
      CHRONY.replace('slow of', 'fast of'),
      [312_000.123, true, 'chronyc tracking'],
    ],
    [
      'zero before the first measurement is no measurement',
      CHRONY.replace('312.000123', '0.000000000').replace('Normal', 'Not synchronised'),
      [null, false, 'chronyc tracking'],
    ],
    [
      'an error that was measured before the server was lost',
      CHRONY.replace('Normal', 'Not synchronised'),
      [-312_000.123, false, 'chronyc tracking'],
    ],
    ['timedatectl gives no amount', TIMEDATECTL, [null, false, 'timedatectl']],
    [
      'an old timedatectl',
      'NTP enabled: yes\nNTP synchronized: yes\n RTC in local TZ: no',
      [null, true, 'timedatectl'],
    ],
    ['a server that is ahead', timesync('+1.2ms'), [-1.2, true, 'timedatectl timesync-status']],
    ['a server that is behind', timesync('-640us'), [0.64, true, 'timedatectl timesync-status']],
    [
      'an offset that was stepped away',
      timesync('+5min 12.004s'),
      [null, true, 'timedatectl timesync-status'],
    ],
    ['the server that ntpd follows', ntpq('*'), [-4021.512, true, 'ntpq -p']],
    ['ntpd follows none', ntpq(' '), [null, false, 'ntpq -p']],
    [
      'ntpstat',
      'unsynchronised\n  time server re-starting\n   polling server every 8 s',
      [null, false, 'ntpstat'],
    ],
    ['a server behind this machine', probe('-312.0'), [312_000, null, 'rollcall probe']],
    ['what an HTTP date can tell', probe('1.3'), [0, null, 'rollcall probe']],
  ] as const) {
    test(name, () => assert.deepEqual(said(text), [expected]));
  }

  test('past offsets, other offsets and words of logs do not count as a clock', () => {
    const lines = [
      'Last offset     : -312.000021004 seconds',
      'RMS offset      : 312.000034021 seconds',
      '       Offset: +312s',
      'unsynchronised writes to the disk',
      'note: System time     : 312.000123 seconds slow of NTP time',
    ];
    assert.deepEqual(said(lines.join('\n')), []);
  });

  test('the probe names its machine on each line', () => {
    const [first, second] = [...clocksSaid([...CHRONY.split('\n'), probe('-312.0')])];
    assert.deepEqual([first?.line, first?.about], [4, null]);
    assert.deepEqual([second?.line, second?.about?.value], [14, 'ip-10-0-31-7.ec2.internal']);
  });
});

/** Texts of one clock each, with its error and whether it is kept right. */
const CLOCKS: readonly (readonly [
  text: string,
  aheadMs: number | null,
  isSynchronised: boolean | null,
])[] = [
  ['System time     : 0.000000000 seconds fast of NTP time\nLeap status     : Normal', 0, true],
  ['System time     : 1.5 seconds fast of NTP time', 1500, null],
  [
    `System time     : 1.5 seconds fast of NTP time\n${'x\n'.repeat(10)}Leap status     : Normal  `,
    1500,
    true,
  ],
  [
    `System time     : 1.5 seconds fast of NTP time\n${'x\n'.repeat(11)}Leap status     : Normal`,
    1500,
    null,
  ],
  ['NTPSynchronized=yes', null, true],
  ['  System clock synchronized: no ', null, false],
  [timesync('+1us'), -0.001, true],
  [timesync('-399ms'), 399, true],
  [timesync('+400ms'), null, true],
  [timesync('+0.3s'), -300, true],
  [timesync('-1min'), null, true],
  [timesync('-1h'), null, true],
  [timesync('-1d'), null, true],
  [timesync('+1ms 500us'), -1.5, true],
  [ntpq('o'), -4021.512, true],
  [ntpq('*').replace('4021.512', '-4021.512'), 4021.512, true],
  [ntpq('*').replace('4021.512', '+1'), -1, true],
  [ntpq('*').replace('jitter', 'disp'), -4021.512, true],
  [ntpq('*').replace('====', '\n===='), null, false],
  [ntpq('* '), null, false],
  ['synchronised to NTP server\n  a\n  b\n   polling server every 8 s', null, true],
  [probe('1.9'), 0, null],
  [probe('-1.9'), 0, null],
  [probe('2.0'), -2000, null],
  [probe('2.0').replace('rollcall:', 'rollcall[7]:'), -2000, null],
];

const NO_CLOCKS: readonly string[] = [
  'System time     : 1.5 seconds off NTP time',
  'System time     : 1.5 seconds fast of NTP time today',
  'x System clock synchronized: no',
  'System clock synchronized: maybe',
  timesync('1ms'),
  timesync('+1'),
  timesync('+1ms').replace('Root distance', 'Distance'),
  timesync('+1ms').replace('Root distance: 640us (max: 5s)', 'Root distance: 640us\na\nb\nc'),
  ntpq('*').replace('4021.512', '4021.512x'),
  ntpq('*').replace(/\s+4021\.512\s+0\.051/, ''),
  'x     remote           refid      st t when poll reach   delay   offset  jitter',
  'synchronised to NTP server\n  a\n  b\n  c\n   polling server every 8 s',
  'not synchronised\n   polling server every 8 s',
  'synchronisedly\n   polling server every 8 s',
  probe('2'),
  probe('2.0').replace('rollcall:', 'myrollcall:'),
  `${probe('2.0')} x`,
];

describe('each form of a clock', () => {
  for (const [text, aheadMs, isSynchronised] of CLOCKS)
    test(text.slice(0, 300).replaceAll(/\s+/g, ' ').slice(-80), () => {
      const [one, ...more] = said(text);
      assert.deepEqual(one?.slice(0, 2), [aheadMs, isSynchronised]);
      assert.deepEqual(more, []);
      assert.equal(speaksOfClock(text), true);
    });

  for (const text of NO_CLOCKS)
    test(`none in ${text.replaceAll(/\s+/g, ' ').slice(-80)}`, () =>
      assert.deepEqual(said(text), []));

  test('a probe without a host is of no machine', () => {
    const [one] = clocksSaid(["rollcall: x: its clock minus this machine's is 2.0 s"]);
    assert.equal(one?.about, null);
  });

  test('other texts have no clock', () => {
    for (const text of ['', 'the time', 'NTP', 'Offset: +1s', 'it is'])
      assert.equal(speaksOfClock(text), false, text);
  });
});
