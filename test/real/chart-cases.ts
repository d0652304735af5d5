/** The chart, the kustomization and the manifests of `rollcall install`, each as objects by name. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';
import { PERMISSIONS } from '../../src/collection/permissions.generated.ts';
import { at, isObject, type Json, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { installedObjects } from '../../src/manifests/parts.ts';
import { installationWith } from '../../tools/generate/installations.ts';
import manifest from '../../package.json' with { type: 'json' };
import { partPath } from './parts.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
export const CHART = join(ROOT, 'charts/rollcall');
export const VERSION = manifest.version;
const OUTPUT_MAX = 16 * 1024 * 1024;

/** Objects by kind, namespace and name. */
export type Objects = ReadonlyMap<string, JsonObject>;

export function keyOf(object: JsonObject): string {
  const namespace = textAt(object, 'metadata.namespace') ?? '';
  return [textAt(object, 'kind'), namespace, textAt(object, 'metadata.name')].join(' ');
}

export function byKey(objects: readonly JsonObject[]): Objects {
  const all = new Map(objects.map((one) => [keyOf(one), one]));
  if (all.size !== objects.length) throw new Error('two objects have one name');
  return new Map([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Switches of an installation, and values of its own. */
export interface Case {
  readonly title: string;
  readonly namespace?: string;
  readonly values: JsonObject;
}

const SWITCHES = ['controller', 'gate', 'agent', 'admissionPolicies', 'networkPolicies'];

/** Every combination of the five switches. */
export function combinations(): readonly Case[] {
  return Array.from({ length: 2 ** SWITCHES.length }, (_, bits) => {
    const on = SWITCHES.filter((_name, index) => (bits & (2 ** index)) !== 0);
    const values = SWITCHES.map((name) => [name, { enabled: on.includes(name) }]);
    const title = on.length === 0 ? 'nothing' : on.join(', ');
    return { title, values: Object.fromEntries(values) as JsonObject };
  });
}

export function installed({ namespace = 'rollcall', values }: Case): Objects {
  const { values: whole } = installationWith(VERSION, values);
  return byKey(installedObjects(PERMISSIONS, { namespace, values: whole }));
}

/** A folder of this process for files of values and what Helm keeps. */
export class Helm {
  readonly #dir = mkdtempSync(join(tmpdir(), 'rollcall-helm-'));
  #count = 0;

  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const home = ['CACHE', 'CONFIG', 'DATA'].map((one) => [`HELM_${one}_HOME`, this.#dir]);
    const { stdout } = await run(partPath('helm'), [...args], {
      env: { ...Object.fromEntries(home), HOME: this.#dir, ...env },
      maxBuffer: OUTPUT_MAX,
    });
    return stdout;
  }

  valuesFile(values: JsonObject): string {
    const path = join(this.#dir, `values-${this.#count++}.json`);
    writeFileSync(path, JSON.stringify(values));
    return path;
  }

  async lint(values: JsonObject): Promise<string> {
    return await this.run(['lint', '--strict', CHART, '-f', this.valuesFile(values)]);
  }

  /** Every object of the chart, those of hooks too. */
  async template({ namespace = 'rollcall', values }: Case): Promise<readonly JsonObject[]> {
    const file = this.valuesFile(values);
    const args = ['template', 'rollcall', CHART, '-n', namespace, '-f', file];
    return objectsIn(await this.run([...args, '--kube-version', '1.36.0']));
  }

  /** What kubectl builds of the base and some components. */
  async kustomized(components: readonly string[]): Promise<Objects> {
    const folder = join(this.#dir, `kustomize-${this.#count++}`);
    mkdirSync(folder);
    const path = relative(folder, join(ROOT, 'deploy/kustomize'));
    const kustomization = {
      resources: [`${path}/base`],
      components: components.map((name) => `${path}/components/${name}`),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { stdout } = await run(partPath('kubectl'), ['kustomize', folder], {
      maxBuffer: OUTPUT_MAX,
    });
    return byKey(objectsIn(stdout));
  }

  end(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

export function objectsIn(text: string): readonly JsonObject[] {
  return (loadAll(text) as readonly Json[]).filter(isObject);
}

export function isHook(object: JsonObject): boolean {
  return isObject(at(object, 'metadata.annotations')) && hookOf(object) !== undefined;
}

function hookOf(object: JsonObject): Json | undefined {
  const annotations = at(object, 'metadata.annotations');
  return isObject(annotations) ? annotations['helm.sh/hook'] : undefined;
}

/** Without what only Helm reads. */
export function withoutHelm(object: JsonObject): JsonObject {
  const metadata = at(object, 'metadata');
  if (!isObject(metadata)) return object;
  const annotations = Object.entries(metadata['annotations'] ?? {}).filter(
    ([name]) => !name.startsWith('helm.sh/'),
  );
  const rest = Object.entries(metadata).filter(([name]) => name !== 'annotations');
  const kept = annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) };
  return { ...object, metadata: { ...Object.fromEntries(rest), ...kept } };
}
