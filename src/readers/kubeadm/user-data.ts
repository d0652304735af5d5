import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { KubeadmGiven } from '../../evidence/kubeadm.ts';
import { looksLikeMime, readMime } from '../aws/mime.ts';
import { decodedUserData } from '../aws/user-data.ts';
import { parseYamlDocuments } from '../text/parse.ts';
import { kubeadmGiven } from './documents.ts';

/** EC2 takes 16 kB; compressed data grows beyond it. */
const TEXT_MAX = 256 * 1024;
const FILES_MAX = 200;

/**
 * What user data gives kubeadm: documents that it is itself, that a script writes by a here-document
 * or that cloud-init writes as files; null without one.
 *
 * @param template its id
 * @param encoded in base64
 */
export function kubeadmInUserData(template: string, encoded: string | null): KubeadmGiven | null {
  const text = decodedUserData(encoded ?? '').slice(0, TEXT_MAX);
  if (!/\.k8s\.io\/|\bb(?:ase)?64\b/.test(text)) return null;
  const files = partsOf(text).flatMap(filesIn);
  const documents = files.filter(isOfKubernetes).flatMap(documentsIn);
  return kubeadmGiven(documents, template, runtimeDriverIn([text, ...files]));
}

/** A script holds documents only in its here-documents. */
function isOfKubernetes(file: string): boolean {
  return /\.k8s\.io\//.test(file) && !file.trimStart().startsWith('#!');
}

function partsOf(text: string): readonly string[] {
  return looksLikeMime(text.trimStart()) ? readMime(text).parts.map(({ body }) => body) : [text];
}

/** A part itself, the files that cloud-init writes for it, and those that scripts write. */
function filesIn(part: string): readonly string[] {
  const texts = part.trimStart().startsWith('#cloud-config') ? cloudFiles(part) : [part];
  return texts.flatMap((text) => [text, ...hereDocuments(text)]);
}

function cloudFiles(text: string): readonly string[] {
  const config = parsed(text);
  if (!isObject(config)) return [];
  const files = listAt(config, 'write_files').slice(0, FILES_MAX).map(contentOf);
  const commands = listAt(config, 'runcmd').slice(0, FILES_MAX);
  return [...files, ...commands.map((one) => (typeof one === 'string' ? one : words(one)))];
}

function words(command: Json): string {
  return listAt({ command }, 'command')
    .filter((word) => typeof word === 'string')
    .join(' ');
}

function contentOf(file: Json): string {
  const content = textAt(file, 'content') ?? '';
  return /^(?:b64|base64)$/.test(textAt(file, 'encoding') ?? '')
    ? decodedUserData(content)
    : content;
}

function parsed(text: string): Json {
  try {
    return load(text, { schema: CORE_SCHEMA }) as Json;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return null;
  }
}

const START = /<<-?[ \t]{0,8}['"\\]?([A-Za-z_]\w{0,60})/;

/** What a script writes by here-documents; one without an end is none. */
function hereDocuments(script: string): readonly string[] {
  const found: string[] = [];
  let mark: string | null = null;
  let lines: string[] = [];
  for (const line of script.split('\n')) {
    if (mark === null) {
      mark = START.exec(line)?.[1] ?? null;
      lines = [];
    } else if (line.trim() === mark) {
      found.push(lines.join('\n'));
      mark = null;
    } else lines.push(line);
  }
  return found.slice(0, FILES_MAX);
}

function documentsIn(text: string): readonly Json[] {
  const all = parseYamlDocuments(text.split(/\r?\n/), 1).toArray();
  return all.flatMap((read) => (read.ok ? [read.value] : []));
}

/** The last setting of containerd's configuration, or what the last `sed` makes of it. */
function runtimeDriverIn(texts: readonly string[]): string | null {
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => !/^\s*#/.test(line)));
  const settings = lines.flatMap((line) =>
    [...line.matchAll(/SystemdCgroup\s{0,8}=\s{0,8}(true|false)\b/g)].slice(-1),
  );
  const values = new Set(settings.map(([, value]) => value));
  if (values.size !== 1) return null;
  return values.has('true') ? 'systemd' : 'cgroupfs';
}
