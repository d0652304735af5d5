import { defineCause } from '../../../diagnosis/cause.ts';

/** The parts of the user data are not told apart, so boundaries or headers run as commands. */
export default defineCause({
  id: 'malformed-mime-user-data',
  stage: 'bootstrapped',
  title: 'the MIME structure of the user data is broken',
  scope: 'machine',
  signs: {
    boundaryExecuted: {
      in: ['cloud-init', 'console'],
      anchors: ['command not found'],
      pattern:
        /\/instance\/scripts\/\S+: line \d+: (?<boundary>--\S*(?:==|\/\/|[Bb]oundary|BOUNDARY)\S*|--\S+--): command not found/,
      weight: 'definite',
    },
    headerExecuted: {
      in: ['cloud-init', 'console'],
      anchors: [
        'Content-Type:: command not found',
        'MIME-Version:: command not found',
        'Mime-Version:: command not found',
      ],
      pattern:
        /line \d+: (?<boundary>Content-Type:|MIME-Version:|Mime-Version:): command not found/,
      weight: 'definite',
    },
    notMultipart: {
      in: ['cloud-init', 'console'],
      anchors: ['text/x-not-multipart'],
      pattern:
        /Unhandled non-multipart \(text\/x-not-multipart\) userdata: .{0,4}(?<boundary>--[=\w/]+|Content-Type|MIME-Version)/i,
      weight: 'definite',
    },
    kubeletRuns: {
      in: ['kubelet'],
      anchors: ['Starting kubelet main sync loop'],
      pattern: /Starting kubelet main sync loop/,
      weight: 'clears',
      strict: true,
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['nodeconfig-missing', 'failed-user-script', 'undecodable-nodeconfig'],
  summary: ({ machine, boundary }) =>
    `The MIME user data of ${machine ?? 'the machine'} is malformed: ${boundary === undefined ? 'a boundary or header' : `“${boundary}”`} was taken for content, so parts of it are lost and the node is not set up.`,
  remedy: () => [
    {
      text: 'Read the user data as the machine got it.',
      command:
        'aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | cat -A',
    },
    {
      text: 'Give every part its headers, an empty line, then its content; open each part with --BOUNDARY and close the last with --BOUNDARY-- alone on its line, nothing after it. Then publish a new launch template version and replace the machines.',
      command: null,
    },
  ],
  decide: {
    text: 'Show the user data with its invisible characters.',
    command: 'sudo cat -A /var/lib/cloud/instance/user-data.txt | head -n 60',
  },
  page: {
    why: 'User data of several parts is a MIME document. EKS merges its own part into that of a managed node group’s launch template, so a closing boundary with a stray character, a missing empty line or an indented header is only noticed on the machine, where the text behind it runs as a shell script or is dropped.',
    prevent:
      'Build the document with a tool (cloud-init devel make-mime, the Terraform cloudinit provider) and test that a MIME parser finds the expected parts.',
    notThis:
      'A long option on a line of its own (“--kubelet-extra-args: command not found”) is a lost line continuation, which is failed-user-script. A sound document without NodeConfig is nodeconfig-missing.',
    alsoKnownAs: [
      '--==MYBOUNDARY==--: command not found',
      'Unhandled non-multipart (text/x-not-multipart) userdata',
    ],
    refs: [
      'https://github.com/awsdocs/amazon-eks-user-guide/pull/392',
      'https://github.com/awslabs/amazon-eks-ami/issues/2318',
    ],
  },
});
