/** In which form an answer is wanted. */
export interface Wanted {
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Of the form: `v1` or `v1beta1`. */
  readonly version: string;
  readonly isYaml: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

const ACCEPT_CHARS_MAX = 4096;
const CLAUSES_MAX = 32;

/** The clauses of an `Accept`, the most wanted first; without one anything is. */
export function clausesOf(accept: string | undefined): readonly Clause[] {
  const text = (accept ?? '').slice(0, ACCEPT_CHARS_MAX).trim();
  const clauses = (text === '' ? '*/*' : text).split(',').slice(0, CLAUSES_MAX).map(clauseOf);
  return clauses.toSorted((one, other) => other.quality - one.quality);
}

function clauseOf(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters: [string, string][] = rest.map((part) => {
    const equals = part.indexOf('=');
    return [part.slice(0, Math.max(0, equals)), part.slice(equals + 1)];
  });
  const record: Readonly<Record<string, string>> = Object.fromEntries(parameters);
  const quality = Number(record['q'] ?? 1);
  return {
    type: type.toLowerCase(),
    parameters: record,
    quality: Number.isFinite(quality) ? quality : 1,
  };
}

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*']);
const FORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

/** The first clause that can be served, null when none can (406). */
export function wantedOf(accept: string | undefined): Wanted | null {
  for (const { type, parameters } of clausesOf(accept)) {
    const isYaml = type === 'application/yaml';
    if (!JSON_TYPES.has(type) && !isYaml) continue;
    const { as, v = 'v1', g = 'meta.k8s.io' } = parameters;
    if (as === undefined) return { as: 'object', version: 'v1', isYaml };
    if (!FORMS.has(as) || g !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(v)) continue;
    return { as: as as Wanted['as'], version: v, isYaml };
  }
  return null;
}
