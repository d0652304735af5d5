/** SARIF 2.1.0 by its own schema. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Written by tools/sarif-schema.ts. */
export const SCHEMA_FILE = join(import.meta.dirname, 'sarif-schema.json');

/** RFC 3986, appendix B: what cannot be in any part, a percent sign without digits included. */
const URI_REFERENCE = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\dA-Fa-f]{2})*$/;

/** @returns what the schema refuses in documents, one sentence each */
export function sarifJudge(): (document: unknown) => readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajv.addFormat('uri', (text) => URL.canParse(text) && URI_REFERENCE.test(text));
  ajv.addFormat('uri-reference', URI_REFERENCE);
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT.*Z$/.test(text));
  const isValid = ajv.compile(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as object);
  return (document) =>
    isValid(document)
      ? []
      : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
