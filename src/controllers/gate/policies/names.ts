/** Forms of names that Kubernetes accepts (apimachinery/pkg/util/validation), and times as Go prints them. */

const PART_CHARS_MAX = 63;
const NAME_CHARS_MAX = 253;

/** Expressions as text, which a schema takes too. */
export const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
export const NAME_PART = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
export const DURATION = '([0-9]{1,9}([.][0-9]{1,6})?(ms|s|m|h)){1,4}';

const IS_SUBDOMAIN = new RegExp(`^${SUBDOMAIN}$`);
const IS_NAME_PART = new RegExp(`^${NAME_PART}$`);

/** Why a text cannot be a DNS subdomain, one clause; null when it can. */
export function whyNoSubdomain(text: string): string | null {
  if (text.length > NAME_CHARS_MAX) return `is longer than ${NAME_CHARS_MAX} characters`;
  return IS_SUBDOMAIN.test(text) ? null : 'is not a DNS subdomain';
}

/** Why a text cannot be the value of a label or a taint, one clause; null when it can. */
export function whyNoValue(text: string): string | null {
  if (text.length > PART_CHARS_MAX) return `is longer than ${PART_CHARS_MAX} characters`;
  return text === '' || IS_NAME_PART.test(text) ? null : 'is not a value that Kubernetes accepts';
}

/** Why a text cannot be the key of a label, an annotation or a taint, one clause; null when it can. */
export function whyNoKey(text: string): string | null {
  const slash = text.indexOf('/');
  const name = text.slice(slash + 1);
  if (slash >= 0 && whyNoSubdomain(text.slice(0, slash)) !== null)
    return 'has a prefix that is not a DNS subdomain';
  if (name.length > PART_CHARS_MAX)
    return `has ${name.length} characters behind its prefix; Kubernetes accepts ${PART_CHARS_MAX}`;
  return IS_NAME_PART.test(name) ? null : 'is not a key that Kubernetes accepts';
}

const UNITS: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** A time as a field of a NodeGate takes it: `1h30m`, `0s`. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count}${unit}`];
  });
  return parts.length === 0 ? '0s' : parts.join('');
}
