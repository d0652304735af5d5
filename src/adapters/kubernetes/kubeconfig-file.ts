import { CORE_SCHEMA, load } from 'js-yaml';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { notConfigured } from './not-configured.ts';
import { quoted, shown } from './words.ts';

/** A named cluster, user or context, and where it stands. */
export interface KubeconfigEntry {
  readonly name: string;
  readonly body: JsonObject;
  /** The file that defines it; paths inside are relative to its folder. */
  readonly path: string;
}

type Entries = ReadonlyMap<string, KubeconfigEntry>;

export interface Kubeconfig {
  /** The files that were read, in the order of precedence. */
  readonly paths: readonly string[];
  /** Empty when no file sets it. */
  readonly currentContext: string;
  readonly contexts: Entries;
  readonly clusters: Entries;
  readonly users: Entries;
}

/** A kubeconfig with certificates of many clusters has some hundred KiB. */
const KUBECONFIG_BYTES_MAX = 4 * 1024 * 1024;

/** @throws PortError `not-configured` when the file is too big, no YAML, or no kubeconfig */
export function parseKubeconfig(path: string, bytes: Uint8Array): Kubeconfig {
  if (bytes.length > KUBECONFIG_BYTES_MAX)
    throw notConfigured(
      `${shown(path)} has more than 4 MiB, too much for a kubeconfig; ${look(path)}`,
    );
  const body = parsedYaml(path, new TextDecoder().decode(bytes)) ?? {};
  if (!isObject(body))
    throw notConfigured(`${shown(path)} is YAML but not a kubeconfig; ${look(path)}`);
  const kind = textAt(body, 'kind') ?? 'Config';
  if (kind !== 'Config')
    throw notConfigured(`${shown(path)} is a ${shown(kind)}, not a kubeconfig; ${look(path)}`);
  return {
    paths: [path],
    currentContext: textAt(body, 'current-context') ?? '',
    contexts: entriesOf(body, 'contexts', 'context', path),
    clusters: entriesOf(body, 'clusters', 'cluster', path),
    users: entriesOf(body, 'users', 'user', path),
  };
}

function look(path: string): string {
  return `look at it: head -c 300 ${quoted(path)}`;
}

function parsedYaml(path: string, text: string): Json {
  const isEmpty = text.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
  if (isEmpty) return null;
  try {
    return (load(text, { schema: CORE_SCHEMA }) ?? null) as Json;
  } catch (error) {
    const where = /\((\d+):\d+\)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = where === undefined ? '' : ` near line ${where}`;
    throw notConfigured(
      `The kubeconfig ${shown(path)} is not complete YAML${line}; fix it until this succeeds: ` +
        `kubectl config view --kubeconfig=${quoted(path)}`,
    );
  }
}

function entriesOf(body: JsonObject, list: string, key: string, path: string): Entries {
  const entries = new Map<string, KubeconfigEntry>();
  for (const item of listAt(body, list)) {
    const name = textAt(item, 'name') ?? '';
    const inner = isObject(item) ? item[key] : undefined;
    if (name === '' || entries.has(name)) continue;
    entries.set(name, { name, body: isObject(inner) ? inner : {}, path });
  }
  return entries;
}

/** The first file that defines a name, or sets the current context, decides. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  return {
    paths: files.flatMap(({ paths }) => paths),
    currentContext: files.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    contexts: merged(files.map(({ contexts }) => contexts)),
    clusters: merged(files.map(({ clusters }) => clusters)),
    users: merged(files.map(({ users }) => users)),
  };
}

function merged(maps: readonly Entries[]): Entries {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}
