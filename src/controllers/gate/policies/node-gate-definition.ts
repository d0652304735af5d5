import type { JsonObject } from '../../../evidence/json.ts';
import { SLIP_INS_REPORTED, TAINT_EFFECTS } from '../policy.ts';
import { ADOPTABLE_TAINTS } from '../foreign-taints.ts';
import {
  ADOPTED_MAX,
  EVICTIONS_MAX,
  KUBELET_RESTARTS,
  NODE_GATES,
  SLIP_IN_MODES,
} from './node-gate.ts';
import {
  DAEMON_SET,
  described,
  duration,
  LABEL_KEY,
  METADATA,
  NODE_GATE_DEFAULTS,
  NODE_GATE_LIMITS,
  OBJECT_NAME,
  objectOf,
  REGRESS_TAINT,
  type Rule,
  SELECTOR,
  STATUSES,
  TAINT,
} from './node-gate-schema.ts';

/** The kinds of proofs, by their fields. */
const PROOFS = {
  daemonSet: described(
    DAEMON_SET,
    'Its Pod on the node is ready; a DaemonSet that is missing proves nothing.',
  ),
  condition: described(
    objectOf(
      {
        type: { ...LABEL_KEY },
        status: { ...STATUSES, default: NODE_GATE_DEFAULTS.conditionStatus },
        whenMissing: described(
          STATUSES,
          'What a node without the condition counts as; without this field it proves nothing.',
        ),
      },
      ['type'],
    ),
    'A condition of the Node has this status.',
  ),
  csiDriver: described(
    objectOf({ name: OBJECT_NAME }, ['name']),
    "The node's CSINode lists the driver.",
  ),
  label: described(METADATA, 'The Node has this label; any value where none is given.'),
  annotation: described(METADATA, 'The Node has this annotation; any value where none is given.'),
  resource: described(
    objectOf({ name: LABEL_KEY }, ['name']),
    'The Node has some of it allocatable.',
  ),
} satisfies Readonly<Record<string, JsonObject>>;

/** The fields of `spec.proofs[]`, of which each entry has exactly one. */
export const PROOF_FIELDS: readonly (keyof typeof PROOFS)[] = [
  'daemonSet',
  'condition',
  'csiDriver',
  'label',
  'annotation',
  'resource',
];

const IS_ONE_PROOF = PROOF_FIELDS.map((field) => `(has(self.${field}) ? 1 : 0)`).join(' + ');

const PROOF_LIST = {
  type: 'array',
  minItems: 1,
  maxItems: NODE_GATE_LIMITS.proofs,
  description: 'What must be true of a node before it opens.',
  'x-kubernetes-list-type': 'atomic',
  items: objectOf(
    PROOFS,
    [],
    [
      {
        rule: `${IS_ONE_PROOF} == 1`,
        message: `each proof has exactly one of ${PROOF_FIELDS.join(', ')}`,
      },
    ],
  ),
};

const REGRESS = described(
  objectOf(
    {
      taint: REGRESS_TAINT,
      after: duration('How long a proof must be lost before the node is shut again.', {
        default: NODE_GATE_DEFAULTS.regressAfter,
      }),
      maxPercent: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        default: NODE_GATE_DEFAULTS.regressMaxPercent,
        description: 'At most this share of the selected nodes is shut again at once.',
      },
      kubeletRestart: {
        type: 'string',
        enum: [...KUBELET_RESTARTS],
        default: NODE_GATE_DEFAULTS.kubeletRestart,
        description:
          'Whether a restart of the kubelet shuts an opened node until everything is proven again; shut also asks for the condition rollcall.dev/KubeletRuns of the agent.',
      },
    },
    [],
  ),
  'How a node that was opened is shut again when it loses a proof.',
);

const ANNOTATIONS = {
  type: 'array',
  maxItems: NODE_GATE_LIMITS.annotations,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['key'],
  description:
    'Written when the node opens, with the time where no value is given; one that is there stays.',
  items: objectOf({ key: LABEL_KEY, value: { type: 'string', maxLength: 512 } }, ['key']),
};

function evictions(description: string, usual: number): JsonObject {
  return { type: 'integer', minimum: 1, maximum: EVICTIONS_MAX, default: usual, description };
}

const SLIP_INS = described(
  objectOf(
    {
      mode: {
        type: 'string',
        enum: [...SLIP_IN_MODES],
        default: SLIP_INS_REPORTED.mode,
        description: 'Whether they are looked for, told of, and evicted.',
      },
      perHour: evictions('At most so many evictions an hour.', SLIP_INS_REPORTED.perHour),
      perWorkload: evictions(
        'At most so many evictions of one workload an hour.',
        SLIP_INS_REPORTED.perWorkload,
      ),
    },
    [],
  ),
  'Pods that came to a node before the gate opened it, without tolerating its taint.',
);

