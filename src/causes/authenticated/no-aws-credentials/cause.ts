import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { InstanceProfile, Role } from '../../../evidence/aws/iam.ts';
import type { Seen } from '../../../evidence/fact.ts';

/** The instance has no role, so nothing on it gets AWS credentials. */
const cause = defineCause({
  id: 'no-aws-credentials',
  stage: 'authenticated',
  title:
    'the machine has no AWS credentials: no instance profile, no role in it, or a role EC2 may not assume',
  scope: 'machine',
  signs: {
    trustWrong: definite(
      ['kubelet', 'cloud-init', 'nodeadm', 'client-output', 'journal', 'host-file'],
      /"Code"\s*:\s*"(?<code>AssumeRoleUnauthorizedAccess|InstanceProfileNotFound)"/,
    ),
    noRoleInMetadata: likely(
      ['kubelet', 'nodeadm', 'cloud-init', 'bottlerocket'],
      /no EC2 IMDS role found/,
      { atLeast: 3 },
    ),
    // The kubelet ends with it; metadata that has no role answers the next start in the same way.
    providerWithoutCredentials: likely(
      ['kubelet'],
      /could not init cloud provider "?\\*"?aws.*NoCredentialProviders/,
      { anchors: ['could not init cloud provider'] },
    ),
    noCredentials: context(
      ['kubelet', 'cloud-init', 'console', 'nodeadm', 'bottlerocket'],
      /NoCredentialProviders|Unable to locate credentials|no valid providers in chain|no EC2 IMDS role found/,
    ),
    // Metadata answers, and has nothing where the name of the role would be.
    roleNotFound: context(
      ['host-file', 'client-output', 'unknown'],
      /\/meta-data\/iam\/(?:info|security-credentials)\/?["'`]?(?:: | (?:only )?(?:returns?|gives?|answers?|says|shows|is|->|=>) (?:with |an? |me )?(?:HTTP |status |code )?)404\b/,
      { anchors: ['/meta-data/iam/'] },
    ),
    roleAsked: context(
      ['host-file', 'client-output', 'unknown'],
      /(?:^|[$#>]\s).{0,200}\/iam\/(?:info|security-credentials)\/?["']?\s{0,4}(?:$|[;|&<])/,
      { anchors: ['/iam/info', '/iam/security-credentials'], isBackground: true },
    ),
    // The page that metadata answers with, which other addresses of it give as well.
    notFoundPage: context(['host-file', 'client-output', 'unknown'], /\b404 - Not Found\b/, {
      isBackground: true,
    }),
    roleNamed: context(
      ['host-file'],
      /GET \/latest\/meta-data\/iam\/security-credentials\/?: 200/,
      {
        isBackground: true,
      },
    ),
    pluginFailed: context(
      ['kubelet'],
      /getting credentials: exec: executable \S*aws\S* failed with exit code \d+/,
    ),
    toldNoProfile: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Ll]aunch (?:template|configuration)|[Ii]nstances?|[Mm]achines?|[Nn]odes?|[Ww]orkers?) (?:\w{1,20} ){0,3}?(?:no|without(?: an?| any)?|missing(?: an?| the)?|lack(?:s|ed|ing)?(?: an?)?) (?:IAM )?instance profile\b|\b[Ff]orgot (?:to (?:attach|add|set|specify) )?(?:the |an? )?(?:IAM )?instance profile\b/,
      { isTold: true, anchors: ['instance profile'] },
    ),
  },
  needs: [
    'aws/instance',
    'aws/instance-profile',
    'aws/profile-association',
    'aws/role',
    'aws/cluster',
  ],
  symptoms: ['no-answer-from-metadata', 'machine-without-node'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: [
    'late-instance-credentials',
    'describe-cluster-failed',
    'private-dns-name-lookup-failed',
    'failed-user-script',
    'pause-image-pull-failed',
  ],
  summary: ({ machine, code, profile, role, trusted, association }) =>
    association !== undefined
      ? `EC2 has not given ${machine ?? 'the machine'} its instance profile ${profile ?? ''}: the association is ${association}, so metadata has no credentials and the kubelet no token.`
      : role !== undefined
        ? `The trust policy of ${role} lets ${trusted ?? 'others'} assume it and not ec2.amazonaws.com, so ${machine ?? 'the machine'} gets no AWS credentials and the kubelet no token.`
        : profile !== undefined
          ? `The instance profile ${profile} contains no role, so ${machine ?? 'the machine'} gets no AWS credentials and the kubelet no token.`
          : code === undefined
            ? `${machine ?? 'The machine'} has no instance profile with a usable role, so it gets no AWS credentials and the kubelet no token.`
            : `EC2 cannot give ${machine ?? 'the machine'} the credentials of its role (${code}); the kubelet gets no token.`,
  remedy: ({ code, profile, role, association, id }) => [
    association !== undefined
      ? step(
          'End the association and make it again.',
          `aws ec2 disassociate-iam-instance-profile --association-id ${id ?? '<association>'} && aws ec2 associate-iam-instance-profile --instance-id <instance> --iam-instance-profile Name=${profile ?? '<profile>'}`,
        )
      : code === undefined && profile === undefined && role === undefined
        ? step(
            'Give the instance a profile with the node role.',
            'aws ec2 associate-iam-instance-profile --instance-id <instance> --iam-instance-profile Name=<profile>',
          )
        : profile === undefined
          ? step(
              'Let EC2 assume the role.',
              `aws iam update-assume-role-policy --role-name ${role?.split('/').at(-1) ?? '<node-role>'} --policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'`,
            )
          : step(
              'Put the node role into the profile.',
              `aws iam add-role-to-instance-profile --instance-profile-name ${profile} --role-name <node-role>`,
            ),
    step('Then replace the machine or restart the kubelet.', 'sudo systemctl restart kubelet'),
  ],
  decide: step(
    'Ask metadata for the role and for the state of its credentials.',
    'TOKEN=$(curl -sX PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 60" http://169.254.169.254/latest/api/token); curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/iam/info',
  ),
  page: {
    why: 'A node signs its token with the credentials of its instance profile. A launch template without profile, a profile whose role was deleted, or a trust policy without ec2.amazonaws.com leave metadata without any.',
    prevent:
      'Check launch templates for a profile, and do not delete roles that profiles still name.',
    notThis:
      'Metadata that does not answer at all is imds-unreachable-on-host; credentials that come some seconds late are late-instance-credentials; a plugin that does not run is broken-exec-credential-plugin.',
    alsoKnownAs: [
      'NoCredentialProviders: no valid providers in chain',
      'Unable to locate credentials',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1034',
      'https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html',
    ],
  },
});

export default matched(cause, matchInstance);

type Own = ViewOf<typeof cause>;

function matchInstance(view: Own): Match | null {
  return matchMetadata(view) ?? matchDescribed(view);
}

/** A program of the machine lacks credentials, and metadata has no role for them. */
function matchMetadata(view: Own): Match | null {
  const complaint = view.sign('noCredentials') ?? view.sign('pluginFailed');
  // What a person tries on the machine stands beside its log.
  const asked = view.sign('roleAsked') ?? view.clusterSign('roleAsked');
  const page =
    asked === null ? null : (view.sign('notFoundPage') ?? view.clusterSign('notFoundPage'));
  const role = view.sign('roleNotFound') ?? page;
  if (complaint === null || role === null || view.sign('roleNamed') !== null) return null;
  return found({}, [role.first, complaint.first], 'likely');
}

function matchDescribed(view: Own): Match | null {
  const instances = view
    .list('aws/instance')
    .filter(({ value }) => view.instanceId === null || value.InstanceId === view.instanceId);
  const [instance] = instances;
  const isOne = new Set(instances.map(({ value }) => value.InstanceId ?? null)).size === 1;
  const complains = view.sign('noCredentials') !== null || view.sign('pluginFailed') !== null;
  if (instance === undefined || !isOne || !(complains || isNode(instance.value))) return null;
  if (!complains && view.isLive && !isLostOfEks(view)) return null;
  if (isKnownWithout(instance.value))
    return found({}, [view.quote(instance, 'the instance has no IamInstanceProfile')]);
  const own = matchAssociation(view, instance.value) ?? matchProfile(view, instance.value);
  return own?.verdict === 'clear' && complains ? null : own;
}

function matchProfile(view: Own, instance: Instance): Match | null {
  const profile = profileOf(view, instance);
  const roles = profile?.value.Roles;
  if (profile === undefined || roles === undefined) return null;
  const name = profile.value.InstanceProfileName ?? '';
  const role = roles?.[0]?.Arn ?? null;
  if (role !== null) return matchTrust(view, role) ?? clear;
  return found({ profile: name }, [view.quote(profile, `instance profile ${name} has no roles`)]);
}

function profileOf(view: Own, instance: Instance): Seen<InstanceProfile> | undefined {
  const arn = instance.IamInstanceProfile?.Arn;
  return view
    .list('aws/instance-profile')
    .find((fact) => arn?.endsWith(`/${fact.value.InstanceProfileName ?? ' '}`) === true);
}

/** The profile is on its way to the instance, or from it, for longer than a machine takes to join. */
function matchAssociation(view: Own, instance: Instance): Match | null {
  const isLost = view.shows('machine-without-node') || view.sign('noCredentials') !== null;
  const own = view
    .list('aws/profile-association')
    .filter(({ value }) => (value.InstanceId ?? null) === (instance.InstanceId ?? null));
  const states = own.map(({ value }) => value.State ?? '');
  const [first] = own;
  // Where one profile takes the place of another, the instance has both for a moment.
  if (!isLost || first === undefined || states.includes('associated')) return null;
  const [association = ''] = states;
  const profile = (first.value.IamInstanceProfile?.Arn ?? '').split('/').at(-1) ?? '';
  const id = first.value.AssociationId ?? '';
  const words = `${id} of ${instance.InstanceId ?? ''}: profile ${profile} is ${association}`;
  return found({ association, profile, id }, [view.quote(first, words)]);
}

/** Nodes of EKS sign their tokens with the role; those of other clusters join without AWS. */
function isLostOfEks(view: Own): boolean {
  return view.shows('machine-without-node') && view.list('aws/cluster').length > 0;
}

/** A role that EC2 may not assume gives a machine nothing, which then has no Node. */
function matchTrust(view: Own, arn: string): Match | null {
  const role = view.list('aws/role').find(({ value }) => value.Arn === arn);
  const services = role === undefined ? null : trustedServices(role.value);
  if (role === undefined || services === null || services.some(isEc2)) return null;
  const isLost = view.shows('machine-without-node') || view.sign('noCredentials') !== null;
  if (!isLost) return null;
  const trusted = services.join(', ') || 'no service';
  return found({ role: arn, trusted }, [
    view.quote(role, `role ${arn} trusts ${trusted}, not ec2.amazonaws.com`),
  ]);
}

function isEc2(service: string): boolean {
  return service === '*' || /^ec2\.amazonaws\.com(?:\.cn)?$/.test(service);
}

/** Services that the trust policy allows; null when it is not to be read. */
function trustedServices({ AssumeRolePolicyDocument: policy }: Role): readonly string[] | null {
  if (policy === undefined) return null;
  return policy.Statement.filter(({ Effect: effect }) => effect === 'Allow')
    .flatMap(({ Principal: { Service: services = [], '*': anybody = [] } }) => [
      ...services,
      ...anybody,
    ])
    .filter((service) => service !== '');
}

/** A --query that leaves fields out says nothing about the profile. */
function isKnownWithout({ IamInstanceProfile: profile, ImageId: image, State }: Instance): boolean {
  const isDescribedWhole = typeof image === 'string' && State?.Name === 'running';
  return profile === null && isDescribedWhole;
}

function isNode(instance: Instance): boolean {
  return (instance.Tags ?? []).some(({ Key: key }) =>
    /^(?:kubernetes\.io\/cluster\/|eks:|karpenter\.sh\/|k8s\.io\/cluster-autoscaler\/)/.test(
      key ?? '',
    ),
  );
}
