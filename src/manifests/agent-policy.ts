import { clusterWide } from './objects.ts';
import { NAMESPACE_PATH, piece, type TemplateFields, text } from './template.ts';

export interface PolicySubject {
  readonly account: string;
  /** The conditions that may be written. */
  readonly types: readonly string[];
}

const NAME = 'rollcall-agent-own-node';
const ADMISSION = 'admissionregistration.k8s.io/v1';
/** In the token of a pod's service account, put there by the API server that issued it. */
const NODE_CLAIM = 'authentication.kubernetes.io/node-name';

/** Everything in a Node's status besides its conditions, of every release that there is. */
const STATUS_FIELDS = [
  'addresses',
  'allocatable',
  'capacity',
  'config',
  'daemonEndpoints',
  'declaredFeatures',
  'features',
  'images',
  'nodeInfo',
  'phase',
  'runtimeHandlers',
  'volumesAttached',
  'volumesInUse',
];
/** A write of the status may change these too, if nobody forbids it. */
const METADATA_FIELDS = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

function isSame(path: string): string {
  return `has(object.${path}) == has(oldObject.${path}) && (!has(object.${path}) || object.${path} == oldObject.${path})`;
}

function allSame(parent: string, fields: readonly string[]): string {
  return fields.map((field) => `(${isSame(`${parent}.${field}`)})`).join(' && ');
}

function foreign(node: string): string {
  return `has(${node}.status.conditions) ? ${node}.status.conditions.filter(c, !(c.type in variables.own)) : []`;
}

function validations(account: string): readonly TemplateFields[] {
  return [
    {
      expression: `variables.node == request.name`,
      messageExpression: `"the agent of Node " + (variables.node == "" ? "(no node in its token)" : variables.node) + " may not write Node " + request.name`,
      reason: 'Forbidden',
    },
    {
      expression: `request.operation == "UPDATE" && request.subResource == "status"`,
      message: `${account} writes the status of its Node alone`,
      reason: 'Forbidden',
    },
    {
      expression: 'variables.before == variables.after',
      message: 'an agent writes conditions of rollcall.dev alone',
      reason: 'Forbidden',
    },
    {
      expression: `${allSame('status', STATUS_FIELDS)} && ${allSame('metadata', METADATA_FIELDS)}`,
      message: 'an agent writes conditions alone, and nothing else of its Node',
      reason: 'Forbidden',
    },
  ];
}

/** Keeps an agent to the conditions of the Node that its token was issued for. */
export function agentPolicy({ account, types }: PolicySubject): readonly TemplateFields[] {
  const user = text(
    'request.userInfo.username == "system:serviceaccount:',
    piece(NAMESPACE_PATH),
    `:${account}"`,
  );
  const claim = `request.userInfo.extra["${NODE_CLAIM}"]`;
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [''],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: ['nodes', 'nodes/status'],
        },
      ],
    },
    matchConditions: [{ name: 'agent', expression: user }],
    variables: [
      {
        name: 'node',
        expression: `has(request.userInfo.extra) && "${NODE_CLAIM}" in request.userInfo.extra ? ${claim}[0] : ""`,
      },
      { name: 'own', expression: JSON.stringify(types) },
      { name: 'before', expression: foreign('oldObject') },
      { name: 'after', expression: foreign('object') },
    ],
    validations: validations(account),
  };
  return [
    {
      apiVersion: ADMISSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata: clusterWide(NAME),
      spec,
    },
    {
      apiVersion: ADMISSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: clusterWide(NAME),
      spec: { policyName: NAME, validationActions: ['Deny'] },
    },
  ];
}
