import type { Json } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { pause } from '../abort.ts';
import { ConfigurationError, configured, type ConfigurationSources } from './configuration.ts';
import type { Configured, Settings } from './setting.ts';

export interface LiveConfigurationOptions<S extends Settings> {
  readonly settings: S;
  readonly flags: ConfigurationSources['flags'];
  readonly environment: ConfigurationSources['environment'];
  /** null when no file was named; then nothing is ever reloaded. */
  readonly file: ConfigurationFile | null;
  readonly clock: Clock;
  /** Told of a change that was taken, and of which settings. */
  readonly onChange: (configuration: Configured<S>, changed: readonly string[]) => void;
  /** Told in one line what was refused, or takes effect after a restart. */
  readonly onTrouble: (line: string) => void;
  /** Between two looks at the file, ms; 5 s when not given. */
  readonly pollMs?: number;
}

export interface ConfigurationFile {
  /** For messages. */
  readonly path: string;
  /** @throws PortError when it cannot be read */
  readonly read: () => Promise<string>;
  /** YAML or JSON. @throws Error whose message says where it is wrong */
  readonly parse: (text: string) => Json;
}

const POLL_MS = 5_000;

/**
 * The configuration as it is now. The file is compared by its content, as a mounted ConfigMap
 * changes by a link that no watch of the file sees.
 */
export class LiveConfiguration<S extends Settings> {
  readonly #options: LiveConfigurationOptions<S>;
  #current: Configured<S>;
  #text: string | null;
  #trouble: string | null = null;

  private constructor(
    options: LiveConfigurationOptions<S>,
    first: { readonly text: string | null; readonly configuration: Configured<S> },
  ) {
    this.#options = options;
    this.#text = first.text;
    this.#current = first.configuration;
  }

  /** @throws ConfigurationError and PortError for a configuration that cannot be begun with */
  static async load<T extends Settings>(
    options: LiveConfigurationOptions<T>,
  ): Promise<LiveConfiguration<T>> {
    const text = options.file === null ? null : await options.file.read();
    return new LiveConfiguration(options, { text, configuration: configurationOf(options, text) });
  }

  current(): Configured<S> {
    return this.#current;
  }

  /** True while the file is refused and what was read before is kept. */
  isRefused(): boolean {
    return this.#trouble !== null;
  }

  /** Looks at the file now, as on SIGHUP; what is wrong is reported again. */
  async reload(): Promise<void> {
    this.#trouble = null;
    this.#text = null;
    await this.#look();
  }

  /** Looks at the file until the signal is aborted. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, file, pollMs = POLL_MS } = this.#options;
    if (file === null) return;
    for (;;) {
      await pause(clock, pollMs, stop);
      if (stop.aborted) return;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { file } = this.#options;
    if (file === null) return;
    try {
      const text = await file.read();
      if (text === this.#text) return;
      this.#text = text;
      this.#take(configurationOf(this.#options, text));
      this.#trouble = null;
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof PortError)) throw error;
      // What can be read again is looked at, whether or not it is what was there before.
      if (error instanceof PortError) this.#text = null;
      this.#refuse(file, error);
    }
  }

  #take(next: Configured<S>): void {
    const { onChange, onTrouble, settings } = this.#options;
    const before = this.#current;
    const changed = Object.keys(settings).filter((name) => !isSame(before[name], next[name]));
    const fixed = changed.filter((name) => settings[name]?.isFixed === true);
    const taken = changed.filter((name) => settings[name]?.isFixed !== true);
    if (fixed.length > 0)
      onTrouble(`configuration: ${fixed.join(', ')} changed, which takes effect after a restart`);
    if (taken.length === 0) return;
    const kept = Object.fromEntries(fixed.map((name) => [name, before[name]]));
    this.#current = { ...next, ...kept };
    onChange(this.#current, taken);
  }

  /** The same trouble is reported once. */
  #refuse({ path }: ConfigurationFile, error: Error): void {
    const line = `configuration ${path} refused, the old one is kept: ${error.message}`;
    if (line === this.#trouble) return;
    this.#trouble = line;
    this.#options.onTrouble(excerptOf(line, LINE_CHARS));
  }
}

const LINE_CHARS = 1000;

function configurationOf<S extends Settings>(
  options: LiveConfigurationOptions<S>,
  text: string | null,
): Configured<S> {
  const { environment, file, flags, settings } = options;
  const parsed = text === null || file === null ? null : parsedOf(file, text);
  return configured(settings, { file: parsed, flags, environment });
}

function parsedOf(file: ConfigurationFile, text: string): Json {
  try {
    return text.trim() === '' ? null : file.parse(text);
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ConfigurationError([`not readable: ${excerptOf(line)}`]);
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
