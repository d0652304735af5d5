import { NODE_REPORTS } from '../controllers/node-reports/report.ts';
import type { JsonObject } from '../evidence/json.ts';
import { STAGES } from '../evidence/stage.ts';
import { VERDICTS } from '../evidence/verdict.ts';

const TEXT = { type: 'string', nullable: true, maxLength: 1024 };
const TIME = { type: 'string', format: 'date-time', nullable: true };

const STATUS = {
  type: 'object',
  description: 'What the roll call says of the machine.',
  properties: {
    verdict: { type: 'string', enum: [...VERDICTS] },
    // kubectl refuses a schema whose enum has null.
    stage: { ...TEXT, pattern: `^(${STAGES.join('|')})$` },
    cause: { ...TEXT, description: 'The named cause, kebab-case.' },
    confidence: TEXT,
    node: { ...TEXT, description: 'The Node object that stands for the machine now.' },
    instanceId: TEXT,
    note: TEXT,
    since: { ...TIME, description: 'Since when verdict, stage and cause are as they are.' },
    goneSince: { ...TIME, description: 'Since when the machine is in no list any more.' },
  },
};

function column(name: string, jsonPath: string, type = 'string'): JsonObject {
  return { name, type, jsonPath };
}

/** NodeReport as the API server is told of it. */
export function nodeReportDefinition(): JsonObject {
  const { group, version, plural, kind } = NODE_REPORTS;
  const served = {
    name: version,
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [
      column('Node', '.status.node'),
      column('Stage', '.status.stage'),
      column('Verdict', '.status.verdict'),
      column('Cause', '.status.cause'),
      column('Since', '.status.since', 'date'),
    ],
    schema: { openAPIV3Schema: { type: 'object', properties: { status: STATUS } } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [served],
    },
  };
}
