import { isObject, type Json } from '../../evidence/json.ts';
import { nearest } from '../../evidence/nearest.ts';
import { excerptOf } from '../../evidence/redact.ts';
import {
  type Configured,
  type Read,
  readSetting,
  readWord,
  type Setting,
  type Settings,
  type SettingValue,
} from './setting.ts';

/** Where values come from; a flag comes before a variable, that before the file. */
export interface ConfigurationSources {
  /** The parsed file; null for none, or an empty one. */
  readonly file: Json;
  /** By flag without its dashes: `lease-ms`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What is wrong with a configuration, each as one sentence. */
export class ConfigurationError extends Error {
  readonly troubles: readonly string[];

  constructor(troubles: readonly string[]) {
    super(troubles.join('; '));
    this.troubles = troubles;
  }
}

/** `leaseMs` as `--lease-ms`, without the dashes. */
export function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `leaseMs` as `ROLLCALL_LEASE_MS`. */
export function variableOf(name: string): string {
  return `ROLLCALL_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}

/** @throws ConfigurationError with all that is wrong, values without secrets */
export function configured<S extends Settings>(
  settings: S,
  sources: ConfigurationSources,
): Configured<S> {
  const troubles = [...unknownKeys(settings, sources.file)];
  const values: [string, SettingValue][] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const { from, read } = readFirst(name, setting, sources);
    if (read.isWell) values.push([name, read.value]);
    else troubles.push(`${from}: ${read.why}`);
  }
  if (troubles.length > 0) throw new ConfigurationError(troubles);
  return Object.fromEntries(values) as Configured<S>;
}

interface Found {
  /** As the user wrote it. */
  readonly from: string;
  readonly read: Read;
}

function readFirst(name: string, setting: Setting, sources: ConfigurationSources): Found {
  const flag = isSecret(setting) ? undefined : ownOf(sources.flags, flagOf(name));
  if (flag !== undefined) return { from: `--${flagOf(name)}`, read: readWord(setting, flag) };
  const variable = ownOf(sources.environment, variableOf(name));
  // An empty variable is how a manifest leaves one unset.
  if (variable !== undefined && variable !== '')
    return { from: variableOf(name), read: readWord(setting, variable) };
  const given = isObject(sources.file) ? ownOf(sources.file, name) : undefined;
  if (given !== undefined) return { from: name, read: readSetting(setting, given) };
  return { from: name, read: { isWell: true, value: setting.fallback } };
}

/** True for what no flag may hold. */
export function isSecret(setting: Setting): boolean {
  return setting.kind === 'text' && setting.isSecret === true;
}

function ownOf<V>(values: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

const TROUBLES_MOST = 10;

function unknownKeys(settings: Settings, file: Json): readonly string[] {
  if (file === null) return [];
  if (!isObject(file)) return ['the file is not a mapping of names to values'];
  const names = Object.keys(settings);
  const unknown = Object.keys(file).filter((key) => !Object.hasOwn(settings, key));
  return unknown.slice(0, TROUBLES_MOST).map((key) => {
    const close = nearest(key.slice(0, 100), names);
    const hint = close === null ? '' : `; did you mean ${close}?`;
    return `unknown setting ${JSON.stringify(excerptOf(key, 60))}${hint}`;
  });
}
