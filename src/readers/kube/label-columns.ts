/** A column of a table that shows a label. */
export interface LabelColumn {
  readonly title: string;
  readonly key: string;
  /** True where the command names the label, so that an empty cell is one that is not there. */
  readonly isAsked: boolean;
}

/** Labels that people ask for, by the title that kubectl makes of them. */
const COMMON = new Map(
  [
    'topology.kubernetes.io/zone',
    'topology.kubernetes.io/region',
    'node.kubernetes.io/instance-type',
    'kubernetes.io/arch',
    'kubernetes.io/os',
    'kubernetes.io/hostname',
    'eks.amazonaws.com/capacityType',
    'eks.amazonaws.com/nodegroup',
    'karpenter.sh/capacity-type',
    'karpenter.sh/nodepool',
    'vpc.amazonaws.com/has-trunk-attached',
  ].map((key) => [titleOf(key), key]),
);

const ASKED = /\s(?:-L|--label-columns)(?:=|\s{0,3})([\w./,-]{1,600})/g;

/** What kubectl puts above the column of a label. */
function titleOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).toUpperCase();
}

function askedIn(command: string): ReadonlyMap<string, string> {
  const keys = [...command.slice(0, 2000).matchAll(ASKED)].flatMap(([, list = '']) =>
    list.split(','),
  );
  return new Map(keys.map((key) => [titleOf(key), key]));
}

/** The columns of labels, by the command above the table or by titles that only they have. */
export function labelColumns(titles: readonly string[], above: string): readonly LabelColumn[] {
  const asked = askedIn(above);
  return [...Map.groupBy(titles, (title) => title)].flatMap(([title, { length }]) => {
    const key = asked.get(title) ?? COMMON.get(title);
    return key === undefined || length > 1 ? [] : [{ title, key, isAsked: asked.has(title) }];
  });
}
