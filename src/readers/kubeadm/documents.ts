import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type {
  ControlPlaneGiven,
  Filled,
  JoinGiven,
  KubeadmGiven,
  KubeletGiven,
  RegistrationGiven,
} from '../../evidence/kubeadm.ts';

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'kubeadm.k8s.io': ['ClusterConfiguration', 'InitConfiguration', 'JoinConfiguration'],
  'kubelet.config.k8s.io': ['KubeletConfiguration'],
  'kubeproxy.config.k8s.io': ['KubeProxyConfiguration'],
};

/** Lists of a document are not looked at beyond these. */
const ENTRIES_MAX = 200;
const TEXT_MAX = 300;

/** True for a document of a configuration file of kubeadm. */
export function isOfKubeadm(document: Json): boolean {
  const [group = ''] = (textAt(document, 'apiVersion') ?? '').split('/');
  const kinds = Object.hasOwn(KINDS, group) ? KINDS[group] : undefined;
  return kinds?.includes(textAt(document, 'kind') ?? '') === true;
}

/**
 * What the documents of one file give kubeadm. No token is kept, and of the kubelet's arguments
 * only the values that causes read.
 *
 * @param template the launch template whose user data they are from, null for a file
 * @param runtimeDriver the cgroup driver that is set for containerd there
 */
export function kubeadmGiven(
  documents: readonly Json[],
  template: string | null = null,
  runtimeDriver: string | null = null,
): KubeadmGiven | null {
  const own = documents.filter(isOfKubeadm).filter(isObject);
  if (own.length === 0) return null;
  const of = (kind: string): JsonObject | null => own.find((one) => one['kind'] === kind) ?? null;
  const [join, kubelet] = [of('JoinConfiguration'), of('KubeletConfiguration')];
  return {
    template,
    kinds: own.map((one) => textAt(one, 'kind') ?? ''),
    join: join === null ? null : joinOf(join),
    controlPlane: controlPlaneOf(of('ClusterConfiguration'), of('InitConfiguration')),
    kubelet: kubelet === null ? null : kubeletOf(kubelet),
    registrations: own.flatMap(registrationOf),
    runtimeDriver,
  };
}

