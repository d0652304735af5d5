import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import type { KubeResource } from '../../ports/kube-api.ts';
import { type JsonObject, textAt } from '../../evidence/json.ts';

export const NODE_REPORTS: KubeResource = {
  group: 'rollcall.dev',
  version: 'v1alpha1',
  plural: 'nodereports',
  kind: 'NodeReport',
  isNamespaced: false,
};

/** What a report says of its machine; times are ISO 8601 in UTC. */
export interface ReportStatus {
  readonly verdict: string;
  readonly stage: string | null;
  readonly cause: string | null;
  readonly confidence: string | null;
  readonly node: string | null;
  readonly instanceId: string | null;
  readonly note: string | null;
  /** Since when the verdict, stage and cause are as they are. */
  readonly since: string;
  /** Since when the machine is in no list any more; null while it is. */
  readonly goneSince: string | null;
}

/** A report as it is in the cluster. */
export interface KnownReport {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** null before the first status. */
  readonly status: ReportStatus | null;
}

const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const NOTE_MAX = 1024;

/** The name of a machine's report; null for one that no object can be named after. */
export function reportName({ instanceId, node, name }: RollCallRow): string | null {
  const found = [instanceId, node, name].find((one) => one !== null && NAME.test(one));
  return found ?? null;
}

/** The status of a row, without its times. */
export function statusOf(row: RollCallRow): Omit<ReportStatus, 'since' | 'goneSince'> {
  const { verdict, stage, headline, node, instanceId, note } = row;
  return {
    verdict,
    stage,
    cause: headline?.cause ?? null,
    confidence: headline?.confidence ?? null,
    node,
    instanceId,
    note: note === null ? null : note.slice(0, NOTE_MAX),
  };
}

/** Reads a report of the cluster; null for what is none. */
export function readReport(object: JsonObject): KnownReport | null {
  const name = textAt(object, 'metadata.name');
  const uid = textAt(object, 'metadata.uid');
  const resourceVersion = textAt(object, 'metadata.resourceVersion');
  if (name === null || uid === null || resourceVersion === null) return null;
  const at = (field: string): string | null => textAt(object, `status.${field}`);
  const [verdict, since] = [at('verdict'), at('since')];
  const status =
    verdict === null || since === null
      ? null
      : {
          verdict,
          stage: at('stage'),
          cause: at('cause'),
          confidence: at('confidence'),
          node: at('node'),
          instanceId: at('instanceId'),
          note: at('note'),
          since,
          goneSince: at('goneSince'),
        };
  return { name, uid, resourceVersion, status };
}
