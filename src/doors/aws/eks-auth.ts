/**
 * The model of EKS Auth in the form of the others: only agents on nodes ask it, so no package of
 * it is here (EKS Auth API reference).
 */
const SPACE = 'com.amazonaws.eksauth';
const TEXT = 0;
const TIME = 4;
const LABEL = 1;

function structure(name: string, members: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [3, SPACE, name, 0, Object.keys(members), Object.values(members)];
}

const INPUT = structure('AssumeRoleForPodIdentityRequest', {
  clusterName: [TEXT, LABEL],
  token: TEXT,
});

const OUTPUT = structure('AssumeRoleForPodIdentityResponse', {
  subject: structure('Subject', { namespace: TEXT, serviceAccount: TEXT }),
  audience: TEXT,
  podIdentityAssociation: structure('PodIdentityAssociation', {
    associationArn: TEXT,
    associationId: TEXT,
  }),
  assumedRoleUser: structure('AssumedRoleUser', { arn: TEXT, assumeRoleId: TEXT }),
  credentials: structure('Credentials', {
    sessionToken: TEXT,
    secretAccessKey: TEXT,
    accessKeyId: TEXT,
    expiration: TIME,
  }),
});

const HTTP = ['POST', '/clusters/{clusterName}/assume-role-for-pod-identity', 200];
const NAME = 'AssumeRoleForPodIdentity';

export const EKS_AUTH = { [`${NAME}$`]: [9, SPACE, NAME, { http: HTTP }, INPUT, OUTPUT] } as const;
