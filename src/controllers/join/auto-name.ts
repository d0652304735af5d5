/** What decides the name of a Node and the provider ID that goes with it. */
export interface NameFacts {
  readonly isKubeadm: boolean;
  readonly hostname: string;
  readonly instanceId: string | null;
  readonly zone: string | null;
  /** As EC2 lists it; null where it does not, or was not asked. */
  readonly privateDnsName: string | null;
  /** As instance metadata has it. */
  readonly localHostname: string | null;
  readonly command: readonly string[];
  /** The present text of the file with the kubelet's further arguments; null where there is none. */
  readonly argumentsText: string | null;
}

export interface AutoName {
  /** COMMAND with what was added. */
  readonly command: readonly string[];
  /** The new text of the file with the kubelet's further arguments; null to leave it. */
  readonly argumentsText: string | null;
  /** Sentences: what was set, or why nothing was. */
  readonly why: readonly string[];
}

const VARIABLE = 'KUBELET_EXTRA_ARGS';
/** Words of `kubeadm join` by which the user has named the Node. */
const NAMED = /^--node-name(?:=|$)/;

/** Gives kubeadm the name that EC2 has for the machine, and its kubelet the provider ID. */
export function autoName(facts: NameFacts): AutoName {
  if (!facts.isKubeadm)
    return {
      command: facts.command,
      argumentsText: null,
      why: [
        'COMMAND is not kubeadm join: nodeadm, bootstrap.sh and kOps name the Node themselves.',
      ],
    };
  const named = nameOf(facts);
  const provided = providerOf(facts);
  return {
    command: named.command,
    argumentsText: provided.argumentsText,
    why: [named.why, provided.why],
  };
}

interface Named {
  readonly command: readonly string[];
  readonly why: string;
}

function nameOf({ command, privateDnsName, localHostname, hostname }: NameFacts): Named {
  if (command.some((word) => NAMED.test(word)))
    return { command, why: 'COMMAND gives --node-name itself; it stays.' };
  const name = (privateDnsName ?? localHostname?.split(' ')[0] ?? '').toLowerCase();
  if (name === '')
    return { command, why: 'Neither EC2 nor instance metadata gives a name; the hostname stays.' };
  if (name === hostname.toLowerCase())
    return { command, why: `The hostname is the name that EC2 has, ${name}; nothing is added.` };
  const why = `The hostname is ${hostname}, but EC2 knows the machine as ${name}, and a cloud controller looks for that: --node-name ${name}`;
  const [program = '', verb = '', ...rest] = command;
  return { command: [program, verb, '--node-name', name, ...rest], why };
}

function providerOf({
  instanceId,
  zone,
  argumentsText,
}: NameFacts): Pick<AutoName, 'argumentsText'> & { readonly why: string } {
  if (instanceId === null || zone === null) {
    const why = 'Instance metadata gives no instance id and zone; no provider ID is set.';
    return { argumentsText: null, why };
  }
  if (argumentsText?.includes('--provider-id') === true)
    return { argumentsText: null, why: 'The kubelet has a --provider-id already; it stays.' };
  const flag = `--provider-id=aws:///${zone}/${instanceId}`;
  const why = `With ${flag} the cloud controller finds the instance whatever the Node is called.`;
  return { argumentsText: withFlag(argumentsText ?? '', flag), why };
}

/** The last line that sets the variable counts, as in a shell. */
function withFlag(text: string, flag: string): string {
  const lines = text
    .split('\n')
    .filter((line, index, all) => line !== '' || index < all.length - 1);
  const at = lines.findLastIndex((line) => line.startsWith(`${VARIABLE}=`));
  const present = lines[at]?.slice(VARIABLE.length + 1).replace(/^(["'])(.*)\1$/, '$2') ?? '';
  const line = `${VARIABLE}="${[present, flag].filter((part) => part !== '').join(' ')}"`;
  const kept = lines.filter((_, index) => index !== at);
  return `${[...kept, line].join('\n')}\n`;
}
