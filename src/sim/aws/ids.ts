import type { RandomStream } from '../kernel/random.ts';

/** Names that AWS draws: `i-0` and 16 hexadecimal digits, `AROA` and 17 letters and digits. */
export interface Ids {
  /** `i-0123456789abcdef0` for `i`. */
  resource(prefix: string): string;
  /** The unique id of something of IAM, 21 characters: `AROA…` of a role. */
  unique(prefix: string): string;
  /** An access key, 20 characters: `ASIA…` of temporary ones. */
  accessKey(prefix: string): string;
  uuid(): string;
  /** Letters and digits of a secret or a token. */
  secret(length: number): string;
}

const UNIQUE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function createIds(random: RandomStream): Ids {
  const letters = (length: number, alphabet: string): string =>
    Array.from({ length }, () => alphabet[random.below(alphabet.length)] ?? '').join('');
  return {
    resource: (prefix) => `${prefix}-0${random.hex(16)}`,
    unique: (prefix) => prefix + letters(17, UNIQUE),
    accessKey: (prefix) => prefix + letters(16, UNIQUE),
    uuid: () => [8, 4, 4, 4, 12].map((length) => random.hex(length)).join('-'),
    secret: (length) => letters(length, SECRET),
  };
}
