import type { JsonObject } from '../evidence/json.ts';
import { type AwsCall, RESTART_DOCUMENT } from './aws-api.ts';
import { PortError, type PortFailure } from './port-error.ts';

interface AwsWrite {
  /** True where the API can check a call and do nothing. */
  readonly hasDryRun: boolean;
  /** The member by which a call that comes twice takes effect once; null where the API has none. */
  readonly token: string | null;
  /** What the input must be for the call to be made at all; anything when not given. */
  readonly only?: (input: JsonObject) => boolean;
}

const PLAIN: AwsWrite = { hasDryRun: false, token: null };
const CHECKED: AwsWrite = { hasDryRun: true, token: null };
/** One fixed document in the version that was read, on one machine, without parameters. */
const RESTART: AwsWrite = {
  ...PLAIN,
  only: ({ DocumentName, DocumentVersion, InstanceIds, Parameters, Targets }) =>
    DocumentName === RESTART_DOCUMENT &&
    typeof DocumentVersion === 'string' &&
    /^\d+$/.test(DocumentVersion) &&
    Array.isArray(InstanceIds) &&
    InstanceIds.length === 1 &&
    Parameters === undefined &&
    Targets === undefined,
};
const ONCE: AwsWrite = { hasDryRun: false, token: 'clientRequestToken' };

/** All that Rollcall ever changes in AWS, by IAM action; members by the services' API references. */
export const AWS_WRITES: Readonly<Record<string, AwsWrite>> = {
  'ec2:DeleteNetworkInterface': CHECKED,
  'ec2:CreateTags': CHECKED,
  'ec2:ModifyInstanceMetadataOptions': CHECKED,
  'eks:CreateAccessEntry': ONCE,
  'eks:UpdateAccessEntry': ONCE,
  'eks:DeleteAccessEntry': PLAIN,
  'eks:AssociateAccessPolicy': PLAIN,
  'eks:DisassociateAccessPolicy': PLAIN,
  'autoscaling:TerminateInstanceInAutoScalingGroup': PLAIN,
  'autoscaling:CompleteLifecycleAction': PLAIN,
  'ssm:SendCommand': RESTART,
};

export interface AwsWriteOptions {
  /** True to have AWS check the call and change nothing; `unsupported` where it cannot. */
  readonly isDryRun: boolean;
  /** The same for the same intention, at most 64 ASCII characters; sent where the API takes one. */
  readonly token: string;
  readonly signal?: AbortSignal;
}

/**
 * Writes to AWS by the list above, as one identity in one region. Whoever reads has `AwsApi`, which
 * refuses them. Throws `PortError`: `already-exists`, `conflict` for what is in use or changing,
 * `unclear` when no answer tells whether a call took effect. Nothing is retried here.
 */
export interface AwsWrites {
  /** The answer without metadata; empty for a dry run. @throws TypeError for any other operation */
  write(call: AwsCall, options: AwsWriteOptions): Promise<JsonObject>;
  /** How many HTTP requests were sent so far, by `service:Operation`. */
  requests(): ReadonlyMap<string, number>;
}

/**
 * The input of a write as it is sent.
 * @throws TypeError for a call that is not on the list
 * @throws PortError `unsupported` for a dry run where the API has none
 */
export function writeInput(call: AwsCall, { isDryRun, token }: AwsWriteOptions): JsonObject {
  const action = `${call.service}:${call.operation}`;
  const allowed = Object.hasOwn(AWS_WRITES, action) ? AWS_WRITES[action] : undefined;
  if (allowed === undefined) throw new TypeError(`${action} is not among the writes of Rollcall`);
  if (allowed.only?.(call.input) === false)
    throw new TypeError(`${action} is not made with such an input`);
  if (isDryRun && !allowed.hasDryRun) throw withoutDryRun(action);
  return {
    ...call.input,
    ...(allowed.token === null ? {} : { [allowed.token]: token }),
    ...(allowed.hasDryRun ? { DryRun: isDryRun } : {}),
  };
}

function withoutDryRun(action: string): PortError {
  return new PortError({
    failure: 'unsupported',
    message: `AWS has no dry run of ${action}, so nothing was sent; look at the input instead`,
  });
}

/** The refusal that is the answer to a dry run of a call that would be allowed. */
export const DRY_RUN_ANSWER = 'DryRunOperation';

/** The error of a service, as far as it says what became of a write. */
export interface AwsWriteRefusal {
  readonly operation: string;
  readonly code: string;
  readonly message: string;
}

const BUSY =
  /InUse$|^DependencyViolation$|^ScalingActivityInProgress|^ResourceContention|^IncorrectInstanceState$/;
/** EC2 has one code for all values it does not like, an attached interface among them. */
const BUSY_WORDS = /is currently in use/;

/** What an error of AWS says of a write beyond what it says of a question; null elsewhere. */
export function failureOfAwsWrite(refusal: AwsWriteRefusal): PortFailure | null {
  const { operation, code, message } = refusal;
  const isTaken = code === 'ResourceInUseException' || code === 'EntityAlreadyExists';
  if (isTaken) return operation.startsWith('Create') ? 'already-exists' : 'conflict';
  return BUSY.test(code) || BUSY_WORDS.test(message) ? 'conflict' : null;
}
