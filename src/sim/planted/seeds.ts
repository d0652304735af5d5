/** A cheap run in which a planted bug is caught. */
export interface PlantedSeed {
  readonly id: string;
  readonly seed: number;
  readonly nodes: number;
  readonly hours: number;
  /** As `--faults` takes them; empty for none. */
  readonly faults: readonly string[];
  /** Faults that are left when the run is as small as it gets. */
  readonly left: number;
}

function row(
  id: string,
  [seed, nodes, hours]: readonly [number, number, number],
  faults: readonly string[],
  left: number,
): PlantedSeed {
  return { id, seed, nodes, hours, faults, left };
}

/** One for each bug that can be planted. */
export const PLANTED_SEEDS: readonly PlantedSeed[] = [
  row('P18', [8, 1, 0.3], ['F22'], 1),
  row('P19', [19, 1, 0.3], ['F07'], 1),
  row('P23', [23, 2, 0.3], ['F12'], 1),
  row('P24', [4, 1, 0.5], ['F38'], 1),
  row('P25', [539, 1, 0.3], ['F16', 'F38'], 2),
  row('P26', [1, 1, 0.1], [], 0),
  row('P38', [49, 2, 0.3], ['F52'], 1),
  row('P39', [1, 1, 0.1], [], 0),
  row('P40', [1, 3, 0.1], [], 0),
  row('P43', [18, 1, 0.1], [], 0),
  row('P44', [24, 1, 0.4], ['F47'], 0),
  row('P45', [7, 1, 0.5], ['F64'], 1),
  row('P46', [1, 3, 0.2], [], 0),
  row('P47', [1, 1, 0.1], [], 0),
];
