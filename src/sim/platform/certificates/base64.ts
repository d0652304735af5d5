const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const GROUP = 3;

/** Base64 of a text in UTF-8. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let written = '';
  for (let index = 0; index < bytes.length; index += GROUP) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(index, index + GROUP);
    const bits = (a << 16) | (b << 8) | c;
    const left = bytes.length - index;
    written += ALPHABET.charAt(bits >> 18) + ALPHABET.charAt((bits >> 12) & 63);
    written += left > 1 ? ALPHABET.charAt((bits >> 6) & 63) : '=';
    written += left > 2 ? ALPHABET.charAt(bits & 63) : '=';
  }
  return written;
}

/** The text in base64 or base64url, with padding or without; null for what is neither. */
export function fromBase64(encoded: string): string | null {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const char of encoded.replaceAll('-', '+').replaceAll('_', '/')) {
    if (char === '=' || char === '\n') continue;
    const value = ALPHABET.indexOf(char);
    if (value < 0) return null;
    bits = ((bits << 6) | value) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 255);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
