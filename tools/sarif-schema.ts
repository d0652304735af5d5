/**
 * Writes what the schema of SARIF 2.1.0 demands, without its prose, from the copy in Microsoft's
 * validator (npm, MIT), which also reads a document by itself:
 *
 *   npm pack @microsoft/sarif-multitool-linux && tar xzf microsoft-sarif-multitool-linux-*.tgz
 *   node tools/sarif-schema.ts package
 *   package/Sarif.Multitool validate FILE
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../src/evidence/json.ts';
import { SCHEMA_FILE } from '../test/preflight/sarif-schema.ts';

const PROSE: ReadonlySet<string> = new Set(['title', 'description', 'default']);

/** Under these, keys are names of SARIF, such as `description`. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'definitions', '$defs']);

function withoutProse(schema: Json, isNamed = false): Json {
  if (Array.isArray(schema)) return schema.map((one) => withoutProse(one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => isNamed || !PROSE.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, withoutProse(value, !isNamed && NAMED.has(key))]),
  );
}

const [root = 'package'] = process.argv.slice(2);
const read = (name: string): Json => JSON.parse(readFileSync(join(root, name), 'utf8')) as Json;
const { name, version, license } = read('package.json') as Record<string, string>;
const $comment = `The constraints of sarif-2.1.0.json in ${name} ${version} (${license}), by OASIS`;
const schema = { $comment, ...(withoutProse(read('sarif-2.1.0.json')) as Record<string, Json>) };
writeFileSync(SCHEMA_FILE, `${JSON.stringify(schema)}\n`);
