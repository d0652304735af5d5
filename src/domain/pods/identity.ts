/** Ways in which a pod gets an AWS identity of its own. */
export const IDENTITY_WAYS = ['kiam', 'kube2iam', 'pod-identity', 'irsa'] as const;

export type IdentityWay = (typeof IDENTITY_WAYS)[number];

/** What a pod that asked for credentials got; never the credentials. */
export type IdentityAnswer =
  | { readonly kind: 'role'; readonly role: string; readonly session: string | null }
  /** Refused by the program that gives identities: it was there and knew the pod. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody whose word counts answered. */
  | { readonly kind: 'failed'; readonly reason: string; readonly why: string };

export interface IdentityExpectation {
  readonly way: IdentityWay;
  /** The role of the canary; null when a refusal is what proves the way. */
  readonly role: string | null;
  /** The machine's: null for none, undefined when not known. */
  readonly nodeRole: string | null | undefined;
}

interface Judged {
  readonly answer: 'yes' | 'no' | 'unknown';
  readonly reason: string;
  readonly message: string;
}

/** The session of an instance profile is named after the instance. */
const INSTANCE_SESSION = /^i-[\da-f]{8}(?:[\da-f]{9})?$/;

/** Whether what a canary got is its own identity, or the refusal that is expected. */
export function judgeIdentity(
  answer: IdentityAnswer,
  { way, role, nodeRole }: IdentityExpectation,
  tookMs: number,
): Judged {
  const took = `(${Math.round(tookMs)} ms)`;
  if (answer.kind === 'failed')
    return { answer: 'no', reason: answer.reason, message: `${way}: ${answer.why} ${took}` };
  if (answer.kind === 'refused') {
    const message = `${way} refuses the canary: ${answer.why} ${took}`;
    return role === null
      ? { answer: 'yes', reason: 'RefusedAsExpected', message }
      : { answer: 'no', reason: 'Refused', message };
  }
  return judgeRole(answer, { way, role, nodeRole }, took);
}

function judgeRole(
  { role: got, session }: Extract<IdentityAnswer, { kind: 'role' }>,
  { way, role, nodeRole }: IdentityExpectation,
  took: string,
): Judged {
  const isNodes = got === nodeRole || INSTANCE_SESSION.test(session ?? '');
  if (isNodes)
    return {
      answer: 'no',
      reason: 'NodeIdentity',
      message: `${way}: a pod gets the node's role ${got} in place of its own ${took}.`,
    };
  if (role === null)
    return {
      answer: 'no',
      reason: 'UnexpectedRole',
      message: `${way}: a pod that should be refused gets the role ${got} ${took}.`,
    };
  if (got !== role)
    return {
      answer: 'no',
      reason: 'WrongRole',
      message: `${way}: the canary gets the role ${got}, not ${role} ${took}.`,
    };
  return {
    answer: 'yes',
    reason: 'OwnIdentity',
    message: `${way}: the canary gets its own role ${role} ${took}.`,
  };
}

/** The role and session of `arn:aws:sts::…:assumed-role/ROLE/SESSION`; null for another ARN. */
export function assumedRoleIn(
  arn: string,
): { readonly role: string; readonly session: string } | null {
  const { role, session } =
    /^arn:[\w-]+:sts::\d*:assumed-role\/(?<role>[\w+=,.@-]{1,64})\/(?<session>[\w+=,.@-]{1,64})$/.exec(
      arn,
    )?.groups ?? {};
  return role === undefined || session === undefined ? null : { role, session };
}
