import { isObject, type Json, type JsonObject } from '../evidence/json.ts';
import { DEFAULT_PROBES, PROBE_NAMES } from '../domain/nodes/agent-probes.ts';
import { IDENTITY_WAYS } from '../domain/pods/identity.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';
const LIST_MAX = 64;

/** A field with its meaning, which is the comment in values.yaml too. */
function field(description: string, schema: JsonObject): JsonObject {
  return { description, ...schema };
}

function flag(description: string, isDefault: boolean): JsonObject {
  return field(description, { type: 'boolean', default: isDefault });
}

function group(description: string, properties: JsonObject): JsonObject {
  return { description, type: 'object', additionalProperties: false, properties };
}

/** Characters that have a meaning of their own nowhere on the way into a manifest. */
const PLAIN = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
const LABEL = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';
const KEY =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
const DNS = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const HOST = '^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]{1,5})?)$';
const IMAGE =
  '^[A-Za-z0-9]([-A-Za-z0-9._]*)(:[0-9]{1,5})?(/[A-Za-z0-9][-A-Za-z0-9._]*)*(:[A-Za-z0-9_][-A-Za-z0-9._]{0,127})?(@sha256:[0-9a-f]{64})?$';
const ARGUMENT = '^--[a-z][-a-z0-9]*(=[^\\x00-\\x1f\\x7f-\\x9f]*)?$';
const QUANTITY = '^[0-9]+([.][0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$';
const ROLE_ARN = '^(arn:aws[-a-z]*:iam::[0-9]{12}:role/[-A-Za-z0-9+=,.@_/]{1,576})?$';
const ROLE_NAME = '^[-A-Za-z0-9+=,.@_/]{0,576}$';
const AWS_NAME = '^([A-Za-z0-9][-A-Za-z0-9_]{0,99})?$';

function matching(pattern: string, most: number, initial?: string): JsonObject {
  const type = { type: 'string', pattern, maxLength: most };
  return initial === undefined ? type : { ...type, default: initial };
}

function listOf(items: JsonObject, initial: readonly Json[]): JsonObject {
  return { type: 'array', maxItems: LIST_MAX, items, default: [...initial] };
}

const QUANTITIES = {
  type: 'object',
  additionalProperties: matching(QUANTITY, 32),
  maxProperties: 16,
};

function resources(memory: string, limit: string, cpu: string): JsonObject {
  return field('Requests and limits of the container.', {
    type: 'object',
    additionalProperties: false,
    properties: {
      requests: { ...QUANTITIES, default: { cpu, memory } },
      limits: { ...QUANTITIES, default: { memory: limit } },
    },
  });
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const TOLERATION = {
  type: 'object',
  additionalProperties: false,
  properties: {
    key: matching(KEY, 317),
    operator: { type: 'string', enum: ['Exists', 'Equal'] },
    value: matching(LABEL, 63),
    effect: { type: 'string', enum: EFFECTS },
    tolerationSeconds: { type: 'integer', minimum: 0 },
  },
};

function placement(tolerations: readonly JsonObject[]): JsonObject {
  return {
    nodeSelector: field('Labels of the Nodes on which it may run.', {
      type: 'object',
      additionalProperties: matching(LABEL, 63),
      propertyNames: { pattern: KEY, maxLength: 317 },
      maxProperties: 32,
      default: {},
    }),
    tolerations: field('Taints beside which it may run.', listOf(TOLERATION, tolerations)),
  };
}

function replicas(initial: number): JsonObject {
  const type = { type: 'integer', minimum: 1, maximum: 16, default: initial };
  return field('How many run; one of them leads.', type);
}

const ARGS = field(
  'More options of the program, such as --dry-run or --log-format=json.',
  listOf(matching(ARGUMENT, 1024), []),
);

const ENVIRONMENT = field(
  'Variables of the program, such as ROLLCALL_WEBHOOK from a Secret.',
  listOf(
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: matching('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 128),
        value: matching(PLAIN, 4096),
        valueFrom: {
          type: 'object',
          additionalProperties: false,
          properties: {
            secretKeyRef: {
              type: 'object',
              additionalProperties: false,
              properties: {
                name: matching(DNS, 253),
                key: matching('^[-._A-Za-z0-9]+$', 253),
                optional: { type: 'boolean' },
              },
            },
          },
        },
      },
    },
    [],
  ),
);

const CONTROLLER = group('The roll call in the cluster: rollcall controller.', {
  enabled: flag('Install it.', true),
  replicas: replicas(1),
  reports: flag('Write a NodeReport for each machine.', true),
  events: flag('Write Events about Nodes.', true),
  auth: field(
    'What is done where aws-auth lost the mapping of a node role; restoring needs the right to write it.',
    { type: 'string', enum: ['', 'report', 'restore'], default: '' },
  ),
  awsEvents: field(
    'URL of an SQS queue to which EventBridge sends what AWS reports of machines; reading it needs a role in AWS.',
    { type: 'string', default: '' },
  ),
  eniJanitor: field(
    'What is done about network interfaces that the VPC CNI left behind; deleting needs a role in AWS.',
    { type: 'string', enum: ['', 'report', 'delete'], default: '' },
  ),
  eniHourly: field('Interfaces that it deletes within one hour at most.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 12,
  }),
  args: ARGS,
  env: ENVIRONMENT,
  resources: resources('512Mi', '1Gi', '100m'),
  ...placement([]),
});

