/** Answers of both APIs as files, for commands that read what others collected. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Ajv } from 'ajv';

const ROOT = join(import.meta.dirname, '../..');

/** Returns what a document lacks of its published schema; empty when it fits. */
export function fits(schema: string, value: unknown): string {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  const text = readFileSync(join(ROOT, 'docs/schemas', `${schema}.schema.json`), 'utf8');
  const validate = ajv.compile(JSON.parse(text) as object);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** Rows of a page that are wider than it may be. */
export function tooWide(page: string): readonly string[] {
  return page.split('\n').filter((row) => row.length > 100);
}

/** A folder with one JSON file for each document. */
export function folderOf(t: TestContext, documents: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-evidence-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, value] of Object.entries(documents))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
  return folder;
}

/** A list of all objects of a kind, as Rollcall writes it. */
export function listed(kind: string, items: readonly object[]): object {
  const metadata = { annotations: { rollcall: 'complete' } };
  return { apiVersion: 'v1', kind: `${kind}List`, metadata, items };
}

/** No kubeconfig and no AWS: nothing outside answers while these tests run. */
export function withoutClients(t: TestContext): void {
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  const names = Object.keys(process.env).filter((name) => !/^(?:AWS_|KUBE)/.test(name));
  process.env = {
    ...Object.fromEntries(names.map((name) => [name, before[name]])),
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    KUBECONFIG: '/nowhere/config',
  };
}
