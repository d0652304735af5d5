import { readFileSync } from 'node:fs';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Json } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import { parseYamlDocuments } from '../../readers/text/parse.ts';
import { configured } from '../../runtime/configuration/configuration.ts';
import {
  type ConfigurationFile,
  LiveConfiguration,
} from '../../runtime/configuration/live-configuration.ts';
import type { Configured } from '../../runtime/configuration/setting.ts';
import { Logger } from '../../runtime/log/logger.ts';
import { CONTROLLER_SETTINGS } from './settings.ts';

export type ControllerConfiguration = Configured<typeof CONTROLLER_SETTINGS>;

/** The configuration as it is now, and the log that it sets. */
export interface OpenConfiguration {
  readonly log: Logger;
  readonly current: () => ControllerConfiguration;
  /** True while the file is refused and what was read before is kept. */
  readonly isRefused: () => boolean;
  /** Reads the file again; null without one. */
  readonly reload: (() => Promise<void>) | null;
  /** Looks at the file every 5 s until the signal ends it. */
  readonly run: (stop: AbortSignal) => Promise<void>;
}

export interface ConfigurationGiven {
  /** YAML or JSON; null for none. */
  readonly path: string | null;
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: (line: string) => void;
}

const FILE_CHARS_MAX = 256 * 1024;

/** @throws ConfigurationError and PortError for a configuration that cannot be begun with */
export async function openConfiguration(given: ConfigurationGiven): Promise<OpenConfiguration> {
  const { path, flags, environment, write } = given;
  let current: ControllerConfiguration = configured(CONTROLLER_SETTINGS, NOTHING);
  const log = new Logger({
    clock: systemClock,
    level: () => current.logLevel,
    format: () => current.logFormat,
    write,
  });
  const live = await LiveConfiguration.load({
    settings: CONTROLLER_SETTINGS,
    flags,
    environment,
    clock: systemClock,
    file: path === null ? null : fileAt(path),
    onChange(next, changed) {
      current = next;
      log.info(`configuration ${path}: ${changed.join(', ')} changed`, { changed: [...changed] });
    },
    onTrouble: (line) => log.warn(line),
  });
  current = live.current();
  return {
    log,
    current: () => current,
    isRefused: () => live.isRefused(),
    reload: path === null ? null : async () => live.reload(),
    run: async (stop) => live.run(stop),
  };
}

const NOTHING = { file: null, flags: {}, environment: {} };

function fileAt(path: string): ConfigurationFile {
  return { path, read: async () => textOf(path), parse: valueIn };
}

function textOf(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    const message = `${excerptOf(path)} cannot be read: ${code}`;
    throw new PortError({ failure: 'not-found', message, cause: error });
  }
  if (text.length <= FILE_CHARS_MAX) return text;
  throw new PortError({ failure: 'malformed', message: `${excerptOf(path)} is over 256 KiB` });
}

/** @throws Error with what is wrong */
function valueIn(text: string): Json {
  const documents = [...parseYamlDocuments(text.split(/\r?\n/), 1)];
  const [first, second] = documents;
  if (first === undefined) return null;
  if (second !== undefined) throw new Error(`a second document begins at line ${second.line}`);
  if (first.ok) return first.value;
  throw new Error(/\((?<reason>.*)\)/.exec(first.why)?.groups?.['reason'] ?? first.why);
}
