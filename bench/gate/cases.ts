/** What is measured of gates, and what other gates did on the same bench. */
import type { Report } from './driver.ts';

/** One run of the driver against one gate. */
export interface GateCase {
  readonly name: string;
  /** Besides those for the cluster, the taint and the process. */
  readonly flags: readonly string[];
  readonly daemonSets: number;
  readonly dwell: string;
  /** What happens to the gate in the middle: its connections fall silent, or it is killed. */
  readonly fault: 'none' | 'silence' | 'kill';
  /** What of it the floor, which checks nothing, can do too: it opens, or it shuts; null for neither. */
  readonly floor: 'opens' | 'shuts' | null;
  readonly lines: readonly GateLine[];
}

/** One line of the table. */
export interface GateLine {
  readonly what: string;
  readonly of: (report: Report) => string;
  /** As recorded on another day on a machine like this one. */
  readonly peers: string;
  readonly goal: string;
}

const LATENCY = (report: Report): string => {
  const { p50, p99 } = report.latencyMs?.fromProofSeen ?? {};
  return `${p50 ?? '-'} / ${p99 ?? '-'} ms`;
};

const REQUESTS = ({ requests }: Report): string => {
  const kinds = Object.entries(requests?.byKind ?? {})
    .filter(([kind]) => /^(create|patch|update|get) (nodes|events)/.test(kind))
    .map(([kind, count]) => `${count} ${kind}`);
  return kinds.join(', ') || 'none';
};

function usedAt(report: Report, label: string): Report['resources'][number] | undefined {
  return report.resources.find((one) => one.label === label);
}

const RSS = (report: Report): string => {
  const settled = usedAt(report, 'settled');
  return `${settled?.rssMiB ?? '-'} MiB, peak ${settled?.peakMiB ?? '-'}`;
};

const PROCESSOR = (report: Report): string => {
  const [before, start, after] = ['setup', 'start', 'settled'].map(
    (at) => usedAt(report, at)?.cpuS,
  );
  if (before === undefined || start === undefined || after === undefined) return '-';
  const perThousand = (seconds: number): string => ((1_000 * seconds) / report.nodes).toFixed(2);
  return `${perThousand(after - before)} s (${perThousand(after - start)} s of it from the first proof on)`;
};

const OPENED = ({ everOpened, nodes }: Report): string => `${everOpened ?? '-'} of ${nodes}`;
const WORST = ({ latencyMs }: Report): string => `${latencyMs?.fromProofSeen.max ?? '-'} ms`;
const LISTS = ({ requestsFlipPhase }: Report): string => {
  const lists = Object.entries(requestsFlipPhase?.byKind ?? {}).filter(([kind]) =>
    kind.startsWith('list '),
  );
  return lists.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';
};

const SIMPLE = { daemonSets: 1, dwell: '0s', fault: 'none', floor: 'opens' } as const;
const ALONE = { ...SIMPLE, floor: null } as const;
const SHUTTING = { ...SIMPLE, floor: 'shuts' } as const;
const DWELLING = { ...ALONE, dwell: '5s' } as const;

