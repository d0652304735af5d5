import { durationText } from '../../../evidence/duration.ts';
import { flagOf, isSecret } from '../../../runtime/configuration/configuration.ts';
import type { Setting, Settings } from '../../../runtime/configuration/setting.ts';
import type { OptionDeclaration, OptionDeclarations } from './declaration.ts';

const VALUE = 'VALUE';

/** The default as a person writes it; null where there is none. */
export function fallbackText(setting: Setting): string | null {
  if (setting.kind === 'duration') return durationText(setting.fallback);
  if (setting.kind === 'list')
    return setting.fallback.length === 0 ? null : setting.fallback.join(',');
  return setting.kind === 'switch' || setting.fallback === null ? null : String(setting.fallback);
}

/** A default is in the help alone: what no flag says may stand in the file. */
function optionOf(setting: Setting): OptionDeclaration {
  const fallback = fallbackText(setting);
  const help = fallback === null ? setting.help : `${setting.help} (default ${fallback})`;
  const value = setting.valueName ?? VALUE;
  if (setting.kind === 'switch') return { kind: 'flag', help };
  if (setting.kind === 'choice')
    return { kind: 'choice', value, noun: value.toLowerCase(), values: setting.values, help };
  if (setting.kind === 'number')
    return { kind: 'number', value, from: setting.least, to: setting.most, help };
  if (setting.kind === 'duration') return { kind: 'duration', value, help };
  return { kind: 'text', value, help, ...(value === 'FILE' ? { completes: 'file' } : {}) };
}

/** The options by which settings are given as flags; a secret has none. */
export function optionsOf(settings: Settings): OptionDeclarations {
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, setting]) => !isSecret(setting))
      .map(([name, setting]) => [flagOf(name), optionOf(setting)]),
  );
}

/** The flags that were given, as words that a configuration reads. */
export function flagsOf(
  options: OptionDeclarations,
  values: Readonly<Record<string, unknown>>,
  given: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const named = Object.entries(values).filter(([name]) => given.has(name));
  return Object.fromEntries(
    named.map(([name, value]) => [
      name,
      options[name]?.kind === 'duration' ? durationText(Number(value)) : String(value),
    ]),
  );
}
