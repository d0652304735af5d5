import { shellWord, shown } from '../words.ts';
import { SOURCE } from './sources.ts';

/** How the cluster lets its machines in; what breaks depends on it. */
export interface RenameContext {
  /** `certificate`: kubeadm, kOps, OpenShift · `iam`: EKS · null is not known. */
  readonly credential: 'certificate' | 'iam' | null;
  /** True when the in-process cloud provider attaches volumes by Node name. */
  readonly inTreeVolumes: boolean;
  /** True when the Node of the new name is there already: nothing keeps it out any more. */
  readonly isRegistered?: boolean;
}

/** One thing that a new name breaks, and the commands that show or mend it. */
export interface Break {
  readonly what:
    | 'node-object'
    | 'authorizer'
    | 'lease'
    | 'certificate-rotation'
    | 'user-mapping'
    | 'volume-attach'
    | 'local-volumes'
    | 'pinned-pods'
    | 'kube-proxy'
    | 'cloud-routes';
  readonly sentence: string;
  readonly source: string;
  readonly commands: readonly string[];
}

/** Labels by which pods find a machine whatever its Node is called. */
export interface Pin {
  readonly label: string;
  readonly commands: readonly string[];
  /** Keeps the label over a new join. */
  readonly kubeletFlag: string;
  /** What replaces `nodeName` and the hostname in a pod. */
  readonly podSpec: string;
}

export interface RenameEffects {
  readonly breaks: readonly Break[];
  readonly pin: Pin;
}

interface Names {
  readonly oldName: string;
  readonly newName: string;
}

function nodeObject({ oldName, newName }: Names, context: RenameContext): Break {
  const old = `Node ${shown(oldName)} stays and turns Unknown once its Lease is no longer renewed`;
  const isThere = context.isRegistered === true;
  const second = isThere
    ? `Node ${shown(newName)} exists beside it`
    : context.credential === 'certificate'
      ? `no Node ${shown(newName)} appears until the machine joins again`
      : `Node ${shown(newName)} appears beside it once the API server lets it in`;
  return {
    what: 'node-object',
    sentence: `${old}; ${second}.`,
    source: SOURCE.nodeAuthorizer,
    commands: [
      `kubectl get node ${shellWord(oldName)} ${shellWord(newName)} -o wide`,
      `kubectl delete node ${shellWord(oldName)}`,
    ],
  };
}

function authorizer({ oldName, newName }: Names): Break {
  return {
    what: 'authorizer',
    sentence: `The certificate says system:node:${shown(oldName)}: the Node authorizer denies it Node ${shown(newName)}, so no Node registers.`,
    source: SOURCE.nodeAuthorizer,
    commands: [
      'openssl x509 -noout -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem',
      `journalctl -u kubelet --since -10m | grep -F "only its own Node object"`,
    ],
  };
}

function lease({ newName }: Names): Break {
  return {
    what: 'lease',
    sentence: `Its Lease kube-node-lease/${shown(newName)} is denied too: no heartbeat arrives.`,
    source: SOURCE.nodeAuthorizer,
    commands: [`kubectl -n kube-node-lease get lease ${shellWord(newName)} -o yaml`],
  };
}

function rotation({ newName }: Names): Break {
  return {
    what: 'certificate-rotation',
    sentence:
      'Rotation fails too: a node may request a certificate only in its own name. Join again.',
    source: SOURCE.csr,
    commands: [
      'kubeadm token create --print-join-command',
      `kubeadm reset -f && kubeadm join API_SERVER:6443 --token TOKEN --discovery-token-ca-cert-hash HASH --node-name ${shellWord(newName)}`,
    ],
  };
}

function mapping({ newName }: Names): Break {
  return {
    what: 'user-mapping',
    sentence: `aws-auth or the access entry must map to the user system:node:${shown(newName)}: {{EC2PrivateDNSName}} for names of EC2, {{SessionName}} for instance ids.`,
    source: SOURCE.authenticator,
    commands: [
      'kubectl -n kube-system get configmap aws-auth -o yaml',
      'aws eks list-access-entries --cluster-name CLUSTER',
    ],
  };
}

function volumeAttach({ oldName, newName }: Names, inTree: boolean): Break {
  const sentence = inTree
    ? 'Volumes are attached by Node name, which must be the private DNS name of EC2: under any other name the attach fails.'
    : `Volumes stay attached in the name of ${shown(oldName)} until that Node and its VolumeAttachments are gone.`;
  return {
    what: 'volume-attach',
    sentence,
    source: inTree ? SOURCE.inTree : 'kubernetes API, VolumeAttachment spec.nodeName',
    commands: [
      `kubectl get volumeattachment -o json | jq -r --arg old ${shellWord(oldName)} '.items[] | select(.spec.nodeName == $old) | .metadata.name'`,
      `kubectl get csinode ${shellWord(newName)} -o yaml`,
    ],
  };
}

