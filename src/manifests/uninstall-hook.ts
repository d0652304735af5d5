import {
  IMAGE,
  placed,
  clusterWide,
  PULL_SECRETS,
  RESTRICTED_CONTAINER,
  RESTRICTED_POD,
} from './objects.ts';
import { boundRole, rule } from './rights.ts';
import {
  allOf,
  isOn,
  NAMESPACE_PATH,
  piece,
  type Template,
  type TemplateFields,
  text,
  when,
} from './template.ts';

export const UNINSTALL = 'rollcall-uninstall';
const RULES = isOn('gate.nodeReadinessRules');
const TIME_LIMIT_SECONDS = 300;

/** The conditions under which the chart cleans up behind itself. */
export const CLEANS_UP = allOf(isOn('gate.enabled'), isOn('uninstall.removeTaints'));

/** When everything else is gone, so that no gate taints again; the account before its Job. */
function hooked(weight: number, metadata: TemplateFields): TemplateFields {
  const annotations = {
    'helm.sh/hook': 'post-delete',
    'helm.sh/hook-weight': String(weight),
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  };
  return { ...metadata, annotations };
}

/** What removing taints takes: Nodes, and the gates that name them. */
export function uninstallRules(): readonly Template[] {
  return [
    rule('', 'nodes', 'get', 'list', 'patch'),
    rule('rollcall.dev', 'nodegates', 'get', 'list', 'patch'),
    when(RULES, rule('readiness.node.x-k8s.io', 'nodereadinessrules', 'get', 'list', 'patch')),
  ];
}

function pod(): TemplateFields {
  const container = {
    name: 'uninstall',
    ...IMAGE,
    args: [
      'uninstall',
      '--taints-only',
      '--yes',
      text('--namespace=', piece(NAMESPACE_PATH)),
      when(RULES, '--node-readiness-rules'),
    ],
    securityContext: RESTRICTED_CONTAINER,
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  };
  return {
    serviceAccountName: UNINSTALL,
    restartPolicy: 'Never',
    securityContext: RESTRICTED_POD,
    imagePullSecrets: PULL_SECRETS,
    // Every Node may still be shut.
    tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
    containers: [container],
  };
}

/** What the chart runs after its objects are gone. */
export function uninstallHook(): readonly Template[] {
  const account = hooked(0, placed(UNINSTALL));
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    ...boundRole(UNINSTALL, hooked(0, clusterWide(UNINSTALL)), uninstallRules()),
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: hooked(1, placed(UNINSTALL)),
      spec: {
        backoffLimit: 3,
        activeDeadlineSeconds: TIME_LIMIT_SECONDS,
        template: { metadata: { labels: { app: UNINSTALL } }, spec: pod() },
      },
    },
  ];
}
