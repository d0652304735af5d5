import { NODE_PATH, PROGRAM_PATH } from './node-flags.ts';
import {
  type Condition,
  each,
  isOn,
  NAMESPACE,
  type Template,
  type TemplateFields,
  value,
  when,
} from './template.ts';

export const PART_OF = 'app.kubernetes.io/part-of';
export const PRODUCT = 'rollcall';
export const PRIORITY_CLASS = 'rollcall';
/** A user without rights on any machine; images without users have it too. */
const NOBODY = 65_532;

/** Labels of an object of ours. */
export const LABELS = { [PART_OF]: PRODUCT };

/** Metadata of an object in the namespace of the installation. */
export function placed(name: string, more: TemplateFields = {}): TemplateFields {
  return { name, namespace: NAMESPACE, labels: LABELS, ...more };
}

/** Metadata of an object of the whole cluster. */
export function clusterWide(name: string): TemplateFields {
  return { name, labels: LABELS };
}

/** Metadata of a workload; by `app` its pods are selected, and that never changes. */
export function appMetadata(name: string): TemplateFields {
  return placed(name, { labels: { app: name, ...LABELS } });
}

/** What the restricted level of pod security asks of a pod. */
export const RESTRICTED_POD = {
  runAsNonRoot: true,
  runAsUser: NOBODY,
  runAsGroup: NOBODY,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** What it asks of a container. */
export const RESTRICTED_CONTAINER = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

export const IMAGE = {
  image: value('image.name'),
  imagePullPolicy: value('image.pullPolicy'),
};

/** Credentials of the registry, where there are some. */
export const PULL_SECRETS = when(isOn('image.pullSecrets'), value('image.pullSecrets'));

export function httpCheck(path: string, port: number): TemplateFields {
  return { httpGet: { path, port }, periodSeconds: 10, timeoutSeconds: 5 };
}

/** Where the pods of an app may run, as its values say. */
export function placementOf(app: string): TemplateFields {
  const selector = `${app}.nodeSelector`;
  const tolerations = `${app}.tolerations`;
  return {
    nodeSelector: when(isOn(selector), value(selector)),
    tolerations: when(isOn(tolerations), value(tolerations)),
  };
}

export interface Program {
  /** Where its values are: `gate`. */
  readonly app: string;
  readonly name: string;
  readonly port: number;
  /** For Node.js, before the program. */
  readonly nodeFlags: readonly string[];
  readonly args: readonly Template[];
  readonly more?: TemplateFields;
}

function container({ app, port, nodeFlags, args, more = {} }: Program): TemplateFields {
  return {
    name: app,
    ...IMAGE,
    command: [NODE_PATH, ...nodeFlags, PROGRAM_PATH],
    args: [...args, each(`${app}.args`, '')],
    ...more,
    ports: [{ name: 'http', containerPort: port }],
    livenessProbe: httpCheck('/livez', port),
    readinessProbe: httpCheck('/readyz', port),
    resources: value(`${app}.resources`),
    securityContext: RESTRICTED_CONTAINER,
  };
}

/** Replicas of a program, apart from each other where that is possible. */
export function deployment(program: Program): TemplateFields {
  const { app, name } = program;
  const labels = { app: name };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  };
  const pod = {
    serviceAccountName: name,
    priorityClassName: PRIORITY_CLASS,
    terminationGracePeriodSeconds: 15,
    // Files of tokens that are projected for AWS are readable for this group.
    securityContext: { ...RESTRICTED_POD, fsGroup: NOBODY },
    imagePullSecrets: PULL_SECRETS,
    ...placementOf(app),
    topologySpreadConstraints: [spread],
    containers: [container(program)],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: appMetadata(name),
    spec: {
      replicas: value(`${app}.replicas`),
      selector: { matchLabels: labels },
      template: { metadata: { labels: { app: name, ...LABELS } }, spec: pod },
    },
  };
}

/** Where /metrics is found. */
export function metricsService(name: string, port: number): TemplateFields {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: appMetadata(name),
    spec: { selector: { app: name }, ports: [{ name: 'http', port, targetPort: 'http' }] },
  };
}

/** A drain takes one replica at a time. */
export function disruptionBudget(name: string): TemplateFields {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: placed(name),
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } },
  };
}

export interface AccountOptions {
  readonly annotations?: Template;
  readonly isMounted?: boolean;
}

export function serviceAccount(name: string, options: AccountOptions = {}): TemplateFields {
  const { annotations, isMounted } = options;
  const metadata = placed(name, annotations === undefined ? {} : { annotations });
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
    ...(isMounted === undefined ? {} : { automountServiceAccountToken: isMounted }),
  };
}

/** Objects that belong together and are installed together. */
export interface Part {
  readonly name: string;
  /** null for what every installation has. */
  readonly condition: Condition | null;
  readonly objects: readonly Template[];
}
