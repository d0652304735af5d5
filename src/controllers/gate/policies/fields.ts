import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { shown, shownKey } from './shown.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION = /^(?:\d{1,9}(?:\.\d{1,6})?(?:ms|s|m|h)){1,4}$/;
const DURATION_MS_MAX = 30 * 24 * 3_600_000;

/** A duration as Go writes it, such as `1m30s`, in ms; null for any other text. */
function durationMs(text: string): number | null {
  if (!DURATION.test(text)) return null;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const ms = parts.reduce((sum, [, n, unit]) => sum + Number(n) * (UNITS_MS[unit ?? ''] ?? 0), 0);
  return ms <= DURATION_MS_MAX ? ms : null;
}

/** Reads the fields of a document, and collects a sentence for each that cannot be followed. */
export class Fields {
  readonly #object: JsonObject;
  readonly #path: string;
  readonly #refusals: Map<string, string>;

  /** @param known every field there is; another one is refused */
  constructor(
    object: JsonObject,
    path: string,
    known: readonly string[],
    refusals = new Map<string, string>(),
  ) {
    this.#object = object;
    this.#path = path;
    this.#refusals = refusals;
    for (const key of Object.keys(object))
      if (!known.includes(key))
        this.refuse(shownKey(key), `is unknown; there are ${known.join(', ')}`);
  }

  /** One sentence for each refused field. */
  whys(): readonly string[] {
    return [...this.#refusals.values()];
  }

  /** True when this field or one inside it was refused. */
  isRefused(field: string): boolean {
    const path = this.#pathOf(field);
    const isInside = (refused: string): boolean =>
      refused.startsWith(`${path}.`) || refused.startsWith(`${path}[`);
    return [...this.#refusals.keys()].some((refused) => refused === path || isInside(refused));
  }

  /** @param why what follows the field's name in the sentence */
  refuse(field: string, why: string): void {
    const path = this.#pathOf(field);
    this.#refusals.set(path, `${path} ${why}.`);
  }

  value(field: string): Json | undefined {
    const found = Object.hasOwn(this.#object, field) ? this.#object[field] : undefined;
    return found === null ? undefined : found;
  }

  /** Text that is required unless a default is given. */
  text(field: string, fallback?: string): string {
    const found = this.value(field);
    if (typeof found === 'string') return found;
    if (found === undefined && fallback !== undefined) return fallback;
    this.refuse(field, found === undefined ? 'is missing' : `is ${shown(found)}, not text`);
    return fallback ?? '';
  }

  choice(field: string, values: readonly string[], fallback?: string): string {
    const found = this.text(field, fallback);
    if (values.includes(found) || this.isRefused(field)) return found;
    this.refuse(field, `is ${shown(found)}; use ${values.join(' or ')}`);
    return found;
  }

  flag(field: string): boolean {
    const found = this.value(field);
    if (found === undefined || typeof found === 'boolean') return found === true;
    this.refuse(field, `is ${shown(found)}; use true or false`);
    return false;
  }

  number(field: string, fallback: number, least: number, most: number): number {
    const found = this.value(field);
    if (found === undefined) return fallback;
    if (typeof found === 'number' && found >= least && found <= most) return found;
    this.refuse(field, `is ${shown(found)}; use a number from ${least} to ${most}`);
    return fallback;
  }

  /** ms. */
  duration(field: string, fallbackMs: number): number {
    const found = this.value(field);
    if (found === undefined) return fallbackMs;
    const ms = typeof found === 'string' ? durationMs(found) : null;
    if (ms === null) this.refuse(field, `is ${shown(found)}; use a duration such as 30s or 5m`);
    return ms ?? fallbackMs;
  }

  /** The fields of an object inside; empty where there is none. */
  inside(field: string, known: readonly string[]): Fields {
    const found = this.value(field);
    if (found !== undefined && !isObject(found))
      this.refuse(field, `is ${shown(found)}, not an object`);
    const object = isObject(found) ? found : {};
    return new Fields(object, this.#pathOf(field), known, this.#refusals);
  }

  /** The objects of a list inside; what is no object is refused. */
  items(field: string, known: readonly string[], most: number): readonly Fields[] {
    const found = this.value(field);
    if (found === undefined) return [];
    if (!Array.isArray(found)) {
      this.refuse(field, 'is not a list');
      return [];
    }
    const list = found as readonly Json[];
    if (list.length > most) this.refuse(field, `has ${list.length} entries; ${most} are allowed`);
    return list.slice(0, most).flatMap((entry, index) => {
      const path = `${field}[${index}]`;
      if (isObject(entry)) return [new Fields(entry, this.#pathOf(path), known, this.#refusals)];
      this.refuse(path, 'is not an object');
      return [];
    });
  }

  /** A list of texts; what is no text is refused. */
  texts(field: string): readonly string[] {
    const found = this.value(field);
    const list = Array.isArray(found) ? (found as readonly Json[]) : [];
    const texts = list.filter((entry) => typeof entry === 'string');
    if ((found !== undefined && !Array.isArray(found)) || texts.length < list.length)
      this.refuse(field, 'is not a list of texts');
    return texts;
  }

  #pathOf(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }
}
