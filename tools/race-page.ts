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

Play it: \`rollcall lab joined-and-was-gone\`.

A machine boots, \`kubeadm join\` reports success, and seconds later its Node is deleted:
\`Deleting node … because it does not exist in the cloud provider\`, in older releases
*not present according to cloud provider*. The kubelet registers once per start and does not come
back by itself. Nothing is broken; two things race:

- EC2 shows a new instance and its private DNS name some time after the launch: mostly within 1 s,
  now and then after 1 min.
- The cloud controller asks EC2 every 5 s about each Node that is not Ready. A new Node is not
  Ready until its pod network is up. The controller deletes a Node that EC2 does not show, without
  a grace period.

![Share of Nodes deleted by boot time, for 3, 30 and 100 machines](race.svg)`;

const WHY = `## Why

**Fast machines lose more often** because the controller asks about them earlier. The EC2 delay does
not depend on the boot time; a machine that boots for 1 min has used up most of that delay before its
Node exists.

**Small clusters lose more often** because each Node's turn comes sooner. The controller asks about
one Node after another; an answer takes 60 ms, or 160 ms in releases from 1.30 on, which batch the
requests. With 3 new Nodes it asks about each within 5 s. With 100 that join at once a round takes up
to 16 s: by their turn EC2 shows many of them, or they are Ready and no longer checked. The second
table shows the same: about as many machines join before EC2 shows them, but in the large cluster
fewer of these are lost. So the number of Nodes that are not Ready at the same time counts, not the
cluster size; Ready Nodes cost the round nothing. The difference is large where machines boot fast
and arrive together, hardly visible from 60 s on, where they arrive spread out, and small with 1.29,
where a round of 100 takes 6 s.

**The release matters only if the kubelet has no providerID.** Then the controller looks the Node up
by its private DNS name. Up to 1.29 it deletes a Node whose name it does not find; from 1.30 to 1.34
it keeps the Node with its taint until EC2 shows it; 1.37 deletes again. More Nodes are lost by name
than by id, because the name appears later than the instance. With a providerID all releases delete
alike, as seen on 1.33, 1.34 and 1.37: it fixes the name but does not end the race.

**What helps:** a Node that comes late, a pod network that is up at once, or a join that is done only
when the Node has stayed, and that otherwise restarts the kubelet. Rollcall diagnoses it as
\`node-deleted-as-not-in-cloud\` with the event as its proof; see [the stories](stories.md).`;

const HONEST = `## What the figures rest on

- The simulated cluster is the one of \`rollcall lab\`: kubeadm with calico. Machines launch together
  and join a running control plane. Each seed draws everything again; the EC2 delay depends on seed
  and machine alone, so all cells of one size have the same luck.
- The EC2 delay is an assumption: log-normal with a median of 1 s and 1 in 100 beyond 60 s, the name
  another 1 s (sigma 1.2) later. It follows reports: new instances not found for up to 1 min, and
  empty names in the first seconds for a few in 100. No measured distribution is published, so the
  height of the curves predicts nothing; the model shows their order and direction.
- The two reported shares, 5 of 500 Nodes and 1 of 50 Spot Instances, lie where machines boot in
  15 to 60 s. The delay was set by the minute above and not fitted to them.
- Old releases also lost more Nodes in small clusters. The model shows less of this effect than was
  reported; the rest is unexplained.
- Not modeled: machines of one wave that EC2 shows late together, a control plane that starts with its
  nodes and delays their join, throttled calls of a busy account (they keep a Node: an error is not
  an absence), releases before 1.21, tags that come after the launch, and 1.35 and 1.36, which were
  not tested.
- A simulated cluster in which EC2 shows every machine before half of the median boot time has nothing
  to lose and is counted without being played.`;

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
