import type { CliContext } from '../context.ts';

const OVERVIEW = `rollcall says why an AWS machine is not a usable Kubernetes node.

  rollcall diagnose PATH…     logs, folders, archives, kubectl and aws dumps: one cause, its proof, the command
  rollcall explain CAUSE      the page of one cause
  rollcall causes             the catalogue
  rollcall help COMMAND       options and examples of a command
  rollcall --version

Exit codes: 0 usable, 1 not usable, 2 cannot tell, 64 wrong command line, 69 nothing could be read, 70 our bug.
`;

const PAGES: Readonly<Record<string, string>> = {
  diagnose: `rollcall diagnose PATH…  [-o text|json|yaml|markdown] [--with PATH]…

Reads any pile of evidence: journals, pod logs, cloud-init output, kubectl and aws output, the EKS log
collector's archive, must-gather, sosreport, pasted text. Kinds are known by content, never by name.
"-" reads standard input. --with adds evidence collected earlier. Nothing is written anywhere.

  rollcall diagnose eks_i-0abc_2024-05-01_1200-UTC_0.7.6.tar.gz
  rollcall diagnose kubelet.log events.txt aws-auth.yaml
  journalctl -u kubelet | rollcall diagnose -
  kubectl -n kube-system get configmap aws-auth -o yaml | rollcall diagnose - --with kubelet.log
  rollcall diagnose must-gather/ -o json
`,
  explain: `rollcall explain CAUSE

Prints why it happens, what shows it, how to fix it, how to be sure, how to prevent it, and its look-alikes.

  rollcall explain aws-auth-missing
`,
  causes: `rollcall causes [--stage STAGE] [-o text|json|yaml]

  rollcall causes --stage authenticated
  rollcall causes -o json
`,
};

/** Prints the overview, or one command's page. */
export async function helpCommand(args: readonly string[], context: CliContext): Promise<number> {
  const [name] = args;
  context.out((name === undefined ? undefined : PAGES[name]) ?? OVERVIEW);
  return 0;
}
