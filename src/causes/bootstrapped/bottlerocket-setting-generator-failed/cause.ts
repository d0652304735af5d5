import { defineCause, step } from '../../../diagnosis/cause.ts';
import { clears, definite, likely } from '../../../diagnosis/sign.ts';

/** Bottlerocket could not work out a setting that the kubelet needs. */
export default defineCause({
  id: 'bottlerocket-setting-generator-failed',
  stage: 'bootstrapped',
  title: 'a Bottlerocket settings generator failed, so the kubelet has no configuration',
  scope: 'machine',
  signs: {
    noClusterName: definite(
      ['bottlerocket', 'console'],
      /(?<reason>Unable to retrieve cluster name and AWS region from Bottlerocket API)/,
    ),
    noRegion: definite(
      ['bottlerocket', 'console'],
      /(?:pluto|sundog).*(?<reason>Missing AWS region)/,
    ),
    describeTimedOut: likely(
      ['bottlerocket', 'console'],
      /(?<reason>Timed-out waiting for EKS Describe Cluster API response)/,
    ),
    generatorFailed: likely(
      ['bottlerocket', 'console'],
      /Setting generator '(?<generator>(?!pluto private-dns-name)[^']+)' (?:failed with exit code (?:\d+|signal)(?: - stderr)?|returned unexpected exit code '\d+' - stderr): (?!.*(?:IMDS request failed|private DNS name|Error describing))(?<reason>.{0,160})/,
      { anchors: ['Setting generator'] },
    ),
    // Before messages were made for people, the error was printed as the program holds it.
    generatorFailedRaw: likely(
      ['bottlerocket', 'console'],
      /FailedSettingGenerator \{ program: "(?<generator>(?!pluto private-dns-name)[^"]{1,120})", code: "(?:\d+|signal)", stderr: "(?!.{0,400}(?:private DNS name|Error describing))(?<reason>.{0,160})/,
    ),
    generatorNotRun: likely(
      ['bottlerocket', 'console'],
      /(?<reason>(?:Failed to start generator|Timed-out waiting for settings generator|Invalid \(non-utf8\) output from generator) '(?<generator>[^']{1,120})'.{0,80})/,
      {
        anchors: [
          'ailed to start generator',
          'waiting for settings generator',
          'output from generator',
        ],
      },
    ),
    settingRefused: likely(
      ['bottlerocket', 'console'],
      /\bsundog\b.{0,40}(?<reason>Error deserializing .{1,160})/,
      { anchors: ['Error deserializing'] },
    ),
    // These words are sundog's alone, also where its tag was cut off.
    settingsNotUnderstood: likely(
      ['bottlerocket', 'console'],
      /(?<reason>Error deserializing (?:HashMap to Settings|command output as JSON)\b.{1,160})/,
    ),
    noUserData: clears(
      ['bottlerocket', 'console', 'journal'],
      /Failed to start Bottlerocket userdata configuration system/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, generator, reason }) =>
    `Bottlerocket on ${machine ?? 'the machine'} could not generate ${generator === undefined ? 'a Kubernetes setting' : `the setting of “${generator}”`}${reason === undefined ? '' : ` (${reason.trim()})`}, so the kubelet is never configured.`,
  remedy: () => [
    step(
      'Give the value in the user data, so that nothing has to be looked up.',
      'printf \'[settings.kubernetes]\\ncluster-name = "<cluster>"\\nmax-pods = 58\\ncluster-dns-ip = "<service-cidr-base>.10"\\n[settings.aws]\\nregion = "<region>"\\n\'',
    ),
    step(
      'For a new instance type or region move to the current image.',
      'aws ssm get-parameter --name /aws/service/bottlerocket/aws-k8s-<version>/x86_64/latest/image_id --query Parameter.Value',
    ),
  ],
  decide: step(
    'Read the generators’ own lines from the console.',
    'aws ec2 get-console-output --latest --output text --instance-id <instance>',
  ),
  page: {
    why: 'Bottlerocket computes node address, DNS address, pod limit and name at boot with small programs (pluto, schnauzer). If one fails, the settings are not committed, and the kubelet’s unit stays the placeholder that exits with 1.',
    prevent: 'Set cluster-name, api-server, cluster-certificate and cluster-dns-ip in user data.',
    notThis:
      'A failure of early-boot-config before it is invalid-bottlerocket-user-data; “private-dns-name” is private-dns-name-lookup-failed; “IMDS request failed” is imds-unreachable-on-host.',
    alsoKnownAs: ["sundog: Setting generator 'pluto cluster-dns-ip' failed with exit code 1"],
    refs: [
      'https://github.com/bottlerocket-os/bottlerocket-core-kit/blob/HEAD/sources/api/pluto/src/main.rs',
    ],
  },
});
