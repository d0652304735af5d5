import { isAtLeast } from '../version.ts';
import {
  byInstanceId,
  byPrivateDnsName,
  COLLECT_FLAGS,
  COLLECT_HOSTNAME,
  collectOnMachine,
  known,
  type NodeName,
  none,
  unknown,
} from './answer.ts';
import {
  collectPrivateDnsName,
  dhcpNames,
  firstDomain,
  ipName,
  privateDnsName,
} from './ec2-names.ts';
import type { NamingInput } from './input.ts';
import { SOURCE } from './sources.ts';

const NO_OVERRIDE = 'no --hostname-override is set';

/** Conditions that hold unless an override is known to be absent. */
function unlessOverridden(input: NamingInput): readonly string[] {
  return input.hostnameOverride === undefined ? [NO_OVERRIDE] : [];
}

function al2Name(input: NamingInput): NodeName {
  const isNew = isAtLeast(input.kubeletVersion, '1.26.0');
  const rule = 'bootstrap.sh gives the kubelet the private DNS name of EC2 as --hostname-override';
  if (isNew === true)
    return byPrivateDnsName(
      input,
      rule,
      SOURCE.al2,
      'bootstrap.sh asks 20 times in 120 s, then fails',
      unlessOverridden(input),
    );
  const text =
    isNew === null
      ? 'The rule of bootstrap.sh depends on the Kubernetes version, which is unknown.'
      : 'bootstrap.sh sets no name before Kubernetes 1.26 when the cloud provider is external.';
  return unknown(text, SOURCE.al2, COLLECT_FLAGS, [input.osHostname, ipName(input)]);
}

function al2023Name(input: NamingInput): NodeName {
  const gate = input.options?.instanceIdNodeName;
  if (gate === true)
    return byInstanceId(
      input,
      'nodeadm with the feature gate InstanceIdNodeName takes the instance id',
      SOURCE.nodeadmGate,
      unlessOverridden(input),
    );
  const gateOff = gate === undefined ? ['the feature gate InstanceIdNodeName is off'] : [];
  return byPrivateDnsName(
    input,
    'nodeadm gives the kubelet the private DNS name of EC2',
    SOURCE.nodeadm,
    'nodeadm waits up to 10 min, then fails',
    [...gateOff, ...unlessOverridden(input)],
  );
}

function bottlerocketName(input: NamingInput): NodeName {
  const source = input.options?.hostnameOverrideSource;
  const provided = unlessOverridden(input);
  if (source === 'instance-id') {
    const rule = 'hostname-override-source = "instance-id" takes the instance id';
    return byInstanceId(input, rule, SOURCE.bottlerocket, provided);
  }
  const isDefault = source === undefined ? ['hostname-override-source is left at its default'] : [];
  return byPrivateDnsName(
    input,
    'Bottlerocket takes the private DNS name of EC2',
    SOURCE.bottlerocket,
    'Bottlerocket waits up to 300 s, then the kubelet does not start',
    [...isDefault, ...provided],
  );
}

function kopsName(input: NamingInput): NodeName {
  const version = input.options?.kopsVersion ?? input.kubeletVersion;
  const isNew = isAtLeast(version, '1.23.0');
  if (isNew !== true) {
    const text = 'kOps names nodes by instance id since 1.23; its version is older or unknown.';
    const collect = collectOnMachine('the version of kOps', 'kops version');
    return unknown(text, SOURCE.kops, collect, [input.instanceId, ipName(input)]);
  }
  if (input.options?.ipBasedNodeNames === true) return kopsIpName(input);
  const off =
    input.options?.ipBasedNodeNames === undefined && isAtLeast(version, '1.37.0') === true
      ? ['spec.cloudProvider.aws.useIPBasedNodeNames is not set']
      : [];
  return byInstanceId(input, 'kOps takes the instance id since 1.23', SOURCE.kops, off);
}