function localVolumes({ oldName }: Names): Break {
  return {
    what: 'local-volumes',
    sentence: `Local volumes with node affinity to ${shown(oldName)} bind to no pod anymore; the affinity of a volume cannot be changed.`,
    source: 'kubernetes API, PersistentVolume spec.nodeAffinity',
    commands: [
      `kubectl get pv -o json | jq -r --arg old ${shellWord(oldName)} '.items[] | select([.spec.nodeAffinity.required.nodeSelectorTerms[]?.matchExpressions[]?.values[]?] | index($old)) | .metadata.name'`,
    ],
  };
}

function pinnedPods({ oldName }: Names): Break {
  return {
    what: 'pinned-pods',
    sentence: `Pods with nodeName or a selector for ${shown(oldName)} stay Pending or are removed with the old Node.`,
    source: 'kubernetes PodGC, pkg/controller/podgc',
    commands: [
      `kubectl get pods -A --field-selector spec.nodeName=${shellWord(oldName)} -o wide`,
      `kubectl get deploy,sts,ds -A -o json | jq -r --arg old ${shellWord(oldName)} '.items[] | select((.spec.template.spec | tostring) | contains($old)) | "\\(.kind) \\(.metadata.namespace)/\\(.metadata.name)"'`,
    ],
  };
}

function kubeProxy(): Break {
  return {
    what: 'kube-proxy',
    sentence:
      'kube-proxy needs the same override (or none). Otherwise it does not find its Node, and local traffic and topology are wrong.',
    source: 'cloud-provider-aws docs/prerequisites.md',
    commands: [
      `kubectl -n kube-system get configmap kube-proxy -o yaml | grep -F hostnameOverride`,
    ],
  };
}

function cloudRoutes({ oldName, newName }: Names): Break {
  return {
    what: 'cloud-routes',
    sentence:
      'While both Nodes have the same providerID, load balancer targets and routes for the instance fail with "multiple nodes with instanceID".',
    source: 'cloud-provider-aws pkg/providers/v1/aws.go instanceIDToNodeName',
    commands: [
      `kubectl get node ${shellWord(oldName)} ${shellWord(newName)} -o custom-columns=NAME:.metadata.name,PROVIDER:.spec.providerID`,
    ],
  };
}

const LABEL_VALUE_MAX = 63;
const PIN_KEY = 'rollcall.dev/machine';

/** A name as the value of a label: its first part, without what labels cannot hold. */
export function pinValue(name: string): string {
  const first = (name.split('.')[0] ?? '').toLowerCase().replaceAll(/[^a-z0-9_-]/g, '-');
  const cut = first.slice(0, LABEL_VALUE_MAX).replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  return cut === '' ? 'machine' : cut;
}

function pinOf({ oldName, newName }: Names): Pin {
  const label = `${PIN_KEY}=${pinValue(oldName)}`;
  return {
    label,
    commands: [
      `kubectl label node ${shellWord(newName)} ${label} --overwrite`,
      `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(newName)}`,
    ],
    kubeletFlag: `--node-labels=${label}`,
    podSpec: `nodeSelector: { ${PIN_KEY}: ${pinValue(oldName)} }`,
  };
}

/** What keeps a Node of the new name from being registered. */
function keptOut(names: Names, { credential }: RenameContext): readonly Break[] {
  return [
    ...(credential === 'iam' ? [] : [authorizer(names), lease(names), rotation(names)]),
    ...(credential === 'certificate' ? [] : [mapping(names)]),
  ];
}

/**
 * What breaks when a machine's Node gets another name, with the commands that show and mend each,
 * and the label to pin pods by instead of a name. Nothing breaks when the name stays.
 */
export function breaksBy(oldName: string, newName: string, context: RenameContext): RenameEffects {
  const names = { oldName, newName };
  const pin = pinOf(names);
  if (oldName === newName) return { breaks: [], pin };
  const breaks = [
    nodeObject(names, context),
    ...(context.isRegistered === true ? [] : keptOut(names, context)),
    volumeAttach(names, context.inTreeVolumes),
    localVolumes(names),
    pinnedPods(names),
    kubeProxy(),
    cloudRoutes(names),
  ];
  return { breaks, pin };
}
