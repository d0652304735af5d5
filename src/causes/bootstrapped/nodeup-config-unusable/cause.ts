import { defineCause } from '../../../diagnosis/cause.ts';

/** nodeup cannot use the configuration or the files that the kOps state store gives it. */
export default defineCause({
  id: 'nodeup-config-unusable',
  stage: 'bootstrapped',
  title: 'nodeup cannot use its configuration or assets',
  scope: 'machine',
  signs: {
    hashDiffers: {
      in: ['nodeup', 'cloud-init'],
      anchors: ['nodeup config hash mismatch'],
      pattern: /nodeup config hash mismatch \(was "(?<was>[^"]*)", expected "(?<expected>[^"]*)"\)/,
      weight: 'definite',
    },
    groupNotLoaded: {
      in: ['nodeup', 'cloud-init', 'kops-controller'],
      anchors: ['error loading NodeupConfig'],
      pattern:
        /error loading NodeupConfig "?(?<path>[^\s"]+)"?: (?!.*(?:i\/o timeout|no such host|deadline exceeded|NoCredentialProviders))(?<reason>.{0,160})/,
      weight: 'definite',
    },
    answerNotParsed: {
      in: ['nodeup', 'cloud-init'],
      anchors: ['parsing Cluster config response', 'parsing NodeupConfig'],
      pattern: /parsing (?:Cluster config response|NodeupConfig\b[^:]{0,80}): (?<reason>.{0,160})/,
      weight: 'definite',
    },
    notLoaded: {
      in: ['nodeup', 'cloud-init', 'kops-controller'],
      anchors: [
        'error loading configuration',
        'error loading Cluster',
        'error loading InstanceGroup',
      ],
      pattern:
        /error loading (?:configuration|Cluster|InstanceGroup) "?(?<path>[^\s"]+)"?: (?!.*(?:i\/o timeout|no such host|deadline exceeded|NoCredentialProviders))(?<reason>.{0,160})/,
      weight: 'definite',
      strict: true,
    },
    notParsed: {
      in: ['nodeup', 'cloud-init'],
      anchors: ['error parsing configuration', 'parsing InstanceGroup'],
      pattern: /parsing (?:configuration|InstanceGroup)\b[^:]{0,200}: (?<reason>.{0,160})/,
      weight: 'definite',
      strict: true,
    },
    assetRefused: {
      in: ['nodeup', 'cloud-init'],
      anchors: ['error adding asset'],
      pattern:
        /error adding asset "?(?<path>[^\s"@]+)(?:@[^\s"]*)?"?: (?!.*(?:i\/o timeout|no such host|deadline exceeded|connection reset))(?<reason>.{0,160})/,
      weight: 'likely',
      atLeast: 2,
    },
    unitDone: {
      in: ['nodeup', 'journal'],
      anchors: [
        'kops-configuration.service: Succeeded',
        'kops-configuration.service: Deactivated',
        'Finished Run kops bootstrap',
        'Finished Run kOps bootstrap',
      ],
      pattern:
        /kops-configuration\.service: (?:Succeeded|Deactivated)|Finished Run k[oO]ps bootstrap/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, was, path, reason }) =>
    was === undefined
      ? `nodeup on ${machine ?? 'the machine'} cannot use ${path ?? 'its configuration'} (${reason?.trim() ?? 'refused'}), so nothing is installed.`
      : `The launch template of ${machine ?? 'the machine'} is older than the kOps state store: nodeup’s configuration has another hash than expected, so nothing is installed.`,
  remedy: () => [
    {
      text: 'Bring launch templates and state store together again.',
      command:
        'kops update cluster --name <cluster> --yes && kops rolling-update cluster --name <cluster> --yes',
    },
    {
      text: 'Refused by S3: let the node’s role read the state store.',
      command: 'aws s3 ls s3://<state-store>/<cluster>/igconfig/node/',
    },
  ],
  decide: {
    text: 'Read what nodeup says.',
    command: 'journalctl -u kops-configuration --no-pager | tail -n 20',
  },
  page: {
    why: 'A kOps machine carries the hash of its configuration in user data and fetches the configuration itself from the state store or kops-controller. Updating the store without replacing the launch template, or a role that may not read it, stops nodeup.',
    prevent: 'Always run update and rolling-update together; never edit the state store by hand.',
    notThis:
      'Time-outs and names that do not resolve are the network, not the configuration. Waiting for kops-controller is kops-controller-name-unresolved, a refusal by it identity-rejected-by-kops-controller.',
    refs: ['https://github.com/kubernetes/kops/blob/HEAD/upup/pkg/fi/nodeup/command.go'],
  },
});
