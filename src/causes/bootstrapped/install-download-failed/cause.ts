import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

const INSTALLERS = [
  'nodeadm',
  'cloud-init',
  'console',
  'nodeup',
  'client-output',
  'journal',
  'terraform',
] as const;

/** The installer on the machine cannot fetch a file, or gets another file than it expects. */
export default defineCause({
  id: 'install-download-failed',
  stage: 'bootstrapped',
  title: 'the installer cannot download or verify a file',
  scope: 'machine',
  signs: {
    nodeadmDownload: definite(
      INSTALLERS,
      /failed reading file from url: (?<url>https?:\/\/[^\s"]{1,300}?)(?=:? |"|$)|failed reading file from url|max retries achieved for http request(?:: (?<host>[\w.-]{1,253}))?/,
    ),
    nodeadmSource: likely(
      INSTALLERS,
      /\bgetting (?<file>kubelet|kubectl|containerd|cni-plugins|iam-authenticator|aws-iam-authenticator|image-credential-provider|iam-roles-anywhere|ssm)(?: \w{1,20})? source: Get \\?"(?<url>https:\/\/[^"\\\s]{1,300})\\?": .{0,200}(?:i\/o timeout|no such host|deadline exceeded|connection re(?:set|fused)|Client\.Timeout exceeded|TLS handshake timeout|unexpected EOF)/,
    ),
    nodeadmChecksum: definite(
      INSTALLERS,
      /\b(?<file>kubelet|kubectl|containerd|cni-plugins|aws_sign(?:er|ing)_helper|aws-iam-authenticator|iam-authenticator|image-credential-provider|ecr-credential-provider)\b.{0,40}\bchecksum mismatch/,
    ),
    kopsDownload: likely(
      INSTALLERS,
      /== All downloads failed; sleeping before retrying ==|== File (?<file>\S{1,200}) is corrupted; hash|== Failed to (?:download|curl) (?<url>https?:\/\/\S{1,300})/,
      { atLeast: 2, enoughOnce: 'end' },
    ),
    kopsAsset: likely(
      ['nodeup', 'cloud-init'],
      /error adding asset "?(?:[0-9a-f]{40,64}@)?(?<url>[^\s"@]{1,300})(?:@[^\s"]*)?"?: .*(?:i\/o timeout|no such host|deadline exceeded|connection re(?:set|fused)|Client\.Timeout exceeded|TLS handshake timeout|unexpected EOF)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    nodeupDownload: likely(
      ['nodeup', 'cloud-init'],
      /error downloading url "(?<url>[^"\s]{1,300})": .*(?:i\/o timeout|no such host|deadline exceeded|connection re(?:set|fused)|Client\.Timeout exceeded|TLS handshake timeout|unexpected EOF)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    rancherInstaller: likely(
      INSTALLERS,
      /\[ERROR\]\s{1,3}(?:Download failed|(?<reason>[Dd]ownload sha256 does not match)|[Ff]ailed to download (?<file>\S{1,200}))/,
    ),
    sumDiffers: likely(
      INSTALLERS,
      /sha(?:1|256|512)sum: WARNING: \d+ computed checksums? did NOT match/,
    ),
    nodeupRuns: withdraws(
      INSTALLERS,
      /== Running nodeup ==|Finishing up install|== nodeup node config done ==/,
    ),
    toldAbsent: likely(
      ['client-output', 'unknown'],
      /(?<url>https:\/\/[\w.-]{1,100}\/\S{0,200}\/(?:nodeup|nodeadm|kubelet|protokube|containerd\S{0,60}|cni-plugins\S{0,60}))["'`]?,? (?:(?:does|do|did)(?: not|n't) exists?|(?:is|was)(?: not|n't) (?:there|found|available)|(?:returns?|returned|gives?|answers?(?: with)?) (?:an? )?(?:HTTP )?40[34])\b/,
      {
        isTold: true,
        anchors: ['/nodeup', '/nodeadm', '/kubelet', '/protokube', '/containerd', '/cni-plugins'],
      },
    ),
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'package-manager-update-failed', 'ssm-agent-missing'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, url, host, file }) =>
    `The installer on ${machine ?? 'the machine'} cannot fetch or verify ${file ?? url ?? (host === undefined ? 'a file' : `a file from ${host}`)}, so the node is not set up.`,
  remedy: ({ url, host }) => [
    step(
      'Try the download from the machine; a 403 is a permission or a proxy, a time-out the network.',
      `curl -sSIL -m 20 ${url ?? `https://${host ?? '<host>'}/`}`,
    ),
    step(
      'Allow the address in firewall, proxy and VPC endpoints (S3 takes a gateway endpoint), then run the installer again.',
    ),
    step(
      'On a slow line give nodeadm more time.',
      'sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra> --timeout 20m0s',
    ),
  ],
  decide: step(
    'Read what the installer said last.',
    "sudo grep -iE 'download|checksum|corrupted|reading file from url' /var/log/cloud-init-output.log | tail -n 20",
  ),
  page: {
    why: 'nodeadm install, kOps and k3s fetch programs from the internet or S3 and check their hash. A firewall, a proxy that answers with a page of its own, a bucket policy or a mirror that was changed makes that fail, on every machine alike.',
    prevent: 'Bake the programs into the image, or mirror them into a bucket that the VPC reaches.',
    notThis:
      'Packages of the system are package-manager-update-failed. When no AWS API answers at all it is no-nat-or-vpc-endpoints, with a proxy in the error wrong-proxy-configuration. A checksum of ssm-setup-cli is ssm-installation-conflict. A kOps file that the state store refuses is nodeup-config-unusable.',
    alsoKnownAs: [
      'failed reading file from url: max retries achieved for http request',
      '== All downloads failed; sleeping before retrying ==',
      '[ERROR]  Download sha256 does not match',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/eks-hybrid/tree/HEAD/internal/util',
      'https://github.com/kubernetes/kops/blob/HEAD/upup/models/nodeup/resources/nodeup.sh.tmpl',
      'https://get.k3s.io',
    ],
  },
});