const GATE = group('Gates: rollcall controller --only gate.', {
  enabled: flag('Install it.', true),
  replicas: replicas(2),
  nodeReadinessRules: flag('Also follow NodeReadinessRules, while their Lease is free.', false),
  evictSlipIns: flag(
    'Let NodeGates with slipIns.mode evict have Pods replaced that came too early.',
    false,
  ),
  taintAtCreate: flag(
    'Taint Nodes while they are created, by an admission policy; needs Kubernetes 1.36.',
    false,
  ),
  rulesNamespace: field(
    'Namespace of the Lease of the Node Readiness Controller; it must exist.',
    matching('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 63, 'nrr-system'),
  ),
  args: ARGS,
  resources: resources('128Mi', '256Mi', '50m'),
  // It must run where every Node is still shut.
  ...placement([{ operator: 'Exists', effect: 'NoSchedule' }]),
});

/** Probes that need no setting of a cluster's own. */
const PROBES = PROBE_NAMES.filter(
  (name) => DEFAULT_PROBES.includes(name) || ['metadata', 'disk', 'interruption'].includes(name),
);

const AGENT = group('The agent on each Node: rollcall agent.', {
  enabled: flag('Install it.', true),
  probes: field('What it looks at; see docs/agent.md.', {
    ...listOf({ type: 'string', enum: [...PROBE_NAMES] }, PROBES),
    minItems: 1,
    uniqueItems: true,
  }),
  csiDrivers: field(
    'Drivers that must be registered, for the probe csi.',
    listOf(matching(DNS, 253), []),
  ),
  registries: field(
    'Registries that must answer, for the probe image-path.',
    listOf(matching(HOST, 260), []),
  ),
  identity: field('How pods get their AWS role, for the probe identity.', {
    type: 'string',
    enum: ['', ...IDENTITY_WAYS],
    default: '',
  }),
  identityRole: field(
    'Name of the role that the agent has; without it, being refused is the proof.',
    matching(ROLE_NAME, 576, ''),
  ),
  args: ARGS,
  resources: resources('80Mi', '128Mi', '10m'),
});

const AWS = group('Access of the controller to AWS.', {
  identity: field('How its pod gets a role; pod-identity needs an association besides.', {
    type: 'string',
    enum: ['none', 'irsa', 'pod-identity'],
    default: 'none',
  }),
  controllerRoleArn: field('Role of the controller, for irsa.', matching(ROLE_ARN, 640, '')),
  agentRoleArn: field('Role of the agent, a canary, for irsa.', matching(ROLE_ARN, 640, '')),
  region: field('Region; by default that of the AWS configuration.', matching(AWS_NAME, 100, '')),
  cluster: field('Name of the cluster in AWS.', matching(AWS_NAME, 100, '')),
});

/** What an installation may be told, for the chart and for `rollcall install`. */
export function valuesSchema(version: string): JsonObject {
  const image = group('The image of the program.', {
    name: field(
      'Registry, repository and tag or digest.',
      matching(IMAGE, 512, `rollcall:${version}`),
    ),
    pullPolicy: field('When it is pulled.', {
      type: 'string',
      enum: ['Always', 'IfNotPresent', 'Never'],
      default: 'IfNotPresent',
    }),
    pullSecrets: field(
      'Secrets with credentials of the registry, as name: NAME.',
      listOf(group('A Secret.', { name: matching(DNS, 253) }), []),
    ),
  });
  return {
    $schema: DRAFT,
    title: 'Values of Rollcall',
    ...group('Values of Rollcall.', {
      // Helm hands these to every chart.
      global: { type: 'object' },
      image,
      crds: group('The kinds NodeGate and NodeReport.', {
        enabled: flag('Install them; an uninstall leaves them and their objects.', true),
      }),
      controller: CONTROLLER,
      gate: GATE,
      agent: AGENT,
      admissionPolicies: group('What keeps each agent to its own Node.', {
        enabled: flag('Install them; they need Kubernetes 1.30.', true),
      }),
      networkPolicies: group('What may reach the controller and the gate, and what they reach.', {
        enabled: flag('Install them.', true),
      }),
      aws: AWS,
      uninstall: group('What an uninstall of the chart does.', {
        removeTaints: flag('Remove the taints of gates from all Nodes.', true),
      }),
    }),
  };
}

/** The values that a schema gives where nothing else is said. */
export function defaultsOf(schema: JsonObject): Json {
  if (schema['default'] !== undefined) return schema['default'];
  const { properties } = schema;
  if (!isObject(properties)) return {};
  const fields = Object.entries(properties).filter(([name]) => name !== 'global');
  return Object.fromEntries(
    fields.map(([name, one]) => [name, isObject(one) ? defaultsOf(one) : {}]),
  );
}

/** Values over others as Helm lays them: maps are merged, anything else is replaced. */
export function mergedValues(under: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([name, one]): readonly [string, Json] => {
    const below = Object.hasOwn(under, name) ? under[name] : undefined;
    return [name, isObject(one) && isObject(below) ? mergedValues(below, one) : one];
  });
  return Object.fromEntries([...Object.entries(under), ...merged]);
}
