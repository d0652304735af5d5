import { inFile, type PlantedError } from './errors.ts';

const CLUSTER_CAPACITY = ['test/capacity/cluster.test.ts'];
const MACHINES = ['test/capacity/machines.test.ts'];

/** Errors in what is made of the facts for the arithmetic and for the names of machines. */
export const CAPACITY_ERRORS: readonly PlantedError[] = [
  ...inFile('src/capacity/cluster/nodes.ts', [
    [
      'a pod that has ended holds an address',
      "phase !== 'Succeeded' && phase !== 'Failed'",
      "phase !== 'Succeeded'",
      CLUSTER_CAPACITY,
    ],
    [
      'the label goes before the annotation of a Node',
      'const wanted = annotation ?? label;',
      'const wanted = label ?? annotation;',
      CLUSTER_CAPACITY,
    ],
  ]),
  ...inFile('src/capacity/cluster/cluster-capacity.ts', [
    [
      'a full subnet without Nodes is a trouble',
      'free === 0 && count > 0',
      'free === 0',
      CLUSTER_CAPACITY,
    ],
  ]),
  ...inFile('src/domain/naming/machines.ts', [
    [
      'a Node that names another instance is taken for its address',
      'if (named !== null) return named === id;',
      'if (named === id) return true;',
      MACHINES,
    ],
  ]),
];
