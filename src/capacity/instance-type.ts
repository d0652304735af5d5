/** What networking needs to know of one EC2 instance type; null is not known. */
export interface InstanceType {
  readonly name: string;
  /** Interfaces of the default network card, the only ones from which pods get addresses. */
  readonly enis: number;
  /** IPv4 addresses of one interface, its primary one included. */
  readonly ipv4PerEni: number;
  readonly hypervisor: 'nitro' | 'xen' | null;
  readonly bareMetal: boolean | null;
  /** May carry a trunk interface, which security groups for pods need. */
  readonly trunk: boolean | null;
  /** Branch interfaces, the amount of `vpc.amazonaws.com/pod-eni`. */
  readonly branches: number | null;
  readonly cards: number | null;
  /** Interfaces over all network cards, the `MaximumNetworkInterfaces` of EC2. */
  readonly enisAllCards: number | null;
  readonly vcpus: number | null;
  readonly memoryMiB: number | null;
  /** As the label `kubernetes.io/arch` has it. */
  readonly arch: string | null;
  readonly tables: TypeTables;
  readonly source: 'shipped' | 'aws';
}

/** Which programs carry the type in a table of their own; null is not known. */
export interface TypeTables {
  /** First amazon-vpc-cni-k8s release whose table has it, `unreleased`, or none. */
  readonly firstCni: string | null;
  /** The shipped table knows the type at all; else nothing here was looked up. */
  readonly known: boolean;
  /** In `eni-max-pods.txt` of the Amazon Linux 2 and Bottlerocket images. */
  readonly al2: boolean;
  /** In the table of nodeadm, the Amazon Linux 2023 images. */
  readonly nodeadm: boolean;
  /** Every current table has dropped it. */
  readonly retired: boolean;
  readonly cniChanges: readonly CniChange[];
}

/** What the table of the CNI said from a release on. */
export interface CniChange {
  readonly since: string;
  readonly enis: number;
  /** null where that table had no limit at all, which acts as an unknown type. */
  readonly ipv4PerEni: number | null;
}

export const NO_TABLES: TypeTables = {
  firstCni: null,
  known: false,
  al2: false,
  nodeadm: false,
  retired: false,
  cniChanges: [],
};

/** A type of which nothing is known, with the command that would tell. */
export interface UnknownType {
  readonly unknown: string;
  readonly command: string;
}

export function isUnknownType(type: InstanceType | UnknownType): type is UnknownType {
  return 'unknown' in type;
}
