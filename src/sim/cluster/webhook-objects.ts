import type { JsonObject } from '../../evidence/json.ts';
import type { ClusterSetting } from '../stories/scenario.ts';
import { CONTROL_PLANE } from './system-pods.ts';

/** The pod identity webhook: the name of its configuration, Service, Deployment and container. */
export const WEBHOOK = 'pod-identity-webhook';
const NAMESPACE = 'kube-system';
const LABELS = { app: WEBHOOK };

/** The webhook, as its own manifests have it (amazon-eks-pod-identity-webhook, deploy). */
export function webhookObjects({ kind, podIdentity }: ClusterSetting): readonly JsonObject[] {
  const isWanted = podIdentity === 'irsa' || (podIdentity === 'pod-identity' && kind === 'eks');
  if (!isWanted) return [];
  if (kind === 'eks') return [configuration({ url: 'https://127.0.0.1:23443/mutate' })];
  const service = { name: WEBHOOK, namespace: NAMESPACE, path: '/mutate', port: 443 };
  return [configuration({ service }), account(), serviceOfWebhook(), deployment()];
}

/** EKS runs it beside the API server, where nobody sees a pod of it. */
function configuration(where: JsonObject): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: WEBHOOK },
    webhooks: [
      {
        name: 'iam-for-pods.amazonaws.com',
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1beta1'],
        clientConfig: { ...where, caBundle: 'LS0tLS1CRUdJTg==' },
        rules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
        ],
      },
    ],
  };
}

function account(): JsonObject {
  const metadata = { name: WEBHOOK, namespace: NAMESPACE };
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
}

function serviceOfWebhook(): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: WEBHOOK, namespace: NAMESPACE },
    spec: { selector: LABELS, ports: [{ port: 443, targetPort: 443 }] },
  };
}

function deployment(): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: WEBHOOK, namespace: NAMESPACE, labels: LABELS },
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          priorityClassName: 'system-cluster-critical',
          serviceAccountName: WEBHOOK,
          nodeSelector: { [CONTROL_PLANE]: '' },
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: WEBHOOK,
              image: 'public.ecr.aws/eks/amazon-eks-pod-identity-webhook:v0.6.17',
              resources: { requests: { cpu: '25m', memory: '32Mi' } },
            },
          ],
        },
      },
    },
  };
}