const ADOPTED_TAINTS = {
  type: 'array',
  maxItems: ADOPTED_MAX,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['key', 'effect'],
  description:
    'Startup taints of other programs that go once no DaemonSet of their owner has existed for the dwell.',
  items: objectOf(
    {
      key: { type: 'string', enum: [...ADOPTABLE_TAINTS] },
      effect: { type: 'string', enum: [...TAINT_EFFECTS] },
    },
    ['key', 'effect'],
  ),
};

const SPEC_RULES: readonly Rule[] = [
  {
    rule: '!has(self.regress) || !has(self.regress.taint) || self.regress.taint.key != self.taint.key',
    message: 'regress.taint needs another key than taint',
  },
  {
    rule: "self.mode == 'bootstrap-only' || !has(self.completedBy)",
    message: 'completedBy needs mode bootstrap-only',
  },
  {
    rule: 'duration(self.expiry) > duration(self.dwell)',
    message: 'expiry must be longer than dwell',
  },
  {
    rule: "!has(self.regress) || !has(self.regress.kubeletRestart) || self.regress.kubeletRestart == 'ignore' || (self.mode == 'continuous' && self.boundToBoot && self.proofPolicy == 'All')",
    message:
      'regress.kubeletRestart shut needs mode continuous, boundToBoot true and proofPolicy All',
  },
];

const SPEC = objectOf(
  {
    nodeSelector: SELECTOR,
    placedBy: described(
      DAEMON_SET,
      'Only nodes on which this DaemonSet would be placed; every node while it is missing.',
    ),
    taint: TAINT,
    proofs: PROOF_LIST,
    proofPolicy: {
      type: 'string',
      enum: ['All', 'Any'],
      default: NODE_GATE_DEFAULTS.proofPolicy,
      description: 'Whether every proof is needed or one is enough.',
    },
    dwell: duration('How long the proofs must hold without interruption before the node opens.', {
      default: NODE_GATE_DEFAULTS.dwell,
    }),
    freshness: duration('A condition whose last heartbeat is older proves nothing.'),
    mode: {
      type: 'string',
      enum: ['bootstrap-only', 'continuous'],
      default: NODE_GATE_DEFAULTS.mode,
      description:
        'Whether an opened node stays open for this boot or is shut again when it loses a proof.',
    },
    boundToBoot: {
      type: 'boolean',
      default: NODE_GATE_DEFAULTS.boundToBoot,
      description:
        "Whether proofs must be of the node's present boot, and a reboot shuts it again.",
    },
    regress: REGRESS,
    expiry: duration('A node that is still shut after this time is reported; it is never opened.', {
      default: NODE_GATE_DEFAULTS.expiry,
    }),
    dryRun: {
      type: 'boolean',
      default: NODE_GATE_DEFAULTS.dryRun,
      description: 'Whether to report what would be done and change no node.',
    },
    openingAnnotations: ANNOTATIONS,
    completedBy: {
      type: 'array',
      maxItems: NODE_GATE_LIMITS.annotations,
      'x-kubernetes-list-type': 'set',
      description: 'Annotations that say, by being there, that the gate is done with a node.',
      items: LABEL_KEY,
    },
    slipIns: SLIP_INS,
    adoptTaints: ADOPTED_TAINTS,
  },
  ['nodeSelector', 'taint', 'proofs'],
  SPEC_RULES,
);

const COUNT = { type: 'integer', format: 'int64', minimum: 0 };
const CONDITION = objectOf(
  {
    type: { type: 'string', maxLength: 316 },
    status: STATUSES,
    observedGeneration: COUNT,
    lastTransitionTime: { type: 'string', format: 'date-time' },
    reason: { type: 'string', maxLength: 1024 },
    message: { type: 'string', maxLength: 32_768 },
  },
  ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
);

const STATUS = objectOf(
  {
    observedGeneration: COUNT,
    conditions: {
      type: 'array',
      maxItems: 8,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: CONDITION,
    },
    nodes: described(
      objectOf({ selected: COUNT, held: COUNT, expired: COUNT, notEnforced: COUNT }, []),
      'How many nodes the gate selects, holds shut, holds for longer than expiry, and found without the taint they should have registered with.',
    ),
  },
  [],
);

function column(name: string, jsonPath: string, type = 'string'): JsonObject {
  return { name, type, jsonPath };
}

function served(): JsonObject {
  return {
    name: NODE_GATES.version,
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [
      column('Mode', '.spec.mode'),
      column('Taint', '.spec.taint.key'),
      column('Effect', '.spec.taint.effect'),
      column('Accepted', '.status.conditions[?(@.type=="Accepted")].status'),
      column('Selected', '.status.nodes.selected', 'integer'),
      column('Held', '.status.nodes.held', 'integer'),
      column('DryRun', '.spec.dryRun', 'boolean'),
      column('Age', '.metadata.creationTimestamp', 'date'),
    ],
    schema: {
      openAPIV3Schema: objectOf({ spec: SPEC, status: STATUS }, ['spec']),
    },
  };
}

/** The kind NodeGate as an API server is told of it. */
export function nodeGateDefinition(): JsonObject {
  const { group, plural, kind } = NODE_GATES;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [served()],
    },
  };
}
