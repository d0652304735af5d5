import { type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { PortFailure } from './port-error.ts';

/** A write that a server answered with a failure. */
export interface RefusedWrite {
  /** The HTTP status. */
  readonly code: number;
  /** The `Status` that came with it; null for another body. */
  readonly status: JsonObject | null;
  readonly isJsonPatch: boolean;
  /** True when nothing was to be stored, so that nothing can be. */
  readonly isDryRun: boolean;
}

/** How an API server words that a write is not allowed by two budgets at once; a 500 all the same. */
const TWO_BUDGETS = 'This pod has more than one PodDisruptionBudget';
/** Admission comes before storage, so nothing was written. */
const BEFORE_STORAGE = 'failed calling webhook';

/**
 * A ValidatingAdmissionPolicy refuses with 422 unless it names another reason
 * (k8s.io/api/admissionregistration/v1, `Validation.reason`), and webhooks may; neither names a cause.
 */
const DENIED = / denied (?:the )?request(?:: | without )/;

/** What a refused write means where its HTTP status alone does not say it; null elsewhere. */
export function failureOfWrite(refused: RefusedWrite): PortFailure | null {
  const { code, status, isDryRun } = refused;
  const message = textAt(status, 'message') ?? '';
  if (code === 409) return textAt(status, 'reason') === 'AlreadyExists' ? 'already-exists' : null;
  if (code === 422 && DENIED.test(message)) return 'denied';
  if (code === 422) return isMisfit(refused) ? 'conflict' : null;
  if (code === 429) return hasCause(status, 'reason', 'DisruptionBudget') ? 'budget' : null;
  if (code === 500 && message.startsWith(TWO_BUDGETS)) return 'budget';
  if (code === 500 && message.includes(BEFORE_STORAGE)) return 'unavailable';
  if (isDryRun) return null;
  // A server that gives up on time or on etcd may have stored it, and so may one behind a proxy.
  return code === 408 || (code >= 500 && code !== 501) ? 'unclear' : null;
}

/**
 * True when the object is another than the patch was made for: its UID is not the one that was
 * given, or an operation of a JSON patch does not fit, of which the server says no more.
 */
function isMisfit({ status, isJsonPatch }: RefusedWrite): boolean {
  if (hasCause(status, 'field', 'metadata.uid')) return true;
  return isJsonPatch && listAt(status, 'details.causes').length === 0;
}

function hasCause(status: JsonObject | null, key: string, value: string): boolean {
  return listAt(status, 'details.causes').some((cause) => textAt(cause, key) === value);
}
