import { isObject, listAt } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';
import { customVersion } from '../custom-resources.ts';
import type { Site } from '../site.ts';
import { CREATED, ROLE_BINDING, SIGNING_REQUEST, WEBHOOKS } from './access.ts';
import { age, type Column, columns, name, text } from './column.ts';
import { customColumns } from './custom.ts';
import { EVENT, NEWER_EVENT } from './events.ts';
import {
  ENDPOINT_SLICE,
  ENDPOINTS,
  INGRESS,
  INGRESS_CLASS,
  NETWORK_POLICY,
  SERVICE,
} from './network.ts';
import { NODE } from './nodes.ts';
import { POD } from './pods.ts';
import { limits, requests } from './quotas.ts';
import { ATTACHMENT, CLAIM, CSI_DRIVER, CSI_NODE, STORAGE_CLASS, VOLUME } from './storage.ts';
import {
  AUTOSCALER,
  CONTROLLER_REVISION,
  CRON_JOB,
  DAEMON_SET,
  DEPLOYMENT,
  DISRUPTION_BUDGET,
  JOB,
  POD_TEMPLATE,
  PRIORITY_CLASS,
  REPLICA_SET,
  REPLICATION_CONTROLLER,
  STATEFUL_SET,
} from './workloads.ts';

const NAME_AND_AGE = columns('Name/name | Age', name, age);

/** As `kubectl get` of 1.36 shows each kind. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: POD,
  nodes: NODE,
  namespaces: columns('Name/name | Status | Age', name, text('status.phase'), age),
  configmaps: columns('Name/name | Data | Age', name, entriesOf('data', 'binaryData'), age),
  secrets: columns(
    'Name/name | Type | Data | Age',
    name,
    text('type', 'Opaque'),
    entriesOf('data'),
    age,
  ),
  services: SERVICE,
  endpoints: ENDPOINTS,
  serviceaccounts: NAME_AND_AGE,
  events: EVENT,
  persistentvolumes: VOLUME,
  persistentvolumeclaims: CLAIM,
  podtemplates: POD_TEMPLATE,
  replicationcontrollers: REPLICATION_CONTROLLER,
  resourcequotas: columns('Name/name | Request | Limit | Age', name, requests, limits, age),
  limitranges: CREATED,
  'daemonsets.apps': DAEMON_SET,
  'deployments.apps': DEPLOYMENT,
  'replicasets.apps': REPLICA_SET,
  'statefulsets.apps': STATEFUL_SET,
  'controllerrevisions.apps': CONTROLLER_REVISION,
  'jobs.batch': JOB,
  'cronjobs.batch': CRON_JOB,
  'poddisruptionbudgets.policy': DISRUPTION_BUDGET,
  'leases.coordination.k8s.io': columns(
    'Name/name | Holder | Age',
    name,
    text('spec.holderIdentity'),
    age,
  ),
  'endpointslices.discovery.k8s.io': ENDPOINT_SLICE,
  'events.events.k8s.io': NEWER_EVENT,
  'certificatesigningrequests.certificates.k8s.io': SIGNING_REQUEST,
  'clusterroles.rbac.authorization.k8s.io': CREATED,
  'roles.rbac.authorization.k8s.io': CREATED,
  'clusterrolebindings.rbac.authorization.k8s.io': ROLE_BINDING,
  'rolebindings.rbac.authorization.k8s.io': ROLE_BINDING,
  'customresourcedefinitions.apiextensions.k8s.io': CREATED,
  'storageclasses.storage.k8s.io': STORAGE_CLASS,
  'csinodes.storage.k8s.io': CSI_NODE,
  'csidrivers.storage.k8s.io': CSI_DRIVER,
  'volumeattachments.storage.k8s.io': ATTACHMENT,
  'csistoragecapacities.storage.k8s.io': CREATED,
  'priorityclasses.scheduling.k8s.io': PRIORITY_CLASS,
  'runtimeclasses.node.k8s.io': columns('Name/name | Handler | Age', name, text('handler'), age),
  'networkpolicies.networking.k8s.io': NETWORK_POLICY,
  'ingresses.networking.k8s.io': INGRESS,
  'ingressclasses.networking.k8s.io': INGRESS_CLASS,
  'horizontalpodautoscalers.autoscaling': AUTOSCALER,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
};

function entriesOf(...paths: readonly string[]): Column['cell'] {
  return (object) =>
    String(
      paths.reduce((sum, path) => {
        const value = object[path];
        return sum + (isObject(value) ? Object.keys(value).length : 0);
      }, 0),
    );
}

/** The columns of a kind; those of a CustomResourceDefinition are its own. */
export function columnsOf(site: Site, kind: KubeKind): readonly Column[] {
  if (kind.custom === null) {
    const key = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
    return COLUMNS[key] ?? CREATED;
  }
  const version = customVersion(site, kind);
  const own = version === null ? [] : listAt(version, 'additionalPrinterColumns').filter(isObject);
  return own.length === 0 ? NAME_AND_AGE : customColumns(own);
}
