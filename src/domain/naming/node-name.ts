import { isAtLeast } from '../version.ts';
import { shellWord, shown } from '../words.ts';
import {
  byPrivateDnsName,
  COLLECT_FLAGS,
  collectOnMachine,
  known,
  type NodeName,
  none,
  unknown,
} from './answer.ts';
import { ipName } from './ec2-names.ts';
import { imageName } from './image-name.ts';
import type { NamingInput } from './input.ts';
import { SOURCE } from './sources.ts';

/**
 * The in-process provider takes EC2's private DNS name whatever the configuration says; the
 * override only feeds the label `kubernetes.io/hostname` (kubernetes issues 11543, 54482).
 */
function inTreeName(input: NamingInput): NodeName {
  const isGone = isAtLeast(input.kubeletVersion, '1.27.0');
  if (isGone === true)
    return none(
      'Kubernetes 1.27 removed --cloud-provider=aws: the kubelet exits with "unknown cloud provider".',
      SOURCE.inTreeRemoved,
    );
  const rule =
    'With --cloud-provider=aws the kubelet takes the private DNS name of EC2 and ignores hostname, DNS zone, nodeName and --hostname-override';
  const found = byPrivateDnsName(input, rule, SOURCE.inTree, 'the kubelet cannot register');
  if (isGone === false || found.state !== 'known') return found;
  const text = 'That holds up to Kubernetes 1.26; later kubelets exit, and the version is unknown.';
  return unknown(text, SOURCE.inTreeRemoved, COLLECT_FLAGS, [found.name]);
}

function fargateName(input: NamingInput): NodeName {
  const name = ipName(input);
  const rule = 'Fargate names a node by the address of its interface';
  if (name !== null) return known(`fargate-${name}`, `${rule}.`, SOURCE.fargate);
  return unknown(`${rule}, which is unknown.`, SOURCE.fargate, {
    text: 'the name in the cluster',
    command: 'kubectl get nodes -l eks.amazonaws.com/compute-type=fargate -o wide',
  });
}

function hybridName(input: NamingInput): NodeName {
  const { hybridCredentials, configuredName } = input.options ?? {};
  if (hybridCredentials === 'ssm' && input.instanceId?.startsWith('mi-') === true)
    return known(input.instanceId, 'Systems Manager names hybrid nodes mi-….', SOURCE.hybrid);
  const isNamed = configuredName !== undefined && configuredName !== null && configuredName !== '';
  if (hybridCredentials === 'roles-anywhere' && isNamed)
    return known(
      configuredName,
      'With IAM Roles Anywhere it is the configured nodeName, which must equal the CN of the certificate.',
      SOURCE.hybrid,
    );
  const text =
    'A hybrid node is named by Systems Manager or by its configuration; neither was seen.';
  const collect = collectOnMachine(
    'the configuration of the node',
    'cat /etc/nodeadm/nodeConfig.yaml',
  );
  return unknown(text, SOURCE.hybrid, collect);
}

/** Images of EKS whose bootstrap sets the provider, by the version of Kubernetes. */
function isInTree(input: NamingInput): boolean | null {
  if (input.cloudProvider !== null) return input.cloudProvider.kind === 'in-tree';
  if (input.image === 'al2') {
    const isExternal = isAtLeast(input.kubeletVersion, '1.26.0');
    return isExternal === null ? null : !isExternal;
  }
  if (isAtLeast(input.kubeletVersion, '1.27.0') === true) return false;
  return input.image !== null && ALWAYS_EXTERNAL.has(input.image) ? false : null;
}

const ALWAYS_EXTERNAL: ReadonlySet<string> = new Set(['al2023', 'eks-auto']);

/** The name that was given by hand; it wins unless the in-process provider decides. */
function overrideOf(input: NamingInput): string | null {
  const text = input.hostnameOverride?.trim() ?? '';
  return text === '' ? null : text;
}

/**
 * The name under which the kubelet will register, or why nobody can tell. The rules are those of
 * the programs named in each reason; nothing is guessed.
 */
export function nodeNameOf(input: NamingInput): NodeName {
  if (input.image === 'fargate') return fargateName(input);
  if (input.image === 'hybrid') return hybridName(input);
  const inTree = isInTree(input);
  if (inTree === true) return inTreeName(input);
  if (inTree === null)
    return unknown(
      'Unknown whether the kubelet runs with --cloud-provider=aws, which overrides every setting.',
      SOURCE.kubelet,
      COLLECT_FLAGS,
      [overrideOf(input), input.osHostname, ipName(input)],
    );
  const override = overrideOf(input);
  if (override === null) return imageName(input);
  const text = `--hostname-override=${shellWord(shown(override))} decides, in lower case.`;
  return known(override, text, SOURCE.hostname);
}
