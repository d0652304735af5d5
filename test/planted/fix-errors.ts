import { inFile, type PlantedError } from './errors.ts';

const MAP = ['test/controllers/fix/map.test.ts'];
const AUTH = ['test/controllers/fix/auth.test.ts'];
const MACHINE = ['test/controllers/fix/machine.test.ts'];
const EDIT = ['src/readers/kube/aws-auth-edit.test.ts'];

/** Errors in what repairs decide, write and take back. */
export const FIX_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/fix/auth/decide-map.ts', [
    ['an administrator becomes a node', 'mapped?.groups.includes(MASTERS) === true', 'false', MAP],
    ['groups of a hidden entry are lost', '...(mapped?.groups ?? [])', '', MAP],
    [
      'a role is mapped again and again',
      'if (mapped !== null && covers(',
      'if (false && covers(',
      MAP,
    ],
  ]),
  ...inFile('src/controllers/fix/auth/config-map.ts', [
    [
      'a map that cannot be read is a missing one',
      "error instanceof PortError && error.failure === 'not-found'",
      'error instanceof PortError',
      MAP,
    ],
  ]),
  ...inFile('src/controllers/fix/auth/fix-map.ts', [
    ['a newer version is overwritten', "requires: 'same-version'", "requires: 'same-object'", MAP],
    [
      'what others overwrite is done',
      'if (entry !== null && covers(entry, mapping))',
      'if (true)',
      MAP,
    ],
  ]),
  ...inFile('src/controllers/fix/auth/node-mapping.ts', [
    [
      'the path of a role stays',
      ':role/${name}`, name',
      ':role/${parts["path"]}${name}`, name',
      MAP,
    ],
    ['patterns are roles', "arn.includes('*')", 'false', MAP],
  ]),
  ...inFile('src/controllers/fix/auth/decide-entry.ts', [
    ['any type of entry will do', 'if (found === wanted)', 'if (found !== null)', AUTH],
    ['the mode does not matter', 'if (isRead(known, place))', 'if (true)', AUTH],
    ['Auto Mode needs no policy', "if (type !== 'auto') return null;", 'return null;', AUTH],
  ]),
  ...inFile('src/controllers/fix/auth/fix-auth.ts', [
    ['another cluster is changed', 'if (isAnother(kube.server, endpoint))', 'if (false)', AUTH],
  ]),
  ...inFile('src/controllers/fix/machine/hop-limit.ts', [
    [
      'a limit of others is set back',
      'wanted.from !== null && hops !== wanted.from',
      'false',
      MACHINE,
    ],
  ]),
  ...inFile('src/controllers/fix/machine/startup-taint.ts', [
    ['taints of Kubernetes go', '!isOfKubernetes && ', '', MACHINE],
    [
      'a taint is put on another Node',
      "textAt(node, 'metadata.uid') !== textAt(note, 'uid')",
      'false',
      MACHINE,
    ],
  ]),
  ...inFile('src/readers/kube/aws-auth-edit.ts', [
    ['an edit is not read again', 'if (after.ok && isEqual(', 'if (after.ok || isEqual(', EDIT],
    [
      'more than the entry goes',
      'list.length === before.list.length - 1 && isOneLess',
      'true',
      EDIT,
    ],
  ]),
];
