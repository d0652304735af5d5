import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** User data in a form that EKS or Karpenter cannot merge with its own. */
const judged = defineCause({
  id: 'user-data-rejected-at-launch',
  stage: 'launched',
  title: 'the user data is refused when the launch template is built',
  scope: 'group',
  signs: {
    notMultipart: definite(
      ['aws-message', 'terraform', 'client-output'],
      /User data was not (?<format>in the MIME multipart|a TOML) format/i,
      { anchors: ['not in the MIME multipart format', 'not a TOML format'] },
    ),
    notBase64: definite(
      ['aws-message', 'terraform', 'client-output', 'karpenter'],
      /(?<encoding>[Ii]nvalid BASE64 encoding) of user data/,
    ),
    unreadable: definite(
      ['karpenter', 'node-claim', 'event'],
      /user data input unreadable(?: user data)?,? ?(?<reason>.{0,120})|user data input user data (?<header>is not in multipart MIME format|does not define a content-type header)|getting launch templates, user data (?<header2>is not in multipart MIME format)|parsing custom UserData, archive (?:is not in multipart format|doesn't have Content-Type header)/,
    ),
    headerWithoutColon: definite(
      ['karpenter', 'node-claim', 'event'],
      /malformed MIME header(?: line| initial line)?: missing colon: "?(?<reason>[^"]{0,80})/,
      { strict: true },
    ),
    notToml: definite(
      ['karpenter', 'node-claim', 'event'],
      /\b[Ii]nvalid UserData,? (?<reason>.{0,120})/,
      { strict: true },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'launch-template-conflict',
    'launch-template-deleted-or-edited',
    'malformed-mime-user-data',
    'invalid-bottlerocket-user-data',
    'karpenter-nodeclass-not-ready',
    'karpenter-launch-timeout',
    'node-creation-failure-verdict',
  ],
  summary: ({ reason, format, encoding }) =>
    encoding !== undefined
      ? 'EC2 refuses the user data, which is not encoded in Base64, so no launch template is made and nothing is launched.'
      : `The user data cannot be merged with the node group’s own${reason === undefined ? ` (not ${format?.includes('TOML') === true ? 'TOML' : 'MIME multipart'})` : ` (${reason.replace(/[\\"}]+$/, '')})`}, so no launch template is made and nothing is launched.`,
  remedy: () => [
    step(
      'Read the user data as it is sent.',
      'aws ec2 describe-launch-template-versions --launch-template-id <template> --versions $Latest --query LaunchTemplateVersions[].LaunchTemplateData.UserData --output text | base64 -d | head -n 30',
    ),
    step('Where EC2 names Base64, encode the whole document once.', 'base64 -w 0 user-data.txt'),
    step(
      'Amazon Linux: send one MIME multipart document, with an empty line between the headers and the first boundary. Bottlerocket: valid TOML, in YAML as a literal block (userData: |), not folded (>).',
      'kubectl get ec2nodeclass <node-class> -o jsonpath={.spec.userData}',
    ),
  ],
  decide: step(
    'Read the user data as it is sent.',
    'kubectl get ec2nodeclass <node-class> -o jsonpath={.spec.userData}',
  ),
  page: {
    why: 'Managed node groups and Karpenter add their own part to the user data. That needs a MIME multipart document (Amazon Linux) or TOML (Bottlerocket); a plain script, a missing empty line or a folded YAML block cannot be merged.',
    prevent:
      'Build user data with a tool that writes MIME (cloud-init devel make-mime, Terraform’s cloudinit_config) and render it in a test.',
    notThis:
      'User data that is accepted here and breaks on the machine is malformed-mime-user-data or invalid-bottlerocket-user-data; too much of it is user-data-too-large.',
    alsoKnownAs: [
      'Invalid BASE64 encoding of user data',
      'User data was not in the MIME multipart format',
      'malformed MIME header: missing colon',
    ],
    refs: [
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/1875',
      'https://github.com/aws/karpenter-provider-aws/pull/3212',
      'https://github.com/aws/karpenter-provider-aws/issues/5915',
    ],
  },
});

export default foreseen(
  judged,
  (plan, group) => {
    const { userData, family, isOwnImage } = machineOf(plan, group);
    if (group.kind !== 'NodeGroup' || isOwnImage) return null;
    if (userData === null || family === null) return NOT_SHOWN;
    const { form } = userData.value;
    const wanted = family === 'bottlerocket' ? ['toml', 'empty'] : ['mime', 'empty', 'compressed'];
    if (family === 'windows' || wanted.includes(form)) return clear;
    const format = family === 'bottlerocket' ? 'TOML' : 'MIME multipart';
    return found({ format }, [
      plan.quote(
        userData,
        `user data of the managed group ${group.name} is not ${format}: ${form}`,
      ),
    ]);
  },
  {
    remedy: ({ format }) => [
      step(
        userDataStep(
          `give one ${format ?? 'MIME multipart'} document; EKS merges its own part into it.`,
        ),
      ),
    ],
  },
);
