import { isObject, type JsonObject } from '../../src/evidence/json.ts';
import type { Installation } from '../../src/manifests/template.ts';
import { defaultsOf, mergedValues, valuesSchema } from '../../src/manifests/values.ts';

/** An installation in the usual namespace with some values of its own. */
export function installationWith(version: string, values: JsonObject): Installation {
  const defaults = defaultsOf(valuesSchema(version));
  if (!isObject(defaults)) throw new TypeError('the values are no object');
  return { namespace: 'rollcall', values: mergedValues(defaults, values) };
}

export function defaultInstallation(version: string): Installation {
  return installationWith(version, {});
}
