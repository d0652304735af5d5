import type { ChartPanel } from './race-chart.ts';
import type { Field, Tally } from './race-field.ts';
import { intervalOf } from './race-figures.ts';

export interface Measured {
  readonly field: Field;
  readonly tally: Tally;
}

type Asking = Pick<Field, 'controller' | 'askedBy'>;

function labelOf({ controller, askedBy }: Asking): string {
  return askedBy === 'id'
    ? `controller ${controller}, kubelet told its providerID`
    : `controller ${controller}, found by private DNS name`;
}

/** Each value once, in the order in which they came. */
function different<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

function sizesOf(measured: readonly Measured[]): readonly number[] {
  return different(measured.map(({ field }) => field.size));
}

function bootsOf(measured: readonly Measured[]): readonly number[] {
  return different(measured.map(({ field }) => field.bootS));
}

/** What was measured for one way of asking, by its words. */
function byLabel(measured: readonly Measured[]): ReadonlyMap<string, readonly Measured[]> {
  const labels = different(measured.map(({ field }) => labelOf(field)));
  return new Map(
    labels.map((label) => [label, measured.filter(({ field }) => labelOf(field) === label)]),
  );
}

function ofSize(measured: readonly Measured[], size: number): readonly Measured[] {
  return measured.filter(({ field }) => field.size === size);
}

