import type { DiscoveredKind } from './discovered-kind.ts';

function review(group: string, plural: string, kind: string, isNamespaced = false): DiscoveredKind {
  return {
    group,
    version: 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    isNamespaced,
    shortNames: [],
    categories: [],
    subresources: [],
    verbs: ['create'],
  };
}

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

/** Questions to the API server in the form of objects that nothing keeps. */
export const REVIEW_KINDS: readonly DiscoveredKind[] = [
  review(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview'),
  review(AUTHENTICATION, 'tokenreviews', 'TokenReview'),
  review(AUTHORIZATION, 'localsubjectaccessreviews', 'LocalSubjectAccessReview', true),
  review(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview'),
  review(AUTHORIZATION, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview'),
  review(AUTHORIZATION, 'subjectaccessreviews', 'SubjectAccessReview'),
];
