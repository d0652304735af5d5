import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';

/** A mistake in a scenario: where, and what is wrong, with what would be right. */
export interface Mistake {
  /** `players.0.at`; empty for the whole document. */
  readonly path: string;
  readonly reason: string;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `90s`, `1m30s`, `250ms`; null for anything else. */
export function durationOf(text: string): number | null {
  const parts = text.match(/\d+(?:\.\d+)?(?:ms|s|m|h)/g);
  if (parts === null || parts.join('') !== text) return null;
  return parts.reduce((sum, part) => {
    const [, number = '0', unit = 's'] = /^([\d.]+)(\w+)$/.exec(part) ?? [];
    return sum + Number(number) * (UNITS[unit] ?? 0);
  }, 0);
}

/** Reads the fields of one mapping, noting every mistake; what is wrong reads as its default. */
export class Fields {
  readonly #value: JsonObject;
  readonly #path: string;
  readonly #mistakes: Mistake[];
  readonly #known = new Set<string>();

  constructor(value: Json | undefined, path: string, mistakes: Mistake[]) {
    this.#path = path;
    this.#mistakes = mistakes;
    this.#value = isObject(value) ? value : {};
    if (!isObject(value)) this.mistake('', 'must be a mapping of fields');
  }

  mistake(field: string, reason: string): void {
    const path = [this.#path, field].filter((part) => part !== '').join('.');
    this.#mistakes.push({ path, reason });
  }

  /** The raw value; from now on the field is known. */
  raw(field: string): Json | undefined {
    this.#known.add(field);
    return this.#value[field];
  }

  text(field: string, otherwise: string | null = null): string {
    const value = this.raw(field);
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (value === undefined && otherwise !== null) return otherwise;
    this.mistake(field, value === undefined ? `${field} is missing` : `${field} must be a string`);
    return '';
  }

  choice<T extends string>(field: string, choices: readonly T[], otherwise?: T): T {
    const value = this.text(field, otherwise ?? null);
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    if (this.#value[field] !== undefined)
      this.mistake(field, `${JSON.stringify(value)} is not one of ${choices.join(', ')}`);
    return otherwise ?? (choices[0] as T);
  }

  /** A whole number within limits. */
  count(field: string, limits: { from: number; to: number }, otherwise?: number): number {
    const value = this.raw(field);
    if (value === undefined && otherwise !== undefined) return otherwise;
    const { from, to } = limits;
    if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to)
      return value;
    this.mistake(field, `${field} must be a whole number from ${from} to ${to}`);
    return otherwise ?? from;
  }

  /** ms. */
  duration(field: string, otherwiseMs?: number): number {
    const value = this.raw(field);
    if (value === undefined && otherwiseMs !== undefined) return otherwiseMs;
    const found = typeof value === 'string' ? durationOf(value) : null;
    if (found !== null) return found;
    this.mistake(field, `${field} must be a time such as 30s or 1m30s`);
    return otherwiseMs ?? 0;
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.raw(field);
    if (value === undefined) return otherwise;
    if (typeof value !== 'boolean') this.mistake(field, `${field} must be true or false`);
    return value === true;
  }

  /** A mapping inside; an absent one reads as empty. */
  inside(field: string): Fields {
    const value = this.raw(field);
    return new Fields(value ?? {}, this.#below(field), this.#mistakes);
  }

  list<T>(field: string, read: (entry: Fields) => T): readonly T[] {
    const value = this.raw(field);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.mistake(field, `${field} must be a list`);
      return [];
    }
    return (value as readonly Json[]).map((entry, index) => {
      const fields = new Fields(entry, this.#below(`${field}.${index}`), this.#mistakes);
      const made = read(fields);
      fields.end();
      return made;
    });
  }

  /** Texts by name, as labels are. */
  texts(field: string): Readonly<Record<string, string>> {
    const value = this.raw(field);
    if (value === undefined) return {};
    if (isObject(value) && Object.values(value).every((entry) => typeof entry === 'string'))
      return value as Readonly<Record<string, string>>;
    this.mistake(field, `${field} must be a mapping of strings`);
    return {};
  }

  /** Refuses what nobody has read: a field that is not known would be ignored without a word. */
  end(): void {
    for (const field of Object.keys(this.#value))
      if (!this.#known.has(field)) this.mistake(field, this.#unknown(field));
  }

  #unknown(field: string): string {
    return `${field} is an unknown field; known fields: ${[...this.#known].toSorted().join(', ')}`;
  }

  #below(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }
}
