import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../cli/context.ts';

/** Where the servers of a lab listen, and with what they are entered. */
export interface LabDoors {
  readonly kubernetesUrl: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly caPem: string;
  readonly token: string;
  readonly awsUrl: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The name of cluster and context: what `aws eks update-kubeconfig` calls a cluster of EKS. */
  readonly context: string;
}

export interface LabFolder {
  readonly path: string;
  readonly kubeconfig: string;
  /** A file to `source`, with everything that kubectl, aws and rollcall need. */
  readonly environment: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * A folder for the files of a lab, for nobody else to read.
 *
 * @throws UsageError where it cannot be written
 */
export function makeFolder(path: string | null): string {
  try {
    if (path === null) return mkdtempSync(join(tmpdir(), 'rollcall-lab-'));
    return makeOne(resolve(path));
  } catch (error) {
    throw unwritable(path ?? tmpdir(), error);
  }
}

/** Without its parents: asked for those, Node.js tries without end below `/proc`. */
function makeOne(path: string): string {
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return path;
}

function unwritable(path: string, error: unknown): UsageError {
  const why = error instanceof Error ? error.message : String(error);
  return new UsageError(`${path} cannot be written (${why}); choose another: --folder PATH`);
}

/** Takes away a folder that nobody asked for by name; its credentials have ended. */
export function dropFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Writes the kubeconfig and the environment into the folder. */
export function writeFolder(path: string, doors: LabDoors): LabFolder {
  const kubeconfig = join(path, 'kubeconfig');
  const environment = join(path, 'env');
  try {
    writePrivate(kubeconfig, kubeconfigOf(doors));
    writePrivate(environment, environmentOf(kubeconfig, doors));
  } catch (error) {
    throw unwritable(path, error);
  }
  return { path, kubeconfig, environment };
}

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: PRIVATE_FILE });
  // The mode counts only for a file that is new.
  chmodSync(path, PRIVATE_FILE);
}

/** JSON is YAML, and needs no quoting rules. */
function kubeconfigOf({ kubernetesUrl, caPem, token, context }: LabDoors): string {
  const cluster = {
    server: kubernetesUrl,
    'certificate-authority-data': Buffer.from(caPem).toString('base64'),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    clusters: [{ name: context, cluster }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: context, context: { cluster: context, user: 'admin' } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function environmentOf(kubeconfig: string, doors: LabDoors): string {
  const values: Readonly<Record<string, string>> = {
    KUBECONFIG: kubeconfig,
    AWS_ENDPOINT_URL: doors.awsUrl,
    AWS_REGION: doors.region,
    AWS_DEFAULT_REGION: doors.region,
    AWS_ACCESS_KEY_ID: doors.accessKeyId,
    AWS_SECRET_ACCESS_KEY: doors.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoted(value)}`);
  // A token or profile of the user's own would be sent to the lab instead.
  return `${[...lines, 'unset AWS_PROFILE AWS_SESSION_TOKEN'].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
