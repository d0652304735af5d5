import { durationMs, durationText } from '../../evidence/duration.ts';
import type { Json } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';

interface Common {
  /** One sentence for help and documentation. */
  readonly help: string;
  /** True for what is read once: a change takes effect after a restart. */
  readonly isFixed?: true;
  /** What help writes for a value. */
  readonly valueName?: string;
}

interface TextSetting extends Common {
  readonly kind: 'text';
  readonly fallback: string | null;
  /** Refuses a value with one sentence; null for one that is well. */
  readonly check?: (value: string) => string | null;
  /** True for what no flag may hold, as lists of processes show flags, and no message quotes. */
  readonly isSecret?: true;
}

interface NumberSetting extends Common {
  readonly kind: 'number';
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

/** Written as `90s`, `15m`, `2h` or `1d`; ms in the program. */
interface DurationSetting extends Common {
  readonly kind: 'duration';
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

interface SwitchSetting extends Common {
  readonly kind: 'switch';
  readonly fallback: boolean;
}

interface ChoiceSetting extends Common {
  readonly kind: 'choice';
  readonly fallback: string;
  readonly values: readonly string[];
}

interface ListSetting extends Common {
  readonly kind: 'list';
  readonly fallback: readonly string[];
  readonly itemsMost: number;
}

/**
 * One thing that can be set: by its name in the file (`leaseMs`), by a flag (`--lease-ms`) or by a
 * variable (`ROLLCALL_LEASE_MS`); a list is written with commas in the last two.
 */
export type Setting =
  | TextSetting
  | NumberSetting
  | DurationSetting
  | SwitchSetting
  | ChoiceSetting
  | ListSetting;

/** Settings by their names in the file. */
export type Settings = Readonly<Record<string, Setting>>;

export type Configured<S extends Settings> = { readonly [K in keyof S]: ValueOf<S[K]> };

type ValueOf<T extends Setting> = T extends { readonly kind: 'choice' }
  ? T['values'][number]
  : T extends { readonly kind: 'text' }
    ? T['fallback'] extends string
      ? string
      : string | null
    : T extends { readonly kind: 'number' | 'duration' }
      ? number
      : T extends { readonly kind: 'switch' }
        ? boolean
        : readonly string[];

export type SettingValue = string | null | number | boolean | readonly string[];

export type Read =
  | { readonly isWell: true; readonly value: SettingValue }
  /** `why` follows the name of the setting. */
  | Refused;

interface Refused {
  readonly isWell: false;
  readonly why: string;
}

const TEXT_CHARS_MOST = 4096;

/** A value as the file has it. */
export function readSetting(setting: Setting, given: Json): Read {
  if (setting.kind === 'number') return readNumber(setting, given);
  if (setting.kind === 'list') return readList(setting, given);
  if (setting.kind === 'duration') return readDuration(setting, given);
  if (setting.kind === 'switch')
    return typeof given === 'boolean' ? well(given) : ill(given, 'is neither true nor false');
  const read = readText(setting, given);
  if (read.isWell || setting.kind !== 'text' || setting.isSecret !== true) return read;
  return { isWell: false, why: `the value ${read.what}` };
}

/** `what` is the reason without the value. */
function readText(setting: TextSetting | ChoiceSetting, given: Json): Exclude<Read, Refused> | Ill {
  if (typeof given !== 'string') return ill(given, 'is not a text');
  if (given.length > TEXT_CHARS_MOST) return ill(given, `is longer than ${TEXT_CHARS_MOST}`);
  if (setting.kind === 'choice')
    return setting.values.includes(given)
      ? well(given)
      : ill(given, `is not one of ${setting.values.join(', ')}`);
  const why = setting.check?.(given) ?? null;
  return why === null ? well(given) : ill(given, why);
}

/** A value as a flag or a variable has it. */
export function readWord(setting: Setting, word: string): Read {
  if (setting.kind === 'number') return readSetting(setting, numberOf(word) ?? word);
  if (setting.kind === 'switch') return readSetting(setting, SWITCHES.get(word) ?? word);
  if (setting.kind !== 'list') return readSetting(setting, word);
  const items = word.split(',').map((item) => item.trim());
  return readSetting(
    setting,
    items.filter((item) => item !== ''),
  );
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function numberOf(word: string): number | null {
  return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : null;
}

function readNumber({ least, most }: NumberSetting, given: Json): Read {
  if (typeof given !== 'number' || !Number.isFinite(given)) return ill(given, 'is not a number');
  if (given < least) return ill(given, `is below ${least}`);
  return given > most ? ill(given, `is above ${most}`) : well(given);
}

function readDuration({ least, most }: DurationSetting, given: Json): Read {
  const ms = typeof given === 'string' ? durationMs(given) : null;
  if (ms === null) return ill(given, 'is not a time such as 30s, 15m, 2h or 1d');
  if (ms < least) return ill(given, `is below ${durationText(least)}`);
  return ms > most ? ill(given, `is above ${durationText(most)}`) : well(ms);
}

function readList({ itemsMost }: ListSetting, given: Json): Read {
  const items = Array.isArray(given) ? (given as readonly Json[]) : null;
  const texts = items?.filter((item) => typeof item === 'string') ?? [];
  if (items === null || texts.length !== items.length) return ill(given, 'is not a list of texts');
  const isLong = texts.some(({ length }) => length > TEXT_CHARS_MOST);
  if (isLong || texts.length > itemsMost)
    return ill(given, `has more than ${itemsMost} items, or a long one`);
  return well(texts);
}

function well(value: SettingValue): Exclude<Read, Refused> {
  return { isWell: true, value };
}

const SHOWN_CHARS = 60;

interface Ill extends Refused {
  readonly what: string;
}

function ill(given: Json, what: string): Ill {
  return { isWell: false, what, why: `${excerptOf(JSON.stringify(given), SHOWN_CHARS)} ${what}` };
}
