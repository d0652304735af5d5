/** Which real parts there are, and what each is made from. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Go module of ours whose go.mod and go.sum pin everything that goes into its programs. */
export interface GoPart {
  readonly kind: 'go';
  readonly name: string;
  readonly version: string;
  /** The main package, as `go build` takes it. */
  readonly target: string;
  /** Names under which the one binary is placed; it may choose by them what it is. */
  readonly programs: readonly string[];
  /** Go variables, and the text that the linker gives them. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Python packages in an environment of their own. */
export interface PythonPart {
  readonly kind: 'python';
  readonly name: string;
  readonly version: string;
}

/** A program that npm packages carry, one package a platform, pinned by a lock file. */
export interface NpmPart {
  readonly kind: 'npm';
  readonly name: string;
  readonly version: string;
  readonly programs: readonly string[];
}

export type Part = GoPart | PythonPart | NpmPart;

const KUBERNETES = 'v1.36.3';

/** What a program of Kubernetes says its version is; unset, clients and kubeadm refuse it. */
function kubernetesVersion(
  version: string,
  packages: readonly string[],
): Readonly<Record<string, string>> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const fields = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
  };
  return Object.fromEntries(
    packages.flatMap((path) =>
      Object.entries(fields).map(([field, text]) => [`${path}.${field}`, text]),
    ),
  );
}

const VERSION_PACKAGES = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
const KUBERNETES_VARIABLES = kubernetesVersion(KUBERNETES, VERSION_PACKAGES);

/** The oldest kubectl that can be had as a module, one of the middle, and the newest. */
export const KUBECTL_VERSIONS = ['1.23.3', '1.30.14', '1.37.2'] as const;

function kubectlOf(version: string): GoPart {
  const name = `kubectl-${version.split('.').slice(0, 2).join('.')}`;
  return {
    kind: 'go',
    name,
    version: `v${version}`,
    target: '.',
    programs: [name],
    variables: kubernetesVersion(`v${version}`, VERSION_PACKAGES),
  };
}

/** From 1.37 on, a Node without a providerID that AWS does not know by name is deleted. */
export const CLOUD_CONTROLLER_VERSIONS = ['1.34.3', '1.37.0'] as const;

export type CloudControllerVersion = (typeof CLOUD_CONTROLLER_VERSIONS)[number];

/** The name under which a version of the AWS cloud controller manager is placed. */
export function cloudControllerProgram(version: CloudControllerVersion): string {
  return `aws-cloud-controller-manager-${version}`;
}

function cloudController(version: CloudControllerVersion): GoPart {
  return {
    kind: 'go',
    name: cloudControllerProgram(version),
    version: `v${version}`,
    target: 'k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager',
    programs: [cloudControllerProgram(version)],
    variables: { 'k8s.io/component-base/version.gitVersion': `v${version}` },
  };
}

/** In the order in which they are made: the quick ones and those most tests need come first. */
export const PARTS: readonly Part[] = [
  { kind: 'python', name: 'moto', version: '5.2.1' },
  // The oldest major version that runs the sources, so that the newest has something to agree with.
  { kind: 'npm', name: 'node-22', version: '22.23.2', programs: ['node-22'] },
  { kind: 'npm', name: 'node-24', version: '24.21.0', programs: ['node-24'] },
  {
    kind: 'go',
    name: 'etcd',
    version: 'v3.7.3',
    target: 'go.etcd.io/etcd/server/v3',
    programs: ['etcd'],
    variables: {},
  },
  {
    kind: 'go',
    name: 'control-plane',
    version: KUBERNETES,
    target: '.',
    programs: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
    variables: KUBERNETES_VARIABLES,
  },
  {
    kind: 'go',
    name: 'kubectl',
    version: KUBERNETES,
    target: 'k8s.io/kubernetes/cmd/kubectl',
    programs: ['kubectl'],
    variables: KUBERNETES_VARIABLES,
  },
  {
    kind: 'go',
    name: 'kubelet',
    version: KUBERNETES,
    target: '.',
    programs: ['kubelet', 'kubeadm'],
    variables: KUBERNETES_VARIABLES,
  },
  ...CLOUD_CONTROLLER_VERSIONS.map(cloudController),
  ...KUBECTL_VERSIONS.map(kubectlOf),
  {
    kind: 'go',
    name: 'aws-iam-authenticator',
    version: 'v0.7.10',
    target: '.',
    programs: ['aws-auth-parser'],
    variables: {},
  },
  {
    kind: 'go',
    name: 'helm',
    version: 'v4.3.2',
    target: 'helm.sh/helm/v4/cmd/helm',
    programs: ['helm'],
    variables: { 'helm.sh/helm/v4/internal/version.version': 'v4.3.2' },
  },
];

/** The folder of the files that a part is made from; kubectl shares that of the control plane. */
export function recipeFolder(part: Part): string {
  const folder = part.name === 'kubectl' ? 'control-plane' : part.name;
  return join(import.meta.dirname, 'modules', folder);
}

/** A text that changes with anything the part is made from, the platform included. */
export function recipeStamp(part: Part): string {
  const folder = recipeFolder(part);
  const hash = createHash('sha256');
  hash.update(JSON.stringify([part, process.platform, process.arch]));
  for (const name of readdirSync(folder).toSorted())
    hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}