/** A frame for each number of machines. */
export function chartPanels(measured: readonly Measured[]): readonly ChartPanel[] {
  return sizesOf(measured).map((size) => ({
    title: `${size} machines join at once`,
    lines: [...byLabel(ofSize(measured, size))].map(([label, some]) => ({
      label,
      points: some.map(({ field, tally: { lost, machines } }) => ({
        bootS: field.bootS,
        share: lost / machines,
        interval: intervalOf(lost, machines),
      })),
    })),
  }));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** `76 % (300 of 394)` */
function countText(hits: number, of: number): string {
  return of === 0 ? 'none' : `${Math.round((100 * hits) / of)} % (${hits} of ${of})`;
}

/** `1.5 % (1.1 to 2.0)` */
function shareText(hits: number, of: number): string {
  const { low, high } = intervalOf(hits, of);
  const exact = (share: number): string => (share * 100).toFixed(1);
  return `${exact(hits / of)} % (${exact(low)} to ${exact(high)})`;
}

function rateTable(measured: readonly Measured[]): string {
  const rows = sizesOf(measured).flatMap((size) =>
    [...byLabel(ofSize(measured, size))].map(([label, some]) => [
      String(size),
      label,
      ...some.map(({ tally }) => shareText(tally.lost, tally.machines)),
    ]),
  );
  const boots = bootsOf(measured).map((bootS) => `${bootS} s`);
  return table(['machines', 'the cloud controller', ...boots], rows);
}

function sum(measured: readonly Measured[], of: (tally: Tally) => number): number {
  return measured.reduce((total, { tally }) => total + of(tally), 0);
}

/** 1.30 to 1.34 never delete what they do not find by name: nothing to be lost there. */
function isDangerous({ field }: Measured): boolean {
  return field.askedBy === 'id' || field.controller !== '1.34';
}

function causeTable(measured: readonly Measured[]): string {
  const rows = sizesOf(measured).flatMap((size) =>
    bootsOf(measured).map((bootS) => {
      const some = ofSize(measured, size).filter(
        (one) => one.field.bootS === bootS && isDangerous(one),
      );
      const [machines, early, lost] = [
        sum(some, (tally) => tally.machines),
        sum(some, (tally) => tally.early),
        sum(some, (tally) => tally.lost),
      ];
      const early100 = `${((100 * early) / machines).toFixed(1)} %`;
      return [String(size), `${bootS} s`, early100, countText(lost, early)];
    }),
  );
  const head = ['machines', 'boot', 'joined before EC2 showed them', 'of these, deleted'];
  return table(head, rows);
}

const WHAT = `# The race of the node that joined and was gone

A machine boots, \`kubeadm join\` says that it has joined, and seconds later its Node is deleted:
\`Deleting node … because it does not exist in the cloud provider\`, in the words of older releases
*not present according to cloud provider*. The kubelet registers once in its life and never comes
back by itself. Nothing is broken; two things ran a race:

- EC2 shows a new instance, and its private DNS name, some time after the launch: mostly within a
  second, now and then after a minute.
- The cloud controller asks EC2 about each Node that is not Ready, every 5 s. A new Node is not
  Ready until its pod network is there. What EC2 does not show then is deleted, without a grace.

![Share of Nodes deleted by boot time, for 3, 30 and 100 machines](race.svg)`;

const WHY = `## Why

**Fast machines lose more often** because they are asked about when they are younger. The delay of
EC2 does not depend on how fast the machine boots; a machine that needs a minute has used up most of
that delay before it has a Node to lose.

**Small clusters lose more often** because their turn comes sooner. The controller asks about one
Node after another, and an answer takes 60 ms, or 160 ms where it gathers questions first (the
releases from 1.30 on). With three new Nodes every one is asked about within 5 s. With a hundred that
join at once a round takes up to 16 s: many are shown by EC2, or are Ready and no longer asked about,
when their turn comes. The second table says the same: in each cluster about as many machines join
before EC2 shows them, and in the large one fewer of these are lost. So it is not the size that counts
but how many Nodes are not Ready at the same time; Ready ones cost the round nothing. Hence the
difference is large where machines boot fast and arrive together, is hardly to be seen from 60 s on,
where they arrive spread out, and is small with 1.29, whose round of a hundred takes 6 s.

**The release decides only where the kubelet was not told its providerID.** Then the Node is looked
up by its private DNS name. Up to 1.29 a name that is not found is deleted; from 1.30 to 1.34 it is
kept with its taint until EC2 shows it; 1.37 deletes again. By name more are lost than by id, as the
name is shown later than the instance. With a providerID all releases delete alike, as was seen on
1.33, 1.34 and 1.37: it makes the name right and does not end the race.

**What helps** follows: a Node that comes late, or a pod network that is ready at once, or a join that
counts as done only when the Node has stayed, and starts the kubelet again if it has not. The diagnosis
calls it \`node-deleted-as-not-in-cloud\` with the event as its proof; see
[the stories](stories.md).`;

const HONEST = `## What stands behind the figures, and what does not

- The world is the one of \`rollcall lab\`, a kubeadm cluster with calico; machines are launched
  together and join a control plane that is there. Every seed draws all of it anew; the delay of EC2
  hangs on seed and machine alone, so that all cells of one size have the same luck.
- EC2's delay is an assumption: log-normal with a median of 1 s and one in a hundred beyond 60 s, the
  name another 1 s (sigma 1.2) later. It is set by what people saw: new instances not found for up
  to a minute, names empty in the first seconds for a few in a hundred. Nobody has published a measured
  distribution, so the height of the curves is no prediction; their order and their direction are what
  the model says.
- The two shares that were reported, 5 of 500 Nodes and 1 of 50 Spot Instances, lie where machines
  boot in 15 to 60 s. The delay was set by the minute above and not fitted to them.
- That small clusters lose more was seen with old releases too. The model gives them less of it than
  there must have been; what else was at work there is not known.
- Not in it: machines of one wave that EC2 shows late together, a control plane that starts beside its
  nodes and holds up their join, throttled calls of a busy account (they keep a Node: an error is no
  absence), releases before 1.21, tags that come after the launch, and 1.35 and 1.36, which nobody here
  has seen run.
- A world in which EC2 shows every machine before half of the median boot time has nothing to lose
  and is counted without being played.`;

/** The page with the picture, the figures and what is behind them. */
export function racePage(measured: readonly Measured[], command: string): string {
  const machines = Math.max(...measured.map(({ tally }) => tally.machines));
  const figures = [
    '## Figures',
    `\`${command}\`, about ${machines} machines in each cell; in brackets the interval of 95 % (Wilson).`,
    rateTable(measured),
    'How it comes about, the three lines that lose Nodes taken together (they have the same luck in each world, so an interval would say too much):',
    causeTable(measured),
  ];
  return `${[WHAT, ...figures, WHY, HONEST].join('\n\n')}\n`;
}
