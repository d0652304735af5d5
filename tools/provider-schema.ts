/**
 * Writes the names of the AWS provider's resources and attributes that readers and examples of
 * plans use, from its bindings for CDKTF, which are generated from the provider's own schema:
 *
 *   npm pack @cdktf/provider-aws && tar xzf cdktf-provider-aws-*.tgz
 *   node tools/provider-schema.ts package
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_FILE, typesUsed } from '../test/preflight/provider-schema.ts';

/** What a type has: its attributes, and under the names of blocks what they have. */
type Names = { readonly [name: string]: Names | null };

const CLASS =
  /^class (\w+) extends [^]*?(?=^class |^exports\.\w+ = \w+;$(?![^]*^class )|(?![^]))/gm;
const ATTRIBUTE = /\bget\w*Attribute\(["'](\w+)["']\)/g;
const BLOCK = /\bnew (\w+?)(?:List|Map|OutputReference)\(this, ["'](\w+)["']/g;
const MAIN = /^class (\w+) extends cdktf\.Terraform(?:Resource|DataSource) /m;
/** Deeper blocks than these are rules of firewalls and the like, in themselves. */
const DEPTH_MAX = 6;

function folderOf(type: string): string {
  const [, isData, name = ''] = /^(data\.)?aws_(\w+)$/.exec(type) ?? [];
  return `${isData === undefined ? '' : 'data-aws-'}${name.replaceAll('_', '-')}`;
}

function classesIn(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Map(
    texts.flatMap((text) => [...text.matchAll(CLASS)].map(([body, name = '']) => [name, body])),
  );
}

function namesOf(classes: ReadonlyMap<string, string>, name: string, depth = 0): Names {
  const body = classes.get(name) ?? '';
  const attributes = [...body.matchAll(ATTRIBUTE)].map(([, one = '']) => [one, null] as const);
  const blocks = [...body.matchAll(BLOCK)].map(
    ([, of = '', one = '']) =>
      [
        one,
        depth < DEPTH_MAX ? namesOf(classes, `${of}OutputReference`, depth + 1) : null,
      ] as const,
  );
  const all = [...attributes, ...blocks].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(all);
}

function schemaOf(root: string, type: string): Names {
  const folder = join(root, 'lib', folderOf(type));
  if (!existsSync(folder)) throw new Error(`the bindings have no ${type} (${folder})`);
  const classes = classesIn(folder);
  const main = MAIN.exec(readFileSync(join(folder, 'index.js'), 'utf8'))?.[1] ?? '';
  return namesOf(classes, main);
}

const [root = 'package'] = process.argv.slice(2);
const any = readFileSync(join(root, 'lib/eks-cluster/index.js'), 'utf8');
const types = typesUsed().map((type) => [type, schemaOf(root, type)] as const);
const schema = {
  provider: /providerVersion: '([\d.]+)'/.exec(any)?.[1],
  types: Object.fromEntries(types),
};
writeFileSync(SCHEMA_FILE, `${JSON.stringify(schema)}\n`);
