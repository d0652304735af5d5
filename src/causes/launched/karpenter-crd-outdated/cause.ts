import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The controller speaks a newer API than the CRDs that are installed. */
export default defineCause({
  id: 'karpenter-crd-outdated',
  stage: 'launched',
  title: 'Karpenter’s CRDs are older than its controller',
  scope: 'cluster',
  signs: {
    kindMissing: definite(
      ['karpenter'],
      /no matches for kind "?(?<kind>NodePool|NodeClaim|EC2NodeClass|NodeOverlay|CapacityBuffer|Provisioner|Machine)"? in (?:version|group) "?karpenter\.(?:sh|k8s\.aws)\/?(?<version>v1\w{0,8})?|no matches for karpenter\.(?:sh|k8s\.aws)\/(?<version2>v1\w{0,8})/,
      { strict: true },
    ),
    kindMissingForClient: likely(
      ['client-output', 'terraform'],
      /no matches for kind "?(?<kind>NodePool|NodeClaim|EC2NodeClass)"? in version "?karpenter\.(?:sh|k8s\.aws)\/(?<version>v1)\b(?!alpha|beta)/,
    ),
    fieldUnknown: likely(
      ['client-output', 'terraform', 'karpenter', 'object'],
      /\b(?<kind>NodePool|NodeClaim|EC2NodeClass|Provisioner|AWSNodeTemplate)\b(?: in version "?(?<version>v1\w{0,8})"?)? cannot be handled as an? \w+: strict decoding error: unknown field "?(?<field>[\w.[\]-]{1,200})/,
    ),
    notConverted: definite(
      ['karpenter', 'kube-apiserver', 'client-output'],
      /custom resource "?(?<kind>[a-z0-9]{1,60})\.karpenter\.(?:sh|k8s\.aws)"? isn't configured for webhook conversion|request to convert CR from an invalid group\/version: karpenter\.(?:sh|k8s\.aws)\/(?<version>v1\w{0,8})/,
    ),
    notStored: definite(
      ['client-output', 'terraform', 'karpenter'],
      /CustomResourceDefinition[^:]{0,40}"?(?<kind>[a-z0-9]{1,60})\.karpenter\.(?:sh|k8s\.aws)"? is invalid: status\.storedVersions\[\d+\]: Invalid value: "?(?<version>v1\w{0,8})"?: must appear in spec\.versions/,
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched nodeclaim\b|Type: Launched, Status: \w+ -> True/,
    ),
    fieldNotInSchema: likely(
      ['client-output', 'terraform'],
      /unknown field "(?<field>[^"]{1,200})" in \w+(?:\.\w+)*\.karpenter\.(?<version>v1\w{0,8})\.(?<kind>\w+)|unknown field "(?<field2>[^"]{1,200})" in (?:sh\.karpenter|aws\.k8s\.karpenter)\.(?<version2>v1\w{0,8})\.(?<kind2>\w+)/,
    ),
    // The API server warns of fields that it drops, and the controller logs what it is warned of.
    fieldDropped: likely(
      ['karpenter'],
      /\bunknown field "(?<field>(?:spec|status|metadata)\.[\w.[\]-]{1,200})".{0,400}"controllerKind": ?"(?<kind>NodePool|NodeClaim|EC2NodeClass|NodeOverlay|Provisioner|AWSNodeTemplate|Machine)"/,
      { anchors: ['unknown field '] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['karpenter-nodeclass-not-ready', 'karpenter-launch-timeout'],
  summary: ({ kind, version, version2, field }) =>
    field === undefined
      ? `The CRDs of Karpenter do not have ${kind ?? 'its kinds'}${(version ?? version2) === undefined ? '' : ` in version ${version ?? version2 ?? ''}`} as its controller needs it, so it launches nothing.`
      : `The CRD of ${kind ?? 'Karpenter'} does not know the field ${field}: it is older than the controller, or the field is misspelled.`,
  remedy: () => [
    step(
      'See which versions are installed.',
      "kubectl get crd nodepools.karpenter.sh nodeclaims.karpenter.sh ec2nodeclasses.karpenter.k8s.aws -o custom-columns='NAME:.metadata.name,SERVED:.spec.versions[*].name,STORED:.status.storedVersions'; kubectl -n kube-system get deployment karpenter -o jsonpath='{.spec.template.spec.containers[0].image}{\"\\n\"}'",
    ),
    step(
      'Install the CRDs of the controller’s release; Helm does not update CRDs with the main chart.',
      'helm upgrade --install karpenter-crd oci://public.ecr.aws/karpenter/karpenter-crd --version <karpenter-version> --namespace kube-system',
    ),
    step(
      'From v1beta1, go through 1.0 first, so that stored objects are converted; then restart the controller.',
      'kubectl -n kube-system rollout restart deployment karpenter',
    ),
  ],
  decide: step(
    'Compare the versions of the CRDs with the controller’s image.',
    'kubectl get crd nodepools.karpenter.sh -o jsonpath=\'{.spec.versions[*].name}{"\\n"}\'; kubectl -n kube-system get deployment karpenter -o jsonpath=\'{.spec.template.spec.containers[0].image}{"\\n"}\'',
  ),
  page: {
    why: 'Helm installs CRDs once and never updates them, so that an upgraded controller meets the old ones: kinds or fields are missing, or old objects cannot be converted.',
    prevent: 'Manage the CRDs by the chart karpenter-crd, upgraded just before the controller.',
    notThis:
      'A manifest in v1beta1 that a newer cluster refuses is too old itself. A misspelled field gives the same strict decoding error: compare it with the documentation of the release. A node class that is read and not ready is karpenter-nodeclass-not-ready.',
    alsoKnownAs: [
      'no matches for kind "NodeClaim" in version "karpenter.sh/v1"',
      'NodePool in version "v1" cannot be handled as a NodePool: strict decoding error',
    ],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://github.com/aws/karpenter-provider-aws/issues/7992',
      'https://github.com/kubernetes-sigs/karpenter/issues/1886',
      'https://github.com/aws/karpenter-provider-aws/issues/7276',
    ],
  },
});