function kopsIpName(input: NamingInput): NodeName {
  const { instanceId, imdsLocalHostname } = input;
  const isResourceName =
    instanceId !== undefined && imdsLocalHostname?.startsWith(instanceId) === true;
  if (isResourceName || input.hostnameType === 'resource-name')
    return none(
      'useIPBasedNodeNames is set but the instance has a resource name: nodeup fails.',
      SOURCE.kops,
    );
  const name = ipName(input);
  const rule = 'kOps with useIPBasedNodeNames builds the name from address and region';
  if (name !== null) return known(name, `${rule}.`, SOURCE.kops);
  return unknown(`${rule}, which are unknown.`, SOURCE.kops, collectPrivateDnsName(input));
}

function openshift4Name(input: NamingInput): NodeName {
  const seen = input.imdsLocalHostname;
  const rule = 'RHCOS takes the first word of the local-hostname of IMDS, without a trailing dot';
  const first = firstDomain(seen ?? '');
  if (first !== '')
    return known(first, `${rule}.`, SOURCE.openshift4, [
      '/etc/kubernetes/node.env was written on this machine with this name',
    ]);
  if (seen !== undefined) return none(`${rule}; IMDS gives none.`, SOURCE.openshift4);
  const collect = collectOnMachine(
    'the name that was stored at first boot',
    'cat /etc/kubernetes/node.env',
  );
  return unknown(`${rule}, which was not seen.`, SOURCE.openshift4, collect, dhcpNames(input));
}

function openshift3Name(input: NamingInput): NodeName {
  const configured = input.options?.configuredName;
  if (configured !== undefined && configured !== null && configured !== '')
    return known(
      configured,
      'The nodeName of the node configuration is the override.',
      SOURCE.openshift3,
    );
  return hostnameName(input);
}

/** Images that say nothing: the kubelet takes the hostname of the operating system. */
function hostnameName(input: NamingInput): NodeName {
  const seen = input.osHostname;
  const rule = 'Without an override the kubelet takes the hostname of the operating system';
  if (seen !== undefined && seen !== null && seen.trim() !== '')
    return known(seen, `${rule}, in lower case.`, SOURCE.hostname, unlessOverridden(input));
  if (seen !== undefined) return none(`${rule}; it is empty.`, SOURCE.hostname);
  const text = `${rule}, which was not seen; DHCP gives it the domain of the option set, and some images cut that off.`;
  return unknown(text, SOURCE.dhcp, COLLECT_HOSTNAME, dhcpNames(input));
}

function windowsName(input: NamingInput): NodeName {
  const found = privateDnsName(input);
  const candidate = found.state === 'known' ? found.name : null;
  const text =
    'Rollcall does not know how Windows images name their Node; the API server accepts only the EC2 private DNS name.';
  const collect = {
    text: 'the name in the cluster',
    command: 'kubectl get nodes -l kubernetes.io/os=windows -o wide',
  };
  return unknown(text, SOURCE.windows, collect, [candidate]);
}

/** The name by the rule of the image, when nobody overrides it. */
export function imageName(input: NamingInput): NodeName {
  switch (input.image) {
    case 'al2':
      return al2Name(input);
    case 'al2023':
      return al2023Name(input);
    case 'bottlerocket':
      return bottlerocketName(input);
    case 'kops':
      return kopsName(input);
    case 'openshift4':
      return openshift4Name(input);
    case 'openshift3':
      return openshift3Name(input);
    case 'windows':
      return windowsName(input);
    case 'eks-auto':
      return byInstanceId(input, 'EKS Auto Mode takes the instance id', SOURCE.autoMode);
    case 'ubuntu':
    case 'rhel':
    case 'flatcar':
    case 'other':
      return hostnameName(input);
    default:
      return unknown(
        'The image of the machine is unknown, and the image decides the name.',
        SOURCE.hostname,
        COLLECT_FLAGS,
        [input.osHostname],
      );
  }
}
