import type { CliContext } from '../context.ts';

const OVERVIEW = `rollcall says why an AWS machine is not a usable Kubernetes node.

  rollcall                    every expected machine against every Node (also: rollcall status)
  rollcall diagnose [NAME…]   a live cluster or machines of it: one cause, its proof, the command
  rollcall diagnose PATH…     the same from logs, folders, archives, kubectl and aws dumps
  rollcall capacity           addresses, interfaces and pods of nodes and subnets
  rollcall name [INSTANCE]    which Node name a machine gets, and which of its names disagree
  rollcall permissions        the rights that are needed, and with --check those that are there
  rollcall lab [STORY]        a cluster and a cloud on this machine that play a story of failure
  rollcall sim                the same world in virtual time, under faults, over many seeds
  rollcall explain CAUSE      the page of one cause
  rollcall causes             the catalogue
  rollcall help COMMAND       options and examples of a command
  rollcall --version

Exit codes: 0 usable, 1 not usable, 2 cannot tell, 64 wrong command line, 69 nothing could be read, 70 our bug.
`;

const PAGES: Readonly<Record<string, string>> = {
  status: `rollcall [status] [NAME|PATH]…   [-o wide|json|yaml|name|custom-columns=|jsonpath=] [-l SELECTOR]
         [--sort-by PATH] [--failed] [--no-headers] [--watch] [--expect FILE]
         [--context NAME] [--kubeconfig FILE] [--cluster NAME] [--region R] [--profile P]
         [--timeout 60s]

Every machine that should be a node against every Node: instances with the cluster's tags, what
groups want, NodeClaims, and the hosts of --expect (one name a line). The last line says what the
failures share. --watch draws it again as it changes, or prints a line per change when piped: it
looks when a Node, a Pod of kube-system, a NodeClaim or a CSR changes, and every 10 s besides.
--timeout is how long one look may take; what has not answered by then is said to be missing.
--sort-by takes a field of .rows as -o json shows it; custom columns start at a row, jsonpath at
the document: an unknown field is an error that names the nearest one.

  rollcall
  rollcall --failed -o wide
  rollcall -l topology.kubernetes.io/zone=eu-west-1a --sort-by .launchedAt
  rollcall -o 'custom-columns=NODE:.node,WHY:.headline.cause'
  rollcall -o jsonpath='{range .rows[?(@.verdict=="not-usable")]}{.name}{"\\n"}{end}'
  rollcall status evidence.tar.gz
`,
  lab: `rollcall lab [STORY|FILE.yaml]   [--speed N] [--nodes N] [--seed S] [--port P] [--aws-port P]
         [--folder PATH] [--fast]
rollcall lab --list

A town in one process: an API server, its controllers, machines and AWS. The story happens in it, and
beside it stands what Rollcall says. kubectl, aws and rollcall work against it from another terminal;
--folder is where the kubeconfig and the environment for them are written (a new folder otherwise).
Its servers listen on loopback only and take nobody without the token in that folder. --fast plays the
story to its end at once, without servers, and ends with 1 when it does not end as the story says.

  rollcall lab --list
  rollcall lab said-it-was-ready --speed 5
  rollcall lab my-story.yaml --nodes 20 --seed 7
`,
  sim: `rollcall sim   [--seed S] [--count N] [--nodes N] [--hours H] [--faults LIST|all|none]
         [--until-failure] [--twin] [--save FILE] [--planted BUG] [-o text|json|markdown]

Builds the world of a seed in virtual time, puts faults into it, lets it calm down, and looks at it
as a user would: over the APIs and through a pile of files with gaps. What is said is compared with
what is true, and every invariant that does not hold is a failure: it is made small (fewer faults,
fewer machines, less time) and printed with the one line that repeats it. Needs no network.
--seed is the first seed and --count how many follow; --until-failure goes on until one fails.
--faults takes classes (F51), single ones as a failure names them (F51.2), all that the seed draws,
or none. --save writes what could be seen at the first failure, for rollcall diagnose FILE. --twin
lets each seed happen again without its faults and compares the ends. --planted puts a known mistake
into Rollcall, which must be caught. Ends with 1 when something did not hold. See docs/simulation.md.

  rollcall sim --seed 7 --hours 2
  rollcall sim --count 100 --nodes 5 -o markdown
  rollcall sim --until-failure --save found.tar.gz
  rollcall sim --planted P40 --nodes 6 --hours 0.5 --until-failure
`,
  diagnose: `rollcall diagnose [NODE|INSTANCE|ADDRESS|NODECLAIM]…   [-o text|json|yaml|markdown]
         [--context NAME]… [--kubeconfig FILE] [--cluster NAME] [--region R] [--profile P]
         [--since 2h] [--deep] [--wait] [--timeout 60s] [--save FILE]
rollcall diagnose --host [--save FILE]
rollcall diagnose PATH… [--with PATH]…

Without a path it looks at the cluster of the kubeconfig and at AWS, and only reads. A name that
contains "/" or exists is a path. --since leaves older lines out, --deep asks every machine that is
not well for its console, user data and logs, --save writes the evidence into a tar.gz that gives
the same answer, --wait looks again as things change, and every 5 s besides, until the machine is
usable or its next cause is known, and --host looks at the machine on which it runs. --timeout is
how long one look may take; given with --wait it also ends the waiting, with exit code 2, and cuts
short a look under way. --context may be given several times: one document for all, and a cluster
that does not answer is left out and said to be. A name that no machine has ends with exit code 64.

  rollcall diagnose
  rollcall diagnose i-0abc1234def567890 --save evidence.tar.gz
  rollcall diagnose ip-10-0-1-2.eu-west-1.compute.internal --wait
  sudo rollcall diagnose --host

Reads any pile of evidence: journals, pod logs, cloud-init output, kubectl and aws output, the EKS log
collector's archive, must-gather, sosreport, pasted text. Kinds are known by content, never by name.
"-" reads standard input. --with adds evidence collected earlier. Nothing is written anywhere.

  rollcall diagnose eks_i-0abc_2024-05-01_1200-UTC_0.7.6.tar.gz
  rollcall diagnose kubelet.log events.txt aws-auth.yaml
  journalctl -u kubelet | rollcall diagnose -
  kubectl -n kube-system get configmap aws-auth -o yaml | rollcall diagnose - --with kubelet.log
  rollcall diagnose must-gather/ -o json
`,
  capacity: `rollcall capacity [NODE|INSTANCE|PATH]…   [-o text|json|yaml]
         [--context NAME] [--kubeconfig FILE] [--cluster NAME] [--region R] [--profile P]
rollcall capacity --type TYPE [--subnet SUBNET]… [--max-pods N] [--image al2|al2023|bottlerocket]
         [--prefix-delegation] [--custom-networking] [--pod-eni] [--ipv6] [--max-eni N]
         [--cni-version V] [--warm-eni-target N] [--warm-ip-target N] [--minimum-ip-target N]
         [--warm-prefix-target N]

Of each Node: max-pods against the pods for which its interfaces hold addresses; of each group: how
many more nodes its subnets feed; of each subnet: free addresses, whole /28 blocks, addresses held
warm; who owns the interfaces, which leaked, and machines without any address for pods.
--type computes the same before launch; the arithmetic needs no rights, and what EC2 says of the
type wins where it may be asked.

Exit codes: 0 nothing is short, 1 something is, 2 cannot tell.

  rollcall capacity
  rollcall capacity --type m5.large --subnet subnet-0abc1234def567890
  rollcall capacity --type m6i.xlarge --prefix-delegation --max-pods 110
  rollcall capacity subnets.json interfaces.json nodes.json -o json
`,
  name: `rollcall name [INSTANCE|NODE|ADDRESS] [PATH]…   [-o text|json|yaml]
         [--context NAME] [--kubeconfig FILE] [--cluster NAME] [--region R] [--profile P]
rollcall name --subnet SUBNET --image AMI|FAMILY --version KUBELET   before launch
  what is known or supposed goes before what the APIs say:
         [--cloud-provider in-tree|external[=VERSION]|none] [--naming ip-name|resource-name]
         [--dhcp-domain NAME] [--dns-hostnames on|off] [--ip ADDRESS] [--instance ID]
         [--hostname NAME] [--hostname-override NAME] [--local-hostname NAME] [--certificate CN]
         [--instance-id-node-name] [--hostname-override-source private-dns-name|instance-id]
         [--ip-based-node-names] [--kops-version V]

The name under which the kubelet registers and the rule that gives it, whether the cloud controller
takes it, every name that the machine goes by, the old Node that it left behind, what breaks, and
the label by which to pin pods instead, with the commands. Without a machine: all of them.

Exit codes: 0 the names agree, 1 they do not where it matters, 2 cannot tell.

  rollcall name node00.k8s.internal
  rollcall name node00.k8s.internal --cloud-provider in-tree --version 1.23
  rollcall name --subnet subnet-0abc1234def567890 --image al2023 --version 1.33
  sudo openssl x509 -noout -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem
  rollcall name i-0abc1234def567890 --certificate system:node:node00.k8s.internal
`,
  permissions: `rollcall permissions [--for FEATURE,…] [--rbac|--iam] [-o text|json|yaml]
rollcall permissions --check [--for FEATURE,…] [--context NAME] [--region R] [--profile P]

The smallest ClusterRole, Roles and IAM policy, found by running the collection; the features are
status, details, capacity, name and watch. --check asks what the present identity has: Kubernetes by
access reviews, AWS by iam:SimulatePrincipalPolicy, else by the cheapest reading call of each.

Exit codes of --check: 0 nothing is lacking, 1 something is, 2 cannot tell.

  rollcall permissions --rbac | kubectl apply -f -
  rollcall permissions --for status,details --iam > rollcall-policy.json
  rollcall permissions --check
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

/** The long options that a command's page tells. */
export function optionsOf(command: string): readonly string[] {
  const page = Object.hasOwn(PAGES, command) ? (PAGES[command] ?? '') : '';
  const told = [...page.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option);
  return [...new Set([...told, '--output', '--help'])];
}
