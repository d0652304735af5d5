import { defineCause } from '../../../diagnosis/cause.ts';

/** kiam's server has no credentials of its own, or STS refuses it the roles of the pods. */
export default defineCause({
  id: 'kiam-server-cannot-assume-roles',
  stage: 'credentialed',
  title: 'kiam’s server cannot assume the roles of pods',
  scope: 'cluster',
  signs: {
    refused: {
      in: ['kiam-server', 'kiam-agent'],
      anchors: [
        'error requesting credentials',
        'error retrieving credentials',
        'error fetching credentials',
        'error warming credentials',
      ],
      pattern:
        /error (?:requesting|retrieving|fetching|warming) credentials: .*?(?:AccessDenied|NoCredentialProviders)(?:.*assumed-role\/(?<server>[\w+=,.@-]+)\/\S+ is not authorized to perform: sts:AssumeRole on resource: (?<role>arn:aws[\w-]*:iam::\d+:role\/[\w+=,.@/-]+))?/,
      weight: 'definite',
    },
    noGateway: {
      in: ['kiam-server'],
      anchors: ['error using AWS STS Gateway', 'error detecting arn prefix'],
      pattern: /error using AWS STS Gateway|error detecting arn prefix: /,
      weight: 'definite',
    },
    issued: {
      in: ['kiam-server'],
      anchors: ['requested new credentials'],
      pattern: /requested new credentials/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ server, role }) =>
    `kiam’s server${server === undefined ? '' : ` (role ${server})`} cannot assume ${role ?? 'the roles of pods'}, so the pods that use kiam get no credentials.`,
  remedy: ({ server, role }) => [
    {
      text: 'Let the server’s role assume the pods’ roles, and let those trust it.',
      command: `aws iam get-role --role-name ${role === undefined ? '<pod-role>' : role.replace(/^.*\//, '')} --query Role.AssumeRolePolicyDocument`,
    },
    {
      text: 'See what the server’s own role may do.',
      command: `aws iam list-role-policies --role-name ${server ?? '<server-role>'}`,
    },
    {
      text: 'Keep agents off the nodes of the servers: a server behind an agent’s redirect asks itself.',
      command: 'kubectl -n kube-system get pods -l app=kiam -o wide',
    },
  ],
  decide: {
    text: 'Read what STS answered the server.',
    command: 'kubectl -n kube-system logs -l app=kiam,component=server --prefix --tail=200',
  },
  page: {
    why: 'Only the server calls STS. Its nodes need sts:AssumeRole on the pods’ roles, and those must trust the server’s role. A server on a node with an agent is caught by the agent’s own redirect and finds no credentials at all.',
    prevent: 'Run servers on nodes of their own, on the host’s network, without agents.',
    notThis:
      'A refusal by kiam’s own policy, before STS is asked, is kiam-namespace-not-permitted. It hits all nodes alike, where a late redirect hits one.',
    alsoKnownAs: ['error requesting credentials: AccessDenied: Access denied'],
    refs: [
      'https://github.com/uswitch/kiam/issues/127',
      'https://github.com/uswitch/kiam/issues/476',
    ],
  },
});