/** Shells, templates and people mark what they fill in. */
const PLACEHOLDER = /[$`]|\{\{|%[({]|^<.*>$|^[A-Z][A-Z0-9_]{2,}$|^[X_.]+$/;

function filled(text: string | null): Filled<string> {
  if (text === null || text === '') return null;
  return PLACEHOLDER.test(text) ? undefined : text.slice(0, TEXT_MAX);
}

function filledAt(value: Json | undefined, path: string): Filled<string> {
  return filled(textAt(value, path));
}

const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;
/** Has the two parts of a token, with a length or letters that none has. */
const BROKEN_TOKEN = /^(?=.*\d)[A-Za-z0-9]+\.[A-Za-z0-9]+$/;
const HASH = /^sha256:[0-9a-fA-F]{64}$/;
const BROKEN_HASH = /^(?:sha256:)?[0-9a-fA-F]{16,}$/;

/** Whether a text has the form that it must have; undefined for what stands for one. */
function isWhole(text: string | null, form: RegExp, broken: RegExp): Filled<boolean> {
  if (text === null || text === '') return null;
  if (form.test(text)) return true;
  return broken.test(text) ? false : undefined;
}

function joinOf(document: JsonObject): JoinGiven {
  const discovery = at(document, 'discovery');
  const token = at(discovery, 'bootstrapToken');
  const hashes = listAt(token, 'caCertHashes')
    .slice(0, ENTRIES_MAX)
    .map((hash) => (typeof hash === 'string' ? isWhole(hash, HASH, BROKEN_HASH) : undefined));
  const apiVersion = (textAt(document, 'apiVersion') ?? '').split('/')[1] ?? '';
  return {
    apiVersion: apiVersion.slice(0, TEXT_MAX),
    hasDiscovery: discovery !== undefined,
    hasFile: isObject(at(discovery, 'file')),
    hasToken: isObject(token),
    isTokenWhole: isWhole(textAt(token, 'token'), TOKEN, BROKEN_TOKEN),
    endpoint: filledAt(token, 'apiServerEndpoint'),
    areHashesWhole:
      hashes.length === 0
        ? null
        : hashes.includes(false)
          ? false
          : hashes.every(Boolean) || undefined,
    isUnsafe: at(token, 'unsafeSkipCAVerification') === true,
    hasArgumentsOfItsVersion: isOfVersion(
      at(document, 'nodeRegistration.kubeletExtraArgs'),
      apiVersion,
    ),
  };
}

/** Arguments are a mapping up to v1beta3 and a list of names and values from v1beta4 on. */
function isOfVersion(given: Json | undefined, apiVersion: string): boolean {
  if (given === undefined || given === null) return true;
  const minor = Number(/^v1beta(\d+)$/.exec(apiVersion)?.[1] ?? Number.NaN);
  if (Number.isNaN(minor)) return true;
  return Array.isArray(given) === minor >= 4;
}

function controlPlaneOf(
  cluster: JsonObject | null,
  init: JsonObject | null,
): ControlPlaneGiven | null {
  if (cluster === null) return null;
  const names = listAt(cluster, 'apiServer.certSANs').slice(0, ENTRIES_MAX);
  const known = names.map((name) => (typeof name === 'string' ? filled(name) : undefined));
  const certificateNames = known.filter((name) => name !== undefined && name !== null);
  return {
    clusterName: filledAt(cluster, 'clusterName') ?? null,
    version: filledAt(cluster, 'kubernetesVersion'),
    endpoint: filledAt(cluster, 'controlPlaneEndpoint'),
    podSubnet: filledAt(cluster, 'networking.podSubnet'),
    serviceSubnet: filledAt(cluster, 'networking.serviceSubnet'),
    dnsDomain: filledAt(cluster, 'networking.dnsDomain'),
    certificateNames: certificateNames.length < names.length ? undefined : certificateNames,
    advertiseAddress: filledAt(init ?? undefined, 'localAPIEndpoint.advertiseAddress'),
    nodeName: filledAt(init ?? undefined, 'nodeRegistration.name'),
  };
}

function kubeletOf(document: JsonObject): KubeletGiven {
  const gates = at(document, 'featureGates');
  const registers = at(document, 'registerNode');
  const dns = listAt(document, 'clusterDNS').filter((one) => typeof one === 'string');
  return {
    cgroupDriver: filledAt(document, 'cgroupDriver'),
    clusterDns: dns.slice(0, ENTRIES_MAX).map((one) => one.slice(0, TEXT_MAX)),
    featureGates: isObject(gates) ? Object.keys(gates).slice(0, ENTRIES_MAX) : [],
    registersNode: typeof registers === 'boolean' ? registers : null,
  };
}

/** Arguments whose values causes read; of others somebody may keep secrets in them. */
const READ = new Set([
  'cgroup-driver',
  'cloud-provider',
  'feature-gates',
  'hostname-override',
  'provider-id',
  'register-node',
]);

function registrationOf(document: JsonObject): readonly RegistrationGiven[] {
  const given = at(document, 'nodeRegistration');
  if (!isObject(given)) return [];
  const flags = argumentsOf(at(given, 'kubeletExtraArgs')).slice(0, ENTRIES_MAX);
  return [
    {
      of: textAt(document, 'kind') ?? '',
      name: filledAt(given, 'name'),
      criSocket: filledAt(given, 'criSocket'),
      flags: Object.fromEntries(
        flags.map(([name, value]) => [name, READ.has(name) ? filled(value) : null]),
      ),
    },
  ];
}

/** Extra arguments in the form of either version, under their names without dashes. */
function argumentsOf(given: Json | undefined): readonly (readonly [string, string | null])[] {
  const pairs = Array.isArray(given)
    ? given.map((one: Json) => [textAt(one, 'name') ?? '', textAt(one, 'value')] as const)
    : isObject(given)
      ? Object.entries(given).map(([name, value]) => [name, textAt({ value }, 'value')] as const)
      : [];
  return pairs.map(([name, value]) => [name.replace(/^-+/, '').slice(0, TEXT_MAX), value] as const);
}
