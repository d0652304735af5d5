import { isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { countLeftOut, keep, type KeptBy, type KeptFields, type LeftOut } from './keep.ts';

/** A map of aws-auth that is no text is broken, which its kind alone tells. */
const mapping: KeptBy = (value) => (Array.isArray(value) ? [] : value);

const AWS_AUTH: KeptFields = { mapRoles: mapping, mapUsers: mapping };

/** kubeadm kept the names of its control planes here up to 1.21. */
const KUBEADM: KeptFields = { ClusterStatus: 'whole' };

const VPC_CNI: KeptFields = { 'enable-windows-ipam': 'whole' };
const CILIUM: KeptFields = { 'cni-chaining-mode': 'whole', ipam: 'whole' };

/** The host-local plug-in's word for the range of its Node, in a long configuration. */
const NODE_RANGE = 'usePodCidr';

const CALICO: KeptFields = {
  cni_network_config: (value) =>
    typeof value === 'string' && value.includes(NODE_RANGE) ? NODE_RANGE : undefined,
};

const BY_NAME: Readonly<Record<string, KeptFields>> = {
  'aws-auth': AWS_AUTH,
  'kubeadm-config': KUBEADM,
  'amazon-vpc-cni': VPC_CNI,
  'cilium-config': CILIUM,
  'calico-config': CALICO,
};

const CLOUD_CONFIG = /cloud-conf|cloud-provider/;
/** What the AWS cloud provider's `[Global]` says of places; it has no secrets, others may. */
const CLOUD_SETTING =
  /^\s*(?:\[\w{1,40}\]|(?:zone|region|vpc|subnetid|routetableid|rolearn|rolesourceaccount|kubernetescluster(?:tag|id)|nodeipfamilies)\s*=.{0,300})\s*$/i;

const cloudConfig: KeptBy = (value) => {
  if (typeof value !== 'string') return undefined;
  return value
    .split('\n')
    .filter((line) => CLOUD_SETTING.test(line))
    .join('\n');
};

/** Which tokens signed the ConfigMap of kubeadm's discovery; their signatures are left out. */
const SIGNATURE = /^jws-kubeconfig-[a-z0-9]{6}$/;

function keptFields(name: string, entries: JsonObject): KeptFields {
  const own = BY_NAME[name];
  if (own !== undefined) return own;
  const keys = Object.keys(entries);
  if (CLOUD_CONFIG.test(name)) return Object.fromEntries(keys.map((key) => [key, cloudConfig]));
  if (name !== 'cluster-info') return {};
  return Object.fromEntries(
    keys.filter((key) => SIGNATURE.test(key)).map((key) => [key, (): Json => '']),
  );
}

/** The entries of a ConfigMap that causes read. */
export function keptEntries(configMap: Json, left: LeftOut): Json | undefined {
  const entries = isObject(configMap) ? configMap['data'] : undefined;
  if (!isObject(entries)) return undefined;
  const kept = keep(entries, keptFields(textAt(configMap, 'metadata.name') ?? '', entries), left);
  const count = isObject(kept) ? Object.keys(kept).length : 0;
  countLeftOut(left, 'entries of ConfigMaps', Object.keys(entries).length - count);
  return kept;
}
