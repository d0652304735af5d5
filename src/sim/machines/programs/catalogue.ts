import { application } from './application.ts';
import { awsNode } from './aws-node.ts';
import { calicoNode } from './calico.ts';
import type { IdentityLedger } from './identity-ledger.ts';
import { kiamAgent, kiamServer, kube2iam } from './kiam.ts';
import { kubeProxy } from './kube-proxy.ts';
import { podIdentityAgent } from './pod-identity-agent.ts';
import type { Program, ProgramKind } from './program.ts';

const PROGRAMS: Readonly<Record<Exclude<ProgramKind, 'application'>, Program>> = {
  'aws-node': awsNode,
  'calico-node': calicoNode,
  'kiam-agent': kiamAgent,
  'kiam-server': kiamServer,
  kube2iam,
  'kube-proxy': kubeProxy,
  'pod-identity-agent': podIdentityAgent,
};

/** Parts of image names by which programs are known, the more particular ones first. */
const IMAGES: readonly (readonly [RegExp, ProgramKind])[] = [
  [/amazon-k8s-cni(?::|@|$)/, 'aws-node'],
  [/calico\/node(?::|@|$)/, 'calico-node'],
  [/kube-proxy(?::|@|$)/, 'kube-proxy'],
  [/kube2iam(?::|@|$)/, 'kube2iam'],
  [/eks-pod-identity-agent(?::|@|$)/, 'pod-identity-agent'],
];

/** Which program a container runs, by its image and, where one image has several, its words. */
export function programKind(image: string, words: readonly string[]): ProgramKind {
  if (/(?:^|\/)kiam(?::|@|$)/.test(image))
    return words.includes('server') ? 'kiam-server' : 'kiam-agent';
  return IMAGES.find(([pattern]) => pattern.test(image))?.[1] ?? 'application';
}

export function programOf(
  image: string,
  words: readonly string[],
  ledger: IdentityLedger,
): Program {
  const kind = programKind(image, words);
  return kind === 'application' ? application(ledger) : PROGRAMS[kind];
}
