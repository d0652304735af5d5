import { declareOptions } from '../options/declaration.ts';

const CLUSTER = 'Cluster and account';

/** Options of every command that looks at a live cluster, as kubectl and aws name them. */
export const LIVE_OPTIONS = declareOptions({
  context: {
    kind: 'text',
    value: 'NAME',
    multiple: true,
    completes: 'context',
    group: CLUSTER,
    help: 'Context of the kubeconfig; the current one by default',
  },
  kubeconfig: {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    group: CLUSTER,
    help: 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config',
  },
  cluster: {
    kind: 'text',
    value: 'NAME',
    group: CLUSTER,
    help: 'Name of the cluster in AWS, where the kubeconfig does not tell it',
  },
  region: {
    kind: 'text',
    value: 'REGION',
    group: CLUSTER,
    help: 'AWS region; by default that of the cluster, then that of the AWS configuration',
  },
  profile: {
    kind: 'text',
    value: 'NAME',
    completes: 'profile',
    group: CLUSTER,
    help: 'AWS profile; by default the one of the kubeconfig, then that of the environment',
  },
  timeout: {
    kind: 'duration',
    value: 'TIME',
    group: CLUSTER,
    help: 'Time limit of one look, such as 30s or 2m (default 60s); what has not answered by then is reported as missing',
  },
});

/** `-o` of a command that prints a page or its document. */
export const PAGE_OUTPUT = declareOptions({
  output: {
    kind: 'choice',
    short: 'o',
    value: 'FORMAT',
    noun: 'format',
    values: ['text', 'json', 'yaml'],
    default: 'text',
    help: 'Output format',
  },
});
