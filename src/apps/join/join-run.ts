import type { JoinEvent } from '../../controllers/join/event.ts';
import type { JoinRules } from '../../controllers/join/rules.ts';

export interface JoinRun {
  readonly command: readonly string[];
  /** Takes an earlier join back; null for the usual way of COMMAND, empty for none. */
  readonly reset: readonly string[] | null;
  /** True to give kubeadm the name and provider ID that go with the instance. */
  readonly isAutoNamed: boolean;
  readonly rules: Partial<JoinRules>;
  readonly commandTimeoutMs: number;
  readonly folder: string;
  readonly kubeconfig: string | null;
  readonly nodeName: string | null;
  readonly instanceId: string | null;
  readonly region: string | null;
  readonly cluster: string | null;
  readonly unit: string;
  readonly asksCloud: boolean;
  readonly say: (event: JoinEvent) => void;
  /** What COMMAND prints, line by line, without secrets. */
  readonly output: (line: string) => void;
}
