import type { ExecSource, KubeTarget } from './target.ts';

/** What a kubeconfig says about the AWS side of a cluster. */
export interface ContextDescription {
  readonly contextName: string | null;
  /** The EKS cluster's name, not its ARN. */
  readonly clusterName: string | null;
  readonly region: string | null;
  /** The AWS profile under which the credential is fetched. */
  readonly awsProfile: string | null;
  readonly server: string;
}

/** Reads the names in a context, its cluster and the arguments of `aws eks get-token`. */
export function describeContext(target: KubeTarget): ContextDescription {
  const exec = target.credential.kind === 'exec' ? target.credential.exec : null;
  const names = [target.contextName, target.clusterEntry, target.userEntry].filter(
    (name) => name !== null,
  );
  const named = names.map(nameIn).find((found) => found !== null) ?? null;
  return {
    contextName: target.contextName,
    clusterName: clusterNameOf(target),
    region: regionOfExec(exec) ?? named?.region ?? regionOfHost(target.server),
    awsProfile: profileOf(exec),
    server: target.server,
  };
}

/** The EKS cluster's name, null when nothing in the kubeconfig names one. */
export function clusterNameOf(target: KubeTarget): string | null {
  const exec = target.credential.kind === 'exec' ? target.credential.exec : null;
  const flagged = flagOf(exec, ['--cluster-name', '--cluster-id', '-i']);
  if (flagged !== null) return withoutArn(flagged);
  const names = [target.clusterEntry, target.contextName, target.userEntry];
  for (const name of names) {
    const found = name === null ? null : nameIn(name);
    if (found !== null) return found.name;
  }
  return null;
}

interface NamedCluster {
  readonly name: string;
  readonly region: string;
}

const ARN = /arn:aws[\w-]*:eks:([\w-]+):\d{12}:cluster\/([\w-]+)/;
/** eksctl names users, contexts and clusters after the cluster and its region. */
const EKSCTL = /(?:^|@)([A-Za-z0-9][\w-]*)\.([a-z]{2}(?:-[a-z]+)+-\d)\.eksctl\.io$/;

function nameIn(text: string): NamedCluster | null {
  const arn = ARN.exec(text);
  if (arn !== null) return { name: arn[2] ?? '', region: arn[1] ?? '' };
  const eksctl = EKSCTL.exec(text);
  return eksctl === null ? null : { name: eksctl[1] ?? '', region: eksctl[2] ?? '' };
}

function withoutArn(name: string): string {
  return nameIn(name)?.name ?? name;
}

/** The value of `--flag value` or `--flag=value`, in the arguments of a known program. */
function flagOf(exec: ExecSource | null, flags: readonly string[]): string | null {
  if (exec === null || !/(?:^|[/\\])(?:aws|aws-iam-authenticator)(?:\.exe)?$/.test(exec.command))
    return null;
  for (const [index, argument] of exec.args.entries()) {
    if (flags.includes(argument)) return exec.args[index + 1] ?? null;
    const flag = flags.find((one) => argument.startsWith(`${one}=`));
    if (flag !== undefined) return argument.slice(flag.length + 1);
  }
  return null;
}

function regionOfExec(exec: ExecSource | null): string | null {
  const flagged = flagOf(exec, ['--region']);
  return flagged ?? exec?.env['AWS_REGION'] ?? exec?.env['AWS_DEFAULT_REGION'] ?? null;
}

export function profileOf(exec: ExecSource | null): string | null {
  return flagOf(exec, ['--profile']) ?? exec?.env['AWS_PROFILE'] ?? null;
}

/** `https://ABC.gr7.us-west-2.eks.amazonaws.com` carries its region. */
function regionOfHost(server: string): string | null {
  const { hostname } = new URL(server);
  return /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com(?:\.cn)?$/.exec(hostname)?.[1] ?? null;
}
