import type { Dialect } from '../written/dialect.ts';

/** What is said of a plan of Terraform, and what is said of manifests instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /Take max-pods out of the user data, or set it to (\d+)\./g,
    'Take maxPods out of spec.kubelet of the EC2NodeClass, or set it to $1.',
  ],
  [
    /Or set http_put_response_hop_limit = 2 in metadata_options of the aws_launch_template\./g,
    'Or set httpPutResponseHopLimit to 2 in spec.metadataOptions of the EC2NodeClass.',
  ],
  [
    /metadata_options http_tokens required, http_put_response_hop_limit 1/g,
    'metadataOptions httpTokens required, httpPutResponseHopLimit 1',
  ],
  [/In user_data of the aws_launch_template: /g, 'In spec.userData of the EC2NodeClass: '],
  [
    /Choose an image or ami_type for (\S+), or types of the image’s architecture\./g,
    'Choose an image for $1 in spec.amiSelectorTerms, or types of the image’s architecture.',
  ],
  [
    /Give the aws_eks_addon (\S*) a role \(pod_identity_association or service_account_role_arn\)\./g,
    'Give the add-on $1 a role by EKS Pod Identity or IRSA.',
  ],
  [/; yamlencode writes one without mistakes of indentation/g, ''],
  [/, or send the MIME document gzipped \([^)]{0,200}\)/g, ''],
];

const CLASS = /^EC2NodeClass\/[^.]*$/;

/** What a quote is about, and the line of the manifest that says it. */
const PLACES: readonly (readonly [address: RegExp, about: RegExp, field: string])[] = [
  [CLASS, /sets max-pods/, 'spec.kubelet.maxPods'],
  [CLASS, /metadata_options/, 'spec.metadataOptions'],
  [CLASS, /\buser data\b|NodeConfig/, 'spec.userData'],
  [/^EC2NodeClass\/[^.]*\.amiSelectorTerms$/, /./, 'spec.amiSelectorTerms'],
  [/^EC2NodeClass\/[^.]*\.role$/, /./, 'spec.role'],
  [/^NodePool\/[^.]*$/, /\blimits\b/, 'spec.limits'],
  [/^NodePool\/[^.]*$/, /starts its nodes with the taint/, 'spec.template.spec.startupTaints'],
  [/^NodePool\/[^.]*$/, /instance type|interfaces x/, 'spec.template.spec.requirements'],
];

function placed(address: string, excerpt: string): string {
  const place = PLACES.find(([where, about]) => where.test(address) && about.test(excerpt));
  if (place === undefined) return address;
  return `${address.replace(/\.(?:amiSelectorTerms|role)$/, '')}.${place[2]}`;
}

/** Answers in the words and at the places of Karpenter's manifests. */
export const KARPENTER_DIALECT: Dialect = {
  source: 'karpenter',
  say: (text) => WORDS.reduce((all, [pattern, words]) => all.replaceAll(pattern, words), text),
  place: placed,
  collect: (command) => command,
};
