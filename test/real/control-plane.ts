/** A real control plane on loopback: etcd, kube-apiserver and, where asked for, the controllers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, type Program, withBench } from './bench.ts';
import { freePort } from '../ports/free-port.ts';
import { type KubeClient, kubeClient } from './kube-client.ts';
import { partPath } from './parts.ts';
import { caPath, type Credentials, credentialsAt, issue, openPki } from './pki.ts';

export interface ControlPlaneOptions {
  /** Runs kube-controller-manager with every controller, bootstrap signer and token cleaner too. */
  readonly controllers?: boolean;
  readonly scheduler?: boolean;
  /** Flags of kube-apiserver besides ours, such as `--goaway-chance=0.01`. */
  readonly apiServerFlags?: readonly string[];
  /** Flags of etcd besides ours, such as `--quota-backend-bytes=16777216`. */
  readonly etcdFlags?: readonly string[];
  /** Flags of kube-controller-manager besides ours, such as `--node-monitor-grace-period=5s`. */
  readonly controllerFlags?: readonly string[];
}

export interface ControlPlane {
  /** Of the API server, without a slash at its end. */
  readonly url: string;
  /** Of the test's own, for further files; removed by `stop`. */
  readonly dir: string;
  readonly caPath: string;
  /** Of `admin` in the group `system:masters`. */
  readonly admin: Credentials;
  readonly kubeconfigPath: string;
  /** Speaks as `admin`. */
  readonly client: KubeClient;
  /** Every program that runs, by the name that Kubernetes gives it. */
  readonly programs: Readonly<Record<string, Program>>;
  /** Has the cluster's authority certify a user, and answers the path of a kubeconfig for it. */
  readonly writeKubeconfig: (user: string, groups?: readonly string[]) => Promise<string>;
  /** A client that presents itself as this user. */
  readonly clientOf: (user: string, groups?: readonly string[]) => Promise<KubeClient>;
  /** Kills the API server, and starts it again on the same port and storage. */
  readonly restartApiServer: () => Promise<void>;
  /** Starts another program on this control plane; it ends with it, or when it is stopped. */
  readonly startComponent: (options: ComponentOptions) => Promise<Program>;
  readonly stop: () => Promise<void>;
}

