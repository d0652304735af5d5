import { badRequest, StatusError, type StatusCause } from './refusal.ts';

type Query = Readonly<Record<string, string>>;

/** Query parameters of list and watch that do not go together. @throws Refusal 422 */
export function assertListOptions(query: Query, isWatch: boolean): void {
  const cause = isWatch ? watchTrouble(query) : listTrouble(query);
  if (cause === null) return;
  const message = `ListOptions.meta.k8s.io "" is invalid: ${cause.field ?? ''}: ${cause.message}`;
  const details = { group: 'meta.k8s.io', kind: 'ListOptions', causes: [{ ...cause }] };
  throw new StatusError({ code: 422, reason: 'Invalid', message, details });
}

function refused(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}

const MATCH = 'resourceVersionMatch';

function listTrouble(query: Query): StatusCause | null {
  const { resourceVersion = '', resourceVersionMatch: match = '' } = query;
  if ((query['sendInitialEvents'] ?? '') !== '')
    return refused('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  if (match === '') return null;
  if (resourceVersion === '')
    return refused(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`);
  if ((query['continue'] ?? '') !== '')
    return refused(MATCH, `${MATCH} is forbidden when continue is provided`);
  if (match !== 'Exact' && match !== 'NotOlderThan') return unsupportedMatch(match);
  if (match === 'Exact' && resourceVersion === '0')
    return refused(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`);
  return null;
}

function unsupportedMatch(match: string): StatusCause {
  const message = `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`;
  return { reason: 'FieldValueNotSupported', message, field: MATCH };
}

function watchTrouble(query: Query): StatusCause | null {
  const match = query['resourceVersionMatch'] ?? '';
  const isInitial = (query['sendInitialEvents'] ?? '') !== '';
  if (!isInitial && match === '') return null;
  if (!isInitial)
    return refused(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
  if (match === '')
    return refused(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  if (match !== 'NotOlderThan')
    return {
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: "${match}": supported values: "NotOlderThan"`,
      field: MATCH,
    };
  return null;
}

/** A version as a query has it; 0 for none. @throws Refusal 400 for what is no number */
export function versionOf(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,19}$/.test(text))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ` +
        `${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}
