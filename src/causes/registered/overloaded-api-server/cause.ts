import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The API server takes the kubelet's request and cannot carry it out: etcd or the server is at its end. */
export default defineCause({
  id: 'overloaded-api-server',
  stage: 'registered',
  title: 'the API server or its storage is too busy or full to create the Node',
  scope: 'cluster',
  signs: {
    storageFull: definite(
      ['kubelet', 'kubeadm', 'kube-apiserver', 'client-output', 'controller-manager', 'event'],
      /etcdserver: mvcc: (?<storage>database space exceeded)/,
    ),
    storageSlow: likely(
      ['kubelet', 'kubeadm'],
      /Unable to register node.*etcdserver: (?<storage>request timed out|leader changed|too many requests|no leader)/,
      {
        anchors: [
          'etcdserver: request timed out',
          'etcdserver: leader changed',
          'etcdserver: too many requests',
          'etcdserver: no leader',
        ],
      },
    ),
    noAnswerInTime: likely(
      ['kubelet', 'kubeadm'],
      /Unable to register node.*(?:the server was unable to return a response in the time allotted|Timeout: request did not complete within)/,
    ),
    turnedAway: likely(
      ['kubelet', 'kubeadm'],
      /(?:Unable to register node|ensure lease).*the server has received too many requests and has asked us to try again later/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  explains: ['controller-manager-not-leading'],
  summary: ({ storage }) =>
    storage === 'database space exceeded'
      ? 'The storage of the API server (etcd) is full, so nothing can be written, and no new Node is created.'
      : sentence`The API server answers but does not carry out the registration${phrase` (etcd: ${storage})`}: it or its storage is overloaded.`,
  remedy: ({ storage }) =>
    storage === 'database space exceeded'
      ? [
          step(
            'See what fills the storage.',
            "kubectl get --raw /metrics | grep -E '^(apiserver_storage_objects|etcd_db_total_size_in_bytes|apiserver_storage_size_bytes)' | sort -k2 -n | tail -n 20",
          ),
          step(
            'On own control planes compact, defragment and clear the alarm; on EKS delete the objects and open a support case.',
            'etcdctl defrag --cluster && etcdctl alarm disarm',
          ),
        ]
      : [
          step(
            'Find who asks so much.',
            "kubectl get --raw /metrics | grep -E '^apiserver_flowcontrol_(rejected_requests_total|current_inqueue_requests)' | sort -k2 -n | tail -n 20",
          ),
          step(
            'Bring nodes in smaller steps until the control plane has grown.',
            'aws autoscaling update-auto-scaling-group --auto-scaling-group-name <group> --desired-capacity <smaller>',
          ),
        ],
  decide: step(
    'Ask the API server for its own health and that of its storage.',
    "kubectl get --raw '/readyz?verbose'",
  ),
  page: {
    why: 'Creating a Node is a write. An etcd that is full refuses all writes; one that is slow, without leader or flooded lets them time out, and the server’s flow control turns clients away.',
    prevent:
      'Watch the size of the storage (EKS: 8 GB), delete old events, reports and custom objects, and keep list calls of agents small.',
    notThis:
      'All nodes and clients see it at once. One machine alone has a reachable-stage cause; `failed calling webhook` is webhook-blocks-node-registration. One such line before a success is nothing.',
    alsoKnownAs: [
      'etcdserver: request timed out',
      'etcdserver: mvcc: database space exceeded',
      'Too many requests',
    ],
    refs: [
      'https://etcd.io/docs/v3.5/op-guide/maintenance/',
      'https://docs.aws.amazon.com/eks/latest/best-practices/known_limits_and_service_quotas.html',
    ],
  },
});
