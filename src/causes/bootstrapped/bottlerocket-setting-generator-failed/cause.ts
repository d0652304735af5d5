import { defineCause } from '../../../diagnosis/cause.ts';

/** Bottlerocket could not work out a setting that the kubelet needs. */
export default defineCause({
  id: 'bottlerocket-setting-generator-failed',
  stage: 'bootstrapped',
  title: 'a Bottlerocket settings generator failed, so the kubelet has no configuration',
  scope: 'machine',
  signs: {
    noClusterName: {
      in: ['bottlerocket', 'console'],
      anchors: ['Unable to retrieve cluster name and AWS region'],
      pattern: /(?<reason>Unable to retrieve cluster name and AWS region from Bottlerocket API)/,
      weight: 'definite',
    },
    noRegion: {
      in: ['bottlerocket', 'console'],
      anchors: ['Missing AWS region'],
      pattern: /(?:pluto|sundog).*(?<reason>Missing AWS region)/,
      weight: 'definite',
    },
    describeTimedOut: {
      in: ['bottlerocket', 'console'],
      anchors: ['waiting for EKS Describe Cluster'],
      pattern: /(?<reason>Timed-out waiting for EKS Describe Cluster API response)/,
      weight: 'likely',
    },
    generatorFailed: {
      in: ['bottlerocket', 'console'],
      anchors: ['Setting generator'],
      pattern:
        /Setting generator '(?<generator>(?!pluto private-dns-name)[^']+)' failed with exit code \d+ - stderr: (?!.*(?:IMDS request failed|private DNS name|Error describing))(?<reason>.{0,160})/,
      weight: 'likely',
    },
    noUserData: {
      in: ['bottlerocket', 'console', 'journal'],
      anchors: ['Failed to start Bottlerocket userdata configuration system'],
      pattern: /Failed to start Bottlerocket userdata configuration system/,
      weight: 'clears',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, generator, reason }) =>
    `Bottlerocket on ${machine ?? 'the machine'} could not generate ${generator === undefined ? 'a Kubernetes setting' : `the setting of “${generator}”`}${reason === undefined ? '' : ` (${reason.trim()})`}, so the kubelet is never configured.`,
  remedy: () => [
    {
      text: 'Give the value in the user data, so that nothing has to be looked up.',
      command:
        'printf \'[settings.kubernetes]\\ncluster-name = "<cluster>"\\nmax-pods = 58\\ncluster-dns-ip = "<service-cidr-base>.10"\\n[settings.aws]\\nregion = "<region>"\\n\'',
    },
    {
      text: 'For a new instance type or region move to the current image.',
      command:
        'aws ssm get-parameter --name /aws/service/bottlerocket/aws-k8s-<version>/x86_64/latest/image_id --query Parameter.Value',
    },
  ],
  decide: {
    text: 'Read the generators’ own lines from the console.',
    command: 'aws ec2 get-console-output --latest --output text --instance-id <instance>',
  },
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
