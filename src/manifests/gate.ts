import { type FeaturePermissions, rolesOf } from '../collection/permissions.ts';
import { nodeGateDefinition } from '../controllers/gate/policies/node-gate-definition.ts';
import { listAt } from '../evidence/json.ts';
import { HEALTH_PORT } from './controller.ts';
import { networkPolicy } from './network-policy.ts';
import { RESIDENT_NODE_FLAGS } from './node-flags.ts';
import {
  clusterWide,
  deployment,
  disruptionBudget,
  LABELS,
  metricsService,
  type Part,
  serviceAccount,
} from './objects.ts';
import { boundRole, permissionsOf, rolesFor, rule } from './rights.ts';
import { taintAtCreate } from './taint-at-create.ts';
import {
  allOf,
  isOn,
  NAMESPACE_PATH,
  piece,
  type Template,
  type TemplateFields,
  text,
  value,
  when,
} from './template.ts';

export const GATE = 'rollcall-gate';
const RULES = isOn('gate.nodeReadinessRules');
const EVICTS = isOn('gate.evictSlipIns');

/** The account of the gate; without NodeReadinessRules it has no rights on them. */
export function gateRights(features: readonly FeaturePermissions[]): readonly TemplateFields[] {
  const all = permissionsOf(features, ['gate']);
  const isOfRules = ({ resource }: { readonly resource: string }): boolean =>
    resource === 'nodereadinessrules';
  return [
    serviceAccount(GATE),
    ...rolesFor(GATE, [
      { permissions: all.filter((one) => !isOfRules(one)), condition: null },
      { permissions: all.filter(isOfRules), condition: RULES },
    ]),
  ];
}

/** The Lease of the Node Readiness Controller, so that the two never act at once. */
export function rulesLeaseRights(): readonly Template[] {
  const metadata = { name: GATE, namespace: value('gate.rulesNamespace'), labels: LABELS };
  const leases = rule('coordination.k8s.io', 'leases', 'get', 'create', 'update');
  return boundRole(GATE, metadata, [leases]).map((one) => when(RULES, one));
}

/** What having Pods replaced needs besides. */
export function evictRights(features: readonly FeaturePermissions[]): readonly Template[] {
  const rules = rolesOf(permissionsOf(features, ['gate-evict'])).flatMap(
    (role) => listAt(role, 'rules') as readonly TemplateFields[],
  );
  return boundRole(GATE, clusterWide(`${GATE}-evict`), rules).map((one) => when(EVICTS, one));
}

function workload(): TemplateFields {
  return deployment({
    app: 'gate',
    name: GATE,
    port: HEALTH_PORT,
    nodeFlags: RESIDENT_NODE_FLAGS,
    args: [
      'controller',
      '--only=gate',
      `--listen=0.0.0.0:${HEALTH_PORT}`,
      text('--namespace=', piece(NAMESPACE_PATH)),
      when(RULES, '--node-readiness-rules'),
      when(RULES, text('--rules-namespace=', piece('gate.rulesNamespace'))),
    ],
    // A container that starts again is the same holder of the Lease.
    more: { env: [{ name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }] },
  });
}

/** Gates. */
export function gateParts(features: readonly FeaturePermissions[]): readonly Part[] {
  const enabled = isOn('gate.enabled');
  return [
    {
      name: 'gate',
      condition: enabled,
      objects: [
        when(isOn('crds.enabled'), nodeGateDefinition()),
        ...gateRights(features),
        ...rulesLeaseRights(),
        ...evictRights(features),
        metricsService(GATE, HEALTH_PORT),
        disruptionBudget(GATE),
        workload(),
      ],
    },
    {
      name: 'gate-network-policy',
      condition: allOf(enabled, isOn('networkPolicies.enabled')),
      objects: [networkPolicy(GATE, HEALTH_PORT, false)],
    },
    {
      name: 'gate-taint-at-create',
      condition: allOf(enabled, isOn('gate.taintAtCreate')),
      objects: taintAtCreate(),
    },
  ];
}
