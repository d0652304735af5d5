/** A number that depends on a text alone, spread over 32 bits (FNV-1a with a final mix). */
export function scramble(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const HEX = '0123456789abcdef';

/** As many other hexadecimal digits, the same ones for the same text; capitals stay capitals. */
export function otherHex(text: string, key: string): string {
  const upper = /[A-F]/.test(text);
  const digits = Array.from(text, (sign, index) => {
    if (!/[0-9a-fA-F]/.test(sign)) return sign;
    return HEX[scramble(`${key} ${text.toLowerCase()} ${index}`) % 16] ?? sign;
  }).join('');
  return upper ? digits.toUpperCase() : digits;
}

/** As many other decimal digits, of which the first is none of 0. */
export function otherDigits(text: string, key: string): string {
  return Array.from(text, (_, index) => {
    const digit = scramble(`${key} ${text} ${index}`) % (index === 0 ? 9 : 10);
    return String(index === 0 ? digit + 1 : digit);
  }).join('');
}
