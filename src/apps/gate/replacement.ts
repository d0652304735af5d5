import { readFileSync } from 'node:fs';
import { addressIn } from '../cli/options/address.ts';
import type { CliContext } from '../cli/context.ts';
import { readReplacementFlags, type ReplacedProgram } from './replacement-flags.ts';
import { runGateUntilSignal } from './run.ts';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
/** Where each program is installed by its own manifests. */
const NAMESPACES: Readonly<Record<ReplacedProgram, string>> = {
  nidhogg: 'kube-system',
  'Node Readiness Controller': 'nrr-system',
};

/** The namespace of the Pod; null outside of one. */
function ownNamespace(): string | null {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/**
 * Does what nidhogg or the Node Readiness Controller does, called as they are, with their rights.
 *
 * @throws UsageError, SourceError
 */
export async function runReplacement(args: readonly string[], context: CliContext): Promise<void> {
  const { program, kubeconfig, configFile, listens, namespace, ignored } =
    readReplacementFlags(args);
  const { out, err } = context;
  err(`Replaces the manager of ${program}; see docs/gate-compatibility.md.\n`);
  if (ignored.length > 0) err(`Without effect here: ${ignored.join(', ')}.\n`);
  const leaseNamespace = namespace ?? ownNamespace() ?? NAMESPACES[program];
  await runGateUntilSignal({
    flags: kubeconfig === null ? {} : { kubeconfig },
    listens: listens.map((one) => addressIn('listen', one)),
    namespace: leaseNamespace,
    isDryRun: false,
    nidhoggConfig: configFile,
    rulesNamespace: program === 'nidhogg' ? null : leaseNamespace,
    isReplacement: true,
    out,
    err,
  });
}
