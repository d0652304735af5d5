import { type JsonObject, textAt } from '../../evidence/json.ts';

const REQUEST_MAX = 64 * 1024;
const USER = 'system:node:';

/**
 * A CertificateSigningRequest with `requestedUser`, the user name that its PKCS#10 request asks
 * for, since the request itself is left out of evidence; unchanged when it asks for no node's.
 */
export function withRequestedUser(value: JsonObject): JsonObject {
  const user = requestedUser(textAt(value, 'spec.request') ?? '');
  return user === null ? value : { ...value, requestedUser: user };
}

/** The request is PEM inside base64; a DER string stands behind its length in one byte. */
function requestedUser(encoded: string): string | null {
  if (encoded.length > REQUEST_MAX) return null;
  try {
    const body = atob(encoded).replaceAll(/-----[A-Z ]{1,60}-----|\s/g, '');
    const der = atob(body);
    const start = der.indexOf(USER);
    const name = start < 1 ? '' : der.slice(start, start + der.charCodeAt(start - 1));
    return /^system:node:[a-z0-9.-]{1,253}$/.test(name) ? name : null;
  } catch {
    return null;
  }
}
