import type { FeaturePermissions, KubePermission } from '../collection/permissions.ts';
import { roleAnnotation } from './aws.ts';
import { networkPolicy } from './network-policy.ts';
import { nodeReportDefinition } from './node-report-definition.ts';
import { RESIDENT_NODE_FLAGS } from './node-flags.ts';
import {
  deployment,
  disruptionBudget,
  metricsService,
  type Part,
  serviceAccount,
} from './objects.ts';
import { permissionsOf, type Rights, rolesFor } from './rights.ts';
import {
  allOf,
  isEqualTo,
  isOn,
  NAMESPACE_PATH,
  piece,
  type TemplateFields,
  text,
  value,
  when,
} from './template.ts';

export const CONTROLLER = 'rollcall-controller';
export const HEALTH_PORT = 8470;
const READS = ['status', 'details', 'watch'];
const REPORTS = isOn('controller.reports');
const EVENTS = isOn('controller.events');
const AUTH = isOn('controller.auth');
const RESTORES = isEqualTo('controller.auth', 'restore');
const AWS_EVENTS = isOn('controller.awsEvents');
const JANITOR = isOn('controller.eniJanitor');

function isOf(resource: string): (one: KubePermission) => boolean {
  return (one) => one.resource === resource;
}

/** Reports and Events are rights of their own; the Lease and all reading are always needed. */
function rightsOf(features: readonly FeaturePermissions[]): readonly Rights[] {
  const writes = permissionsOf(features, ['controller']);
  const always = writes.filter((one) => !isOf('nodereports')(one) && !isOf('events')(one));
  const auth = permissionsOf(features, ['auth-restore']).filter(isOf('configmaps'));
  return [
    { permissions: [...permissionsOf(features, READS), ...always], condition: null },
    { permissions: writes.filter(isOf('nodereports')), condition: REPORTS },
    { permissions: writes.filter(isOf('events')), condition: EVENTS },
    { permissions: auth.filter(({ verb }) => verb === 'get'), condition: AUTH },
    { permissions: auth.filter(({ verb }) => verb !== 'get'), condition: RESTORES },
  ];
}

/** The account of the controller with its rights. */
export function controllerRights(
  features: readonly FeaturePermissions[],
): readonly TemplateFields[] {
  const annotations = roleAnnotation('aws.controllerRoleArn');
  return [serviceAccount(CONTROLLER, { annotations }), ...rolesFor(CONTROLLER, rightsOf(features))];
}

function workload(): TemplateFields {
  return deployment({
    app: 'controller',
    name: CONTROLLER,
    port: HEALTH_PORT,
    nodeFlags: RESIDENT_NODE_FLAGS,
    args: [
      'controller',
      when(REPORTS, '--reports'),
      when(EVENTS, '--events'),
      when(AUTH, text('--auth=', piece('controller.auth'))),
      when(AWS_EVENTS, text('--aws-events=', piece('controller.awsEvents'))),
      when(JANITOR, text('--eni-janitor=', piece('controller.eniJanitor'))),
      when(JANITOR, text('--eni-hourly=', piece('controller.eniHourly'))),
      `--listen=0.0.0.0:${HEALTH_PORT}`,
      text('--namespace=', piece(NAMESPACE_PATH)),
      when(isOn('aws.cluster'), text('--cluster=', piece('aws.cluster'))),
      when(isOn('aws.region'), text('--region=', piece('aws.region'))),
    ],
    more: { env: when(isOn('controller.env'), value('controller.env')) },
  });
}

/** The roll call in the cluster. */
export function controllerParts(features: readonly FeaturePermissions[]): readonly Part[] {
  const enabled = isOn('controller.enabled');
  return [
    {
      name: 'controller',
      condition: enabled,
      objects: [
        when(isOn('crds.enabled'), nodeReportDefinition()),
        ...controllerRights(features),
        metricsService(CONTROLLER, HEALTH_PORT),
        disruptionBudget(CONTROLLER),
        workload(),
      ],
    },
    {
      name: 'controller-network-policy',
      condition: allOf(enabled, isOn('networkPolicies.enabled')),
      objects: [networkPolicy(CONTROLLER, HEALTH_PORT, true)],
    },
  ];
}