/** A program that works on the API server, and tells on a port of its own how it is. */
export interface ComponentOptions {
  readonly name: string;
  readonly path: string;
  readonly kubeconfigPath: string;
  /** Besides those for the kubeconfig, the port, its certificate, and no leader election. */
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What the parts of one control plane know of one another. */
interface Site {
  readonly bench: Bench;
  readonly pki: string;
  readonly url: string;
  readonly port: number;
}

/**
 * Starts a control plane that is ready to be asked: Node and RBAC authorisation, the
 * NodeRestriction plugin, bootstrap tokens; every port on 127.0.0.1 and chosen when it starts.
 *
 * @throws Error with the end of the log of a part that does not come up; nothing is left running
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const pki = await openPki();
  return withBench(async (bench) => {
    const port = await freePort();
    const site: Site = { bench, pki, port, url: `https://127.0.0.1:${port}` };
    const admin = credentialsAt(join(pki, 'admin'));
    const client = kubeClient(site.url, caPath(pki), admin);
    try {
      const started = await startPrograms(site, client, options);
      return controlPlane(site, admin, client, started);
    } catch (error) {
      client.close();
      throw error;
    }
  });
}

type Started = Pick<ControlPlane, 'programs' | 'restartApiServer'>;

async function startPrograms(
  site: Site,
  client: KubeClient,
  options: ControlPlaneOptions,
): Promise<Started> {
  const { controllers = false, scheduler = false, apiServerFlags, controllerFlags } = options;
  const [etcd, etcdUrl] = await startEtcd(site, options.etcdFlags ?? []);
  const startServer = async (): Promise<Program> => {
    const server = startApiServer(site, etcdUrl, apiServerFlags ?? []);
    await server.untilReady(async () => (await client.text('/readyz')) === 'ok');
    return server;
  };
  let apiServer = await startServer();
  const others = [
    ...(controllers ? [await startControllers(site, controllerFlags ?? [])] : []),
    ...(scheduler ? [await startOwn(site, 'kube-scheduler', [])] : []),
  ];
  return {
    programs: Object.fromEntries([etcd, apiServer, ...others].map((one) => [one.name, one])),
    restartApiServer: async () => {
      await apiServer.stop();
      apiServer = await startServer();
    },
  };
}

async function startEtcd(
  { bench }: Site,
  flags: readonly string[],
): Promise<readonly [Program, string]> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(bench.dir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    // What it stores is thrown away when the test is over.
    '--unsafe-no-fsync',
    '--log-level=warn',
    ...flags,
  ];
  const etcd = bench.start({ name: 'etcd', path: partPath('etcd'), args });
  await etcd.untilReady(async () => (await fetch(`${url}/health`)).ok);
  return [etcd, url];
}

function startApiServer(site: Site, etcdUrl: string, flags: readonly string[]): Program {
  const { bench, pki, port } = site;
  const server = credentialsAt(join(pki, 'apiserver'));
  const args = [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    // A loopback address may not be the endpoint of a Service.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--tls-cert-file=${server.certificatePath}`,
    `--tls-private-key-file=${server.keyPath}`,
    `--client-ca-file=${caPath(pki)}`,
    `--requestheader-client-ca-file=${caPath(pki)}`,
    '--requestheader-allowed-names=front-proxy',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${join(pki, 'service-accounts.pub')}`,
    `--service-account-signing-key-file=${join(pki, 'service-accounts.key')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--enable-bootstrap-token-auth=true',
    '--allow-privileged=true',
    ...flags,
  ];
  return bench.start({ name: 'kube-apiserver', path: partPath('kube-apiserver'), args });
}

function startControllers(site: Site, flags: readonly string[]): Promise<Program> {
  const { pki } = site;
  return startOwn(site, 'kube-controller-manager', [
    `--service-account-private-key-file=${join(pki, 'service-accounts.key')}`,
    `--root-ca-file=${caPath(pki)}`,
    `--cluster-signing-cert-file=${caPath(pki)}`,
    `--cluster-signing-key-file=${join(pki, 'ca.key')}`,
    '--use-service-account-credentials',
    '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
    ...flags,
  ]);
}

/** A program of Kubernetes with an identity of its own. */
function startOwn(site: Site, name: string, flags: readonly string[]): Promise<Program> {
  const kubeconfigPath = join(site.bench.dir, `${name}.kubeconfig`);
  writeKubeconfig(site, kubeconfigPath, name, credentialsAt(join(site.pki, name)));
  return startComponent(site, { name, path: partPath(name), kubeconfigPath, flags });
}

async function startComponent(
  { bench, pki }: Site,
  { name, path, kubeconfigPath, flags, env }: ComponentOptions,
): Promise<Program> {
  const port = await freePort();
  const server = credentialsAt(join(pki, 'apiserver'));
  const args = [
    `--kubeconfig=${kubeconfigPath}`,
    `--authentication-kubeconfig=${kubeconfigPath}`,
    `--authorization-kubeconfig=${kubeconfigPath}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${server.certificatePath}`,
    `--tls-private-key-file=${server.keyPath}`,
    ...flags,
  ];
  const program = bench.start({ name, path, args, ...(env === undefined ? {} : { env }) });
  const probe = kubeClient(`https://127.0.0.1:${port}`, caPath(pki), null);
  try {
    await program.untilReady(async () => (await probe.text('/healthz')) === 'ok');
  } finally {
    probe.close();
  }
  return program;
}

function controlPlane(
  site: Site,
  admin: Credentials,
  client: KubeClient,
  { programs, restartApiServer }: Started,
): ControlPlane {
  const { bench, pki, url } = site;
  const clients = [client];
  const certify = (user: string, groups: readonly string[]): Promise<Credentials> =>
    issue(pki, join(bench.dir, `user-${crypto.randomUUID()}`), { user, groups });
  const kubeconfigPath = join(bench.dir, 'kubeconfig');
  writeKubeconfig(site, kubeconfigPath, 'admin', admin);
  return {
    url,
    dir: bench.dir,
    caPath: caPath(pki),
    admin,
    kubeconfigPath,
    client,
    programs,
    writeKubeconfig: async (user, groups = []) => {
      const credentials = await certify(user, groups);
      const path = credentials.keyPath.replace(/key$/, 'kubeconfig');
      writeKubeconfig(site, path, user, credentials);
      return path;
    },
    clientOf: async (user, groups = []) => {
      const made = kubeClient(url, caPath(pki), await certify(user, groups));
      clients.push(made);
      return made;
    },
    restartApiServer,
    startComponent: (options) => startComponent(site, options),
    stop: async () => {
      for (const one of clients) one.close();
      await bench.close();
    },
  };
}

/** Self-contained, so that the file alone can be handed to a program; JSON is YAML too. */
function writeKubeconfig(
  { pki, url }: Site,
  path: string,
  user: string,
  { certificatePath, keyPath }: Credentials,
): void {
  const embed = (file: string): string => readFileSync(file).toString('base64');
  const name = 'rollcall-test';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server: url, 'certificate-authority-data': embed(caPath(pki)) } },
    ],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': embed(certificatePath),
          'client-key-data': embed(keyPath),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
}
