/** Base64 of a text in UTF-8, as Secrets hold it. */
export function base64Of(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The text in a value of a Secret; empty when it is no base64. */
export function textOfBase64(value: string): string {
  try {
    const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/** Where a text stops being base64, null when it is all right. */
export function base64Offence(text: string): number | null {
  if (ALPHABET.test(text) && text.length % 4 === 0) return null;
  const at = text.search(/[^A-Za-z0-9+/]/);
  return at < 0 ? text.length : at;
}