/** In the order in which they run, the quick ones first. */
export const GATE_CASES: readonly GateCase[] = [
  {
    ...SIMPLE,
    name: 'one-by-one',
    flags: ['--mode', 'one-by-one', '--nodes', '100'],
    lines: [
      {
        what: 'last proof to taint gone, 100 nodes one by one, p50 / p99',
        of: LATENCY,
        peers: 'nidhogg 3.4 / 12.5, vigil 4.1 / 13.0, NRC 3.3 / 47.9',
        goal: '<= 1.3 x floor',
      },
    ],
  },
  {
    ...SIMPLE,
    name: '1000',
    flags: ['--mode', 'mass', '--nodes', '1000', '--window', '10'],
    lines: [
      {
        what: '1,000 nodes within 10 s, p50 / p99',
        of: LATENCY,
        peers: 'vigil 2.4 / 6.1, nidhogg 18,519 / 38,119, NRC 50,345 / 136,401',
        goal: 'p99 <= 10 ms',
      },
      {
        what: 'requests, 1,000 joins, one proof',
        of: REQUESTS,
        peers: 'nidhogg 2, vigil 3, NRC 6.2 for each join',
        goal: '1 patch, at most 1 report',
      },
      {
        what: 'processor seconds per 1,000 joins',
        of: PROCESSOR,
        peers: 'vigil 1.99, nidhogg 14.1, NRC 25.5',
        goal: '<= 1.8 s',
      },
      {
        what: 'RSS at 1,000 nodes',
        of: RSS,
        peers: 'vigil 56, nidhogg 75, NRC 92',
        goal: '<= 95 MB',
      },
    ],
  },
  {
    ...SIMPLE,
    name: 'three-proofs',
    daemonSets: 3,
    flags: ['--mode', 'mass', '--nodes', '100', '--window', '10'],
    lines: [
      {
        what: '100 nodes within 10 s, three proofs, p50 / p99',
        of: LATENCY,
        peers: 'vigil 3.2 / 8.3, nidhogg 25.9 / 171, NRC 106 / 363',
        goal: '',
      },
      {
        what: 'requests, 100 joins, three proofs',
        of: REQUESTS,
        peers: 'nidhogg 4.3, vigil 3, NRC 6.2 for each join',
        goal: '1 patch, at most 1 report',
      },
    ],
  },
  ...[50, 1000].map(
    (ms): GateCase => ({
      ...DWELLING,
      name: `flap-${ms}`,
      flags: ['--mode', 'flap', '--flap', String(ms), '--nodes', '20', '--hold', '10'],
      lines: [
        {
          what: `opened by a proof that held for ${ms} ms, default dwell`,
          of: OPENED,
          peers: 'nidhogg, vigil and NRC 20 of 20',
          goal: '0 of 20',
        },
      ],
    }),
  ),
  ...(['pod', 'daemonset'] as const).map(
    (missing): GateCase => ({
      ...ALONE,
      name: `without-${missing}`,
      flags: ['--mode', 'hold', '--without', missing, '--nodes', '20', '--hold', '10'],
      lines: [
        {
          what: `opened without the ${missing === 'pod' ? 'Pod' : 'DaemonSet'}`,
          of: OPENED,
          peers:
            missing === 'pod'
              ? 'vigil after 120 s, nidhogg none'
              : 'nidhogg and vigil 20 of 20 at once',
          goal: '0 of 20',
        },
      ],
    }),
  ),
  {
    ...SHUTTING,
    name: 'strip',
    flags: ['--mode', 'strip', '--nodes', '20', '--hold', '10'],
    lines: [
      {
        what: 'taint removed by somebody until it is back, p50 / max',
        of: ({ readdMs }) => `${readdMs?.p50 ?? '-'} / ${readdMs?.max ?? '-'} ms`,
        peers: 'NRC 163 / 272, nidhogg and vigil never',
        goal: '< 20 ms',
      },
    ],
  },
  {
    ...SHUTTING,
    name: 'born-without',
    flags: ['--mode', 'hold', '--no-pretaint', '--without', 'pod', '--nodes', '100', '--hold', '5'],
    lines: [
      {
        what: 'node born without the taint until it has it, p50 / max of 100 in a burst',
        of: ({ birthToClosedMs }) =>
          `${birthToClosedMs?.p50 ?? '-'} / ${birthToClosedMs?.max ?? '-'} ms`,
        peers: 'nidhogg 800 / 2,600, NRC 1,300 / 3,100, vigil never',
        goal: '< 50 ms',
      },
    ],
  },
  {
    ...ALONE,
    name: 'silence',
    fault: 'silence',
    flags: ['--mode', 'mass', '--nodes', '100', '--window', '10', '--timeout', '90'],
    lines: [
      {
        what: 'connections fall silent at half of 100 joins: the worst node',
        of: WORST,
        peers: 'nidhogg 47 s, vigil 46 s, NRC 48 s',
        goal: '< 5 s',
      },
      { what: 'lists that were read again for it', of: LISTS, peers: '', goal: 'none' },
    ],
  },
  {
    ...ALONE,
    name: 'kill',
    fault: 'kill',
    flags: ['--mode', 'mass', '--nodes', '100', '--window', '10', '--timeout', '90'],
    lines: [
      {
        what: 'kill -9 at half of 100 joins, started again at once: the worst node',
        of: WORST,
        peers: 'nidhogg 460, vigil 670, NRC 890 ms after the start, without a Lease',
        goal: '< 1 s',
      },
    ],
  },
  {
    ...SIMPLE,
    name: '5000',
    flags: ['--mode', 'mass', '--nodes', '5000', '--window', '30'],
    lines: [
      {
        what: '5,000 nodes within 30 s, p50 / p99',
        of: LATENCY,
        peers: 'vigil 57 / 2,978',
        goal: 'p99 <= 500 ms',
      },
      {
        what: 'processor seconds per 1,000 joins, at 5,000',
        of: PROCESSOR,
        peers: 'vigil 2.3',
        goal: '<= 1.8 s',
      },
      { what: 'RSS at 5,000 nodes', of: RSS, peers: 'vigil 131', goal: '<= 125 MB' },
    ],
  },
  {
    ...ALONE,
    name: '100000-pods',
    flags: ['--mode', 'mass', '--nodes', '1000', '--background', '99', '--window', '10'],
    lines: [{ what: 'RSS at 1,000 nodes and 100,000 Pods', of: RSS, peers: '', goal: '<= 150 MB' }],
  },
];
