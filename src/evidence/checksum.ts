/**
 * Tells two texts apart without keeping them, as those of certificates are left out of evidence:
 * two sums of FNV-1a in hexadecimal digits, which is no defence against forgery.
 */
export function checksumOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x01000197);
  }
  return [low, high].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Authorities are certificates in base64; shorter or other text is a placeholder. */
const AUTHORITY = /^[A-Za-z0-9+/=]{100,8192}$/;
const MARK = /^‹checksum ([0-9a-f]{16})›$/;

/**
 * What saved evidence says in place of a certificate authority in base64: enough to tell whether
 * two are the same. Other text stays as it is.
 */
export function markOfAuthority(text: string): string {
  return AUTHORITY.test(text) ? `‹checksum ${checksumOf(text)}›` : text;
}

/** The checksum of an authority in base64, or that which its mark gives; null for other text. */
export function authoritySumOf(text: string): string | null {
  return MARK.exec(text)?.[1] ?? (AUTHORITY.test(text) ? checksumOf(text) : null);
}
