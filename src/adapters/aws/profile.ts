/** What the configuration files of the AWS command line say about one profile. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where credentials come from: keys in the environment, or what the profile says. */
export type CredentialSource =
  | 'environment'
  | 'sso'
  | 'process'
  | 'role'
  | 'web-identity'
  | 'keys'
  | 'none';

export interface Profile {
  readonly name: string;
  /** True when somebody asked for it by name. */
  readonly chosen: boolean;
  /** False when it is in neither file. */
  readonly found: boolean;
  readonly region: string | null;
  readonly source: CredentialSource;
  /** Path of a file of certificates, null for those of Node. */
  readonly caBundle: string | null;
  readonly configPath: string;
  readonly credentialsPath: string;
}

type Section = ReadonlyMap<string, string>;

/** @param chosen the name given on the command line, null to take it from the environment */
export function readProfile(chosen: string | null, environment: Environment): Profile {
  const asked = chosen ?? environment['AWS_PROFILE'] ?? environment['AWS_DEFAULT_PROFILE'];
  const name = asked === undefined || asked === '' ? 'default' : asked;
  const { configPath, credentialsPath } = filesOf(environment);
  const config = sectionsOf(configPath);
  const inConfig = config.get(`profile ${name}`) ?? (name === 'default' ? config.get(name) : null);
  const inCredentials = sectionsOf(credentialsPath).get(name);
  const section = new Map([...(inConfig ?? []), ...(inCredentials ?? [])]);
  return {
    name,
    chosen: chosen !== null || name !== 'default',
    found: (inConfig ?? inCredentials ?? null) !== null,
    region: section.get('region') ?? null,
    source: hasKeys(chosen, environment) ? 'environment' : sourceOf(section),
    caBundle: environment['AWS_CA_BUNDLE'] ?? section.get('ca_bundle') ?? null,
    configPath,
    credentialsPath,
  };
}

function filesOf(environment: Environment): Pick<Profile, 'configPath' | 'credentialsPath'> {
  const folder = join(environment['HOME'] ?? homedir(), '.aws');
  return {
    configPath: environment['AWS_CONFIG_FILE'] ?? join(folder, 'config'),
    credentialsPath: environment['AWS_SHARED_CREDENTIALS_FILE'] ?? join(folder, 'credentials'),
  };
}

/** Names of all profiles in both files, each once. */
export function profileNames(environment: Environment): readonly string[] {
  const { configPath, credentialsPath } = filesOf(environment);
  const inConfig = [...sectionsOf(configPath).keys()]
    .filter((heading) => heading === 'default' || heading.startsWith('profile '))
    .map((heading) => heading.replace(/^profile /, ''));
  return [...new Set([...inConfig, ...sectionsOf(credentialsPath).keys()])];
}

/** As with the AWS command line, keys go before a profile of the environment, not of an argument. */
function hasKeys(chosen: string | null, environment: Environment): boolean {
  const keys = [environment['AWS_ACCESS_KEY_ID'], environment['AWS_SECRET_ACCESS_KEY']];
  return chosen === null && keys.every((key) => key !== undefined && key !== '');
}

const SOURCES: readonly (readonly [string, CredentialSource])[] = [
  ['web_identity_token_file', 'web-identity'],
  ['role_arn', 'role'],
  ['sso_session', 'sso'],
  ['sso_start_url', 'sso'],
  ['credential_process', 'process'],
  ['aws_access_key_id', 'keys'],
];

function sourceOf(section: Section): CredentialSource {
  return SOURCES.find(([key]) => section.has(key))?.[1] ?? 'none';
}

/** People's own files are a few kB. */
const FILE_BYTES_MAX = 4 << 20;

/** @returns the sections of an INI file by name, none where there is no such file */
function sectionsOf(path: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | null = null;
  for (const line of readLines(path)) {
    const heading = /^\[([^\]]{1,256})\]/.exec(line)?.[1];
    if (heading !== undefined) {
      section = new Map();
      sections.set(heading.trim().replace(/\s+/, ' ').replaceAll('"', ''), section);
      continue;
    }
    const [key, value] = entryOf(line);
    if (section !== null && key !== null) section.set(key, value);
  }
  return sections;
}

/** Indented lines belong to the key before them, such as the settings of one service. */
function entryOf(line: string): readonly [string, string] | readonly [null, null] {
  const equals = line.indexOf('=');
  if (equals <= 0 || /^[\s#;]/.test(line)) return [null, null];
  return [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
}

function readLines(path: string): readonly string[] {
  try {
    const { size } = statSync(path);
    return size > FILE_BYTES_MAX ? [] : readFileSync(path, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
