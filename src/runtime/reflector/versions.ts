/**
 * True when both are decimal and the first is no newer. API servers count revisions upwards for
 * all objects of a resource; what is not decimal cannot be compared and counts as newer.
 */
export function isNoNewer(version: string, than: string): boolean {
  return version === than || isOlder(version, than);
}

export function isOlder(version: string, than: string): boolean {
  if (!DECIMAL.test(version) || !DECIMAL.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

const DECIMAL = /^(?:0|[1-9]\d{0,30})$/;
