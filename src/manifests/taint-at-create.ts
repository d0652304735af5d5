import { clusterWide } from './objects.ts';
import type { TemplateFields } from './template.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';
const NAME = 'rollcall-gate-taint-at-create';

const SELECTOR = 'params.spec.nodeSelector';

/** As the gate selects nodes; where a DaemonSet decides about that, it is the gate that taints. */
const SELECTS = [
  '!has(params.spec.placedBy)',
  '!(has(params.spec.dryRun) && params.spec.dryRun)',
  `(!has(${SELECTOR}.matchLabels) || ${SELECTOR}.matchLabels.all(k, k in variables.labels && variables.labels[k] == ${SELECTOR}.matchLabels[k]))`,
  `(!has(${SELECTOR}.matchExpressions) || ${SELECTOR}.matchExpressions.all(e, e.operator == "In" ? e.key in variables.labels && variables.labels[e.key] in e.values : e.operator == "NotIn" ? !(e.key in variables.labels && variables.labels[e.key] in e.values) : e.operator == "Exists" ? e.key in variables.labels : !(e.key in variables.labels)))`,
].join(' && ');

const TAINT =
  'Object.spec.taints{key: params.spec.taint.key, value: has(params.spec.taint.value) ? params.spec.taint.value : "", effect: params.spec.taint.effect}';

/** One more taint, or the first. */
const ADDED = [
  'size(variables.taints) > 0',
  `? [JSONPatch{op: "add", path: "/spec/taints/-", value: ${TAINT}}]`,
  `: [JSONPatch{op: "add", path: "/spec/taints", value: [${TAINT}]}]`,
].join(' ');

const VARIABLES = [
  {
    name: 'labels',
    expression: 'has(object.metadata.labels) ? object.metadata.labels : {}',
  },
  {
    name: 'taints',
    expression: 'has(object.spec) && has(object.spec.taints) ? object.spec.taints : []',
  },
  { name: 'selects', expression: SELECTS },
  {
    name: 'isTainted',
    expression:
      'variables.taints.exists(t, t.key == params.spec.taint.key && t.effect == params.spec.taint.effect)',
  },
];

/**
 * Taints Nodes of a NodeGate while they are created, so that none is ever without. What goes wrong
 * here is ignored: no Node is kept from registering, and the gate taints it moments later.
 */
export function taintAtCreate(): readonly TemplateFields[] {
  const nodes = {
    apiGroups: [''],
    apiVersions: ['*'],
    operations: ['CREATE'],
    resources: ['nodes'],
  };
  const expression = `variables.selects && !variables.isTainted ? (${ADDED}) : []`;
  const spec = {
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
    paramKind: { apiVersion: 'rollcall.dev/v1alpha1', kind: 'NodeGate' },
    matchConstraints: { resourceRules: [nodes] },
    variables: VARIABLES,
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
  };
  const metadata = clusterWide(NAME);
  const paramRef = { selector: {}, parameterNotFoundAction: 'Allow' };
  return [
    { apiVersion: ADMISSION, kind: 'MutatingAdmissionPolicy', metadata, spec },
    {
      apiVersion: ADMISSION,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: NAME, paramRef },
    },
  ];
}
