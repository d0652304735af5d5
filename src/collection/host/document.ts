import { excerptOf } from '../../evidence/redact.ts';
import type { InputLoss } from '../../evidence/observations.ts';
import type { LineSource } from '../../evidence/source.ts';
import type { PortError } from '../../ports/port-error.ts';

/** What one file, command or request of the machine gave, in the form in which people paste it. */
export interface HostDocument {
  /** The path, command or address that it came from. */
  readonly locator: string;
  /** The same for every document of one machine, so that they are known to belong together. */
  readonly container: string | null;
  readonly chunks: readonly Uint8Array[];
  /** Its path in a bundle, after the layout of the EKS log collector. */
  readonly name: string;
  /** What its lines are when they do not say so themselves, null when they do. */
  readonly source: LineSource | null;
  /** True when it is to be written or shown only after `redact`. */
  readonly holdsSecrets: boolean;
}

export interface HostLoss {
  readonly loss: InputLoss;
}

export type HostItem = HostDocument | HostLoss;

/** True for what could not be read, false for a document. */
export function isLoss(item: HostItem): item is HostLoss {
  return 'loss' in item;
}

export const CONTAINER = 'this machine';

/** The command that reads what an ordinary user may not. */
export const AS_ROOT = 'sudo rollcall diagnose --host';

type Marks = Partial<Pick<HostDocument, 'source' | 'holdsSecrets'>>;

export function documentOf(
  locator: string,
  name: string,
  content: Uint8Array | string,
  marks: Marks = {},
): HostDocument {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    locator,
    container: CONTAINER,
    chunks: [bytes],
    name,
    source: marks.source ?? null,
    holdsSecrets: marks.holdsSecrets ?? false,
  };
}

export function lossOf(locator: string, what: string): HostLoss {
  return { loss: { locator, what } };
}

/** A refusal of the port as a loss, with the command that gets more when there is one. */
export function lossOfError(locator: string, error: PortError): HostLoss {
  const message = excerptOf(error.message);
  return lossOf(locator, error.failure === 'denied' ? `${message} Run: ${AS_ROOT}` : message);
}

/** The end of an output, from its first whole line on. */
export function wholeLines(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.indexOf(10) + 1);
}
