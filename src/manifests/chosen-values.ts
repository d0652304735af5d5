import { isObject, type Json, type JsonObject } from '../evidence/json.ts';
import { faultsOf } from './check-values.ts';
import type { Installation } from './template.ts';
import { defaultsOf, mergedValues, valuesSchema } from './values.ts';

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** What is asked for: layers of values, of which later ones win. */
export interface Choice {
  readonly version: string;
  readonly namespace: string;
  readonly layers: readonly Json[];
}

/** An installation, or why it cannot be, one sentence each. */
export type Chosen =
  | { readonly ok: true; readonly into: Installation }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Lays values over the usual ones, and refuses what the schema of the chart refuses. */
export function chosenValues({ version, namespace, layers }: Choice): Chosen {
  const schema = valuesSchema(version);
  const faults = layers.flatMap((layer) => faultsOf(schema, layer));
  if (!NAMESPACE.test(namespace)) faults.unshift('the namespace must be a DNS label');
  if (faults.length > 0) return { ok: false, faults };
  const values = layers.filter(isObject).reduce(mergedValues, usualValues(schema));
  return { ok: true, into: { namespace, values } };
}

function usualValues(schema: JsonObject): JsonObject {
  const usual = defaultsOf(schema);
  return isObject(usual) ? usual : {};
}

/** `gate.replicas` and a value as a layer; the value is JSON where it is any, else a text. */
export function layerOf(path: string, value: Json): JsonObject {
  const [first = '', ...rest] = path.split('.');
  return { [first]: rest.length === 0 ? value : layerOf(rest.join('.'), value) };
}
