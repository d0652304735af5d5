import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { launchOf } from '../../../domain/instances/launch.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** The parts of the user data are not told apart, so boundaries or headers run as commands. */
const cause = defineCause({
  id: 'malformed-mime-user-data',
  stage: 'bootstrapped',
  title: 'the MIME structure of the user data is broken',
  scope: 'machine',
  signs: {
    boundaryExecuted: definite(
      ['cloud-init', 'console'],
      /\/instance\/scripts\/\S+: line \d+: (?<boundary>--\S*(?:==|\/\/|[Bb]oundary|BOUNDARY)\S*|--\S+--): command not found/,
    ),
    headerExecuted: definite(
      ['cloud-init', 'console'],
      /line \d+: (?<boundary>Content-Type:|MIME-Version:|Mime-Version:): command not found/,
    ),
    notMultipart: definite(
      ['cloud-init', 'console'],
      /Unhandled non-multipart \(text\/x-not-multipart\) userdata: .{0,4}(?<boundary>--[=\w/]+|Content-Type|MIME-Version)/i,
      { anchors: ['text/x-not-multipart'] },
    ),
    notParsed: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*(?<fault>multipart: (?:NextPart: [\w ]{1,40}|boundary is empty)|MIME type is not multipart|malformed MIME header)/,
      {
        anchors: [
          'multipart: NextPart',
          'multipart: boundary is empty',
          'MIME type is not multipart',
          'malformed MIME header',
        ],
      },
    ),
    header: context(
      ['user-data', 'cloud-init', 'nodeadm'],
      /^\s*(?<header>Content-Type: (?:text|application|multipart)\/|MIME-Version: 1)/,
    ),
    body: context(
      ['user-data', 'cloud-init', 'nodeadm'],
      /^\s*(?<body>#!\/bin\S*|apiVersion: node\.eks\.aws\S*|#cloud-config|--[=\w]+)\s*$/,
      {
        anchors: [
          '#!/bin',
          'apiVersion: node.eks.aws',
          '#cloud-config',
          '--==MYBOUNDARY==',
          '--BOUNDARY',
          '--MIMEBOUNDARY',
          '--==========',
        ],
      },
    ),
    notSetUp: context(
      ['nodeadm', 'cloud-init', 'console', 'aws-message', 'terraform', 'event'],
      /Command failed|failed to join the kubernetes cluster|NodeCreationFailure|NodesFailedToJoinCluster|Failed to run module scripts/,
    ),
    kubeletRuns: context(
      ['kubelet'],
      /Starting kubelet main sync loop|Observed pod startup duration/,
      { strict: true },
    ),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: ['user-data-script-failed', 'machine-without-node'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['nodeconfig-missing', 'failed-user-script', 'undecodable-nodeconfig'],
  summary: ({ machine, instance, boundary, body, fault }) =>
    `The MIME user data of ${instance ?? machine ?? 'the machine'} is malformed: ${fault ?? faultOf(boundary, body)}, so parts of it are lost and the node is not set up.`,
  remedy: () => [
    step(
      'Read the user data as the machine got it.',
      'aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | cat -A',
    ),
    step(
      'Give every part its headers, an empty line, then its content; open each part with --BOUNDARY and close the last with --BOUNDARY-- alone on its line, nothing after it. Then publish a new launch template version and replace the machines.',
    ),
  ],
  decide: step(
    'Show the user data with its invisible characters.',
    'sudo cat -A /var/lib/cloud/instance/user-data.txt | head -n 60',
  ),
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

const judged = matched(cause, (view) => matchGiven(view) ?? matchHeaderWithoutEnd(view));

type Own = ViewOf<typeof cause>;

/** A part whose content begins on the line after its headers has no end of headers at all. */
function matchHeaderWithoutEnd(view: Own): Match | null {
  if (view.sign('kubeletRuns') !== null) return clear;
  const headers = view.sign('header')?.quotes ?? [];
  const bodies = view.sign('body')?.quotes ?? [];
  const body = bodies.find((quote) => headers.some((header) => isLineBefore(header, quote)));
  const trouble = view.sign('notSetUp');
  if (body === undefined || trouble === null) return null;
  return found({ body: body.captures['body'] ?? '' }, [body, trouble.first], 'likely');
}

function isLineBefore(header: Quote, body: Quote): boolean {
  const { at } = header.moment;
  return at.document === body.moment.at.document && at.line + 1 === body.moment.at.line;
}

function faultOf(boundary: string | undefined, body: string | undefined): string {
  if (body !== undefined) return `“${body}” follows its headers without an empty line`;
  return `${boundary === undefined ? 'a boundary or header' : `“${boundary}”`} was taken for content`;
}

const FAULTS = ['boundaryExecuted', 'headerExecuted', 'notMultipart', 'notParsed'] as const;

/** nodeadm reads no further than the fault; a NodeConfig before it was read already. */
function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch === null) return null;
  const { mimeFault, nodeConfigs, form } = launch.given.value;
  if (mimeFault === null && form !== 'compressed') return clearUnlessSeen(view, FAULTS);
  if (launch.family !== 'al2023' || mimeFault === null || nodeConfigs.length > 0) return null;
  if (!view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, fault: mimeFault }, [
    view.quote(launch.given, `user data of ${launch.id}: ${mimeFault}`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(
      userDataStep(
        'give every part its headers, an empty line and its content, and close the last part with --BOUNDARY--; data.cloudinit_config writes it so.',
      ),
    ),
  ],
});
