import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** nodeup cannot use the configuration or the files that the kOps state store gives it. */
export default defineCause({
  id: 'nodeup-config-unusable',
  stage: 'bootstrapped',
  title: 'nodeup cannot use its configuration or assets',
  scope: 'machine',
  signs: {
    hashDiffers: definite(
      ['nodeup', 'cloud-init'],
      /nodeup config hash mismatch \(was "(?<was>[^"]*)", expected "(?<expected>[^"]*)"\)/,
    ),
    flagUnknown: likely(
      ['nodeup', 'cloud-init', 'console'],
      /(?<reason>flag provided but not defined: -(?:install-systemd-unit|conf|retries|cache|target|fs))\b/,
      { anchors: ['flag provided but not defined'] },
    ),
    groupNotLoaded: definite(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /error loading NodeupConfig "?(?<path>[^\s"]+)"?: (?!.*(?:i\/o timeout|no such host|deadline exceeded|NoCredentialProviders))(?<reason>.{0,160})/,
    ),
    answerNotParsed: definite(
      ['nodeup', 'cloud-init'],
      /parsing (?:Cluster config response|NodeupConfig\b[^:]{0,80}): (?<reason>.{0,160})/,
      { anchors: ['parsing Cluster config response', 'parsing NodeupConfig'] },
    ),
    notLoaded: definite(
      ['nodeup', 'cloud-init', 'kops-controller'],
      /error loading (?:configuration|Cluster|InstanceGroup) "?(?<path>[^\s"]+)"?: (?!.*(?:i\/o timeout|no such host|deadline exceeded|NoCredentialProviders))(?<reason>.{0,160})/,
      { strict: true },
    ),
    notParsed: definite(
      ['nodeup', 'cloud-init'],
      /parsing (?:configuration|InstanceGroup)\b[^:]{0,200}: (?<reason>.{0,160})/,
      { anchors: ['error parsing configuration', 'parsing InstanceGroup'], strict: true },
    ),
    assetRefused: likely(
      ['nodeup', 'cloud-init'],
      /error adding asset "?(?<path>[^\s"@]+)(?:@[^\s"]*)?"?: (?!.*(?:i\/o timeout|no such host|deadline exceeded|connection re(?:set|fused)|Client\.Timeout exceeded|TLS handshake timeout|unexpected EOF))(?<reason>.{0,160})/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    assetsLack: definite(
      ['nodeup', 'cloud-init'],
      /(?<reason>unable to (?:find any \w[\w ./-]{1,40} (?:binaries )?in assets|locate asset "[^"]{1,120}"))/,
      { anchors: [' in assets', 'unable to locate asset'] },
    ),
    tasksNotBuilt: likely(
      ['nodeup', 'cloud-init'],
      /got error running nodeup.*error building loader: (?!.*(?:i\/o timeout|no such host|deadline exceeded|connection re|NoCredentialProviders|RequestLimitExceeded|Throttling|EC2Metadata))(?<reason>.{0,160})/,
      { anchors: ['error building loader: '] },
    ),
    unitDone: withdraws(
      ['nodeup', 'journal'],
      /kops-configuration\.service: (?:Succeeded|Deactivated)|Finished Run k[oO]ps bootstrap/,
    ),
    distributionUnknown: likely(
      ['nodeup', 'cloud-init'],
      /got error running nodeup.*(?<reason>error determining OS distribution: [^"\n]{0,120})/,
      { anchors: ['error determining OS distribution: '] },
    ),
    nodeConfigNotBuilt: context(['nodeup'], /failed to build node config/),
    hashTold: likely(
      ['client-output', 'unknown', 'journal', 'console'],
      /\bnodeup config hash mismatch\b/,
      { isTold: true },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, was, path, reason }) =>
    was === undefined
      ? `nodeup on ${machine ?? 'the machine'} cannot use ${path ?? 'its configuration'} (${reason?.trim() ?? 'refused'}), so nothing is installed.`
      : `The launch template of ${machine ?? 'the machine'} is older than the kOps state store: nodeup’s configuration has another hash than expected, so nothing is installed.`,
  remedy: () => [
    step(
      'Bring launch templates and state store together again.',
      'kops update cluster --name <cluster> --yes && kops rolling-update cluster --name <cluster> --yes',
    ),
    step(
      'Refused by S3: let the node’s role read the state store.',
      'aws s3 ls s3://<state-store>/<cluster>/igconfig/node/',
    ),
  ],
  decide: step(
    'Read what nodeup says.',
    'journalctl -u kops-configuration --no-pager | tail -n 20',
  ),
  page: {
    why: 'A kOps machine carries the hash of its configuration in user data and fetches the configuration itself from the state store or kops-controller. Updating the store without replacing the launch template, or a role that may not read it, stops nodeup.',
    prevent: 'Always run update and rolling-update together; never edit the state store by hand.',
    notThis:
      'Time-outs and names that do not resolve are the network, not the configuration. Waiting for kops-controller is kops-controller-name-unresolved, a refusal by it identity-rejected-by-kops-controller.',
    refs: ['https://github.com/kubernetes/kops/blob/HEAD/upup/pkg/fi/nodeup/command.go'],
  },
});
