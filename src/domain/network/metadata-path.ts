/** Where instance metadata is for every machine of EC2. */
export const METADATA_ADDRESS = '169.254.169.254';

/** A rule of the machine's firewall about requests to instance metadata. */
export interface MetadataRule {
  /** As its program prints it. */
  readonly text: string;
  readonly does: 'redirect' | 'drop';
  /** `10.0.1.2:8181`; null for one that drops, or that leads to a port of the machine itself. */
  readonly to: string | null;
  /** `cali+`, `!eth0`; null when it takes packets from everywhere. */
  readonly fromInterface: string | null;
}

/** A connection to instance metadata that the machine keeps track of. */
export interface MetadataFlow {
  readonly from: string;
  readonly fromPort: number;
  /** Who answers: instance metadata itself, or the agent to which the connection was redirected. */
  readonly answeredBy: string;
  /** `ESTABLISHED`. */
  readonly state: string;
}

/** What a machine's own network shows of the way to instance metadata; null: could not be read. */
export interface MetadataPath {
  readonly rules: readonly MetadataRule[] | null;
  readonly flows: readonly MetadataFlow[] | null;
  /** The machine's own addresses, whose programs ask instance metadata by right. */
  readonly ownAddresses: readonly string[];
}

/** The rules that send a pod's request elsewhere. */
export function redirectsOf({ rules }: MetadataPath): readonly MetadataRule[] {
  return (rules ?? []).filter(({ does }) => does === 'redirect');
}

/** States in which nothing more is sent. */
const OVER = new Set(['TIME_WAIT', 'CLOSE', 'LAST_ACK']);

/** Connections of pods that instance metadata itself answers: older than the rule, or past it. */
export function bypassingFlows({ flows, ownAddresses }: MetadataPath): readonly MetadataFlow[] {
  return (flows ?? []).filter(
    ({ from, answeredBy, state }) =>
      answeredBy === METADATA_ADDRESS && !OVER.has(state) && !ownAddresses.includes(from),
  );
}
