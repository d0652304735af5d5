/** What the error codes of AWS mean. Codes: the API references' "Common Errors" and each call's. */
import type { PortFailure } from '../../ports/port-error.ts';

/** Failures of the port, and three that need other words. */
export type ErrorKind =
  | Exclude<PortFailure, 'expired' | 'not-configured' | 'already-exists' | 'budget' | 'unclear'>
  | 'expired-credentials'
  | 'clock-skew'
  | 'region-disabled';

const CODES: Readonly<Partial<Record<ErrorKind, string>>> = {
  denied:
    'AccessDenied AccessDeniedException UnauthorizedOperation UnauthorizedAccess ' +
    'AuthorizationError AuthorizationErrorException NotAuthorized InsufficientPrivilegesException',
  'expired-credentials': 'ExpiredToken ExpiredTokenException RequestExpired TokenRefreshRequired',
  'clock-skew': 'RequestTimeTooSkewed RequestInTheFuture',
  unauthenticated:
    'InvalidClientTokenId UnrecognizedClientException AuthFailure SignatureDoesNotMatch ' +
    'InvalidSignatureException InvalidAccessKeyId IncompleteSignature IncompleteSignatureException ' +
    'MissingAuthenticationToken InvalidToken ' +
    'InvalidIdentityToken IDPRejectedClaim Blocked PendingVerification',
  'region-disabled': 'OptInRequired RegionDisabledException RegionDisabled',
  throttled:
    'Throttling ThrottlingException ThrottledException RequestLimitExceeded TooManyRequestsException ' +
    'RequestThrottled RequestThrottledException EC2ThrottledException BandwidthLimitExceeded ' +
    'SlowDown PriorRequestNotComplete LimitExceededException ClientRequestLimitExceeded',
  'not-found':
    'ResourceNotFoundException NoSuchEntity NoSuchEntityException NoSuchHostedZone NotFoundException ' +
    'StackNotFoundException ClusterNotFoundException InvalidInstanceID.NotFound ' +
    'InvocationDoesNotExist QueueDoesNotExist AWS.SimpleQueueService.NonExistentQueue',
  // Every request is signed: this is what a front door without such a route says to one that is.
  unsupported:
    'MissingAuthenticationTokenException InvalidAction UnknownOperationException ' +
    'UnsupportedOperation UnsupportedOperationException NotImplemented ' +
    'UnsupportedAvailabilityZoneException InvalidVersion',
  unavailable:
    'InternalError InternalFailure InternalServerError InternalServerErrorException ServerException ' +
    'ServiceUnavailable ServiceUnavailableException Unavailable ServiceFailure KMSInternalException ' +
    'DependencyTimeoutException',
  timeout: 'RequestTimeout RequestTimeoutException TimeoutError',
  invalid:
    'ValidationError ValidationException InvalidParameterException InvalidParameterValue ' +
    'InvalidParameterCombination InvalidRequestException InvalidInput InvalidInputException ' +
    'MissingParameter ClientException InvalidNextToken InvalidNextTokenException InvalidVPCId ' +
    'MalformedQueryString InvalidArnException InvalidTimeRangeException UnknownParameter BadRequestException',
  conflict: 'ResourceContention ResourceInUseException ConcurrentModification',
};

const KINDS: ReadonlyMap<string, ErrorKind> = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) =>
    codes.split(' ').map((code) => [code, kind as ErrorKind] as const),
  ),
);

/** @returns null for a code that says nothing to us */
export function kindOfCode(code: string): ErrorKind | null {
  const known = KINDS.get(code);
  if (known !== undefined) return known;
  if (/\.NotFound$|NotFoundException$/.test(code)) return 'not-found';
  if (/\.Malformed$|^Invalid[A-Z]/.test(code)) return 'invalid';
  return null;
}

/** For an answer with an error code of AWS that says nothing to us. */
export function kindOfStatus(status: number): ErrorKind | null {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'denied';
  if (status === 404) return 'not-found';
  return status >= 400 && status < 500 ? 'invalid' : kindOfForeignStatus(status);
}

/** For an answer without a code, which may come from anybody on the way. */
export function kindOfForeignStatus(status: number): ErrorKind | null {
  if (status === 429) return 'throttled';
  if (status === 501) return 'unsupported';
  if (status >= 500) return 'unavailable';
  return 'malformed';
}

/** Errors of sockets, DNS, TLS and proxies, as Node names them. */
export function kindOfNodeCode(code: string): 'unreachable' | 'timeout' | null {
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') return 'timeout';
  const socket =
    /^E(?:CONN\w+|HOSTUNREACH|NETUNREACH|NETDOWN|PIPE|AI_AGAIN|NOTFOUND|ADDRNOTAVAIL|PROTO)$/;
  if (socket.test(code) || isTrust(code)) return 'unreachable';
  return /^(?:ERR_PROXY|ERR_TLS|ERR_SSL|HPE_)/.test(code) ? 'unreachable' : null;
}

/** True for certificates that are not trusted here. */
export function isTrust(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(code);
}
