import { CAUSES } from '../../../causes/index.generated.ts';
import type {
  ForeseenFinding,
  PreflightDocument,
  PreflightSubject,
} from '../../../diagnosis/preflight.ts';

const LEVELS = { definite: 'error', likely: 'warning', possible: 'note' } as const;

interface Located {
  readonly subject: PreflightSubject;
  readonly finding: ForeseenFinding;
}

/** Findings as code scanning reads them: SARIF 2.1.0, each result at an address of the plan. */
export function sarifOf(document: PreflightDocument): object {
  const located = document.subjects.flatMap((subject) =>
    subject.findings.map((finding): Located => ({ subject, finding })),
  );
  const rules = [...new Map(located.map(({ finding }) => [finding.cause, finding])).values()];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'rollcall',
            semanticVersion: '0.1.0',
            properties: { catalogueVersion: document.catalogueVersion },
            rules: rules.map(ruleOf),
          },
        },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: notificationsOf(document),
          },
        ],
        results: located.map((one) =>
          resultOf(
            one,
            rules.findIndex((rule) => rule.cause === one.finding.cause),
          ),
        ),
      },
    ],
  };
}

function titleOf(cause: string): string {
  return CAUSES.find(({ id }) => id === cause)?.title ?? cause;
}

function ruleOf({ cause, stage, why, confidence }: ForeseenFinding): object {
  return {
    id: cause,
    shortDescription: { text: titleOf(cause) },
    fullDescription: { text: why },
    help: { text: `${why} More: rollcall explain ${cause}` },
    defaultConfiguration: { level: LEVELS[confidence] },
    properties: { tags: [stage] },
  };
}

function resultOf({ subject, finding }: Located, ruleIndex: number): object {
  const { cause, confidence, address, summary, remedy } = finding;
  const fixes = remedy.map(({ text }) => text).join(' ');
  return {
    ruleId: cause,
    ruleIndex,
    level: LEVELS[confidence],
    message: { text: `${summary} ${fixes}` },
    locations: [locationOf(subject.plan, address)],
    partialFingerprints: { 'rollcall/v1': `${cause} ${subject.address}` },
    properties: { confidence, group: subject.name, cluster: subject.cluster },
  };
}

/** An artifact is named by a URI; standard input has none of its own. */
function uriOf(plan: string): string {
  return plan === '-' ? 'stdin' : plan.split('/').map(encodeURIComponent).join('/');
}

/** Scanners show a result at a line; a plan is one document, so that it is its first. */
function locationOf(plan: string, address: string): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(plan) },
      region: { startLine: 1 },
    },
    logicalLocations: [{ fullyQualifiedName: address, kind: 'resource' }],
  };
}

/** What could not be told or read is no result, and no silence either. */
function notificationsOf({ subjects, losses }: PreflightDocument): readonly object[] {
  const unknown = subjects.flatMap(({ plan, address, notObservable }) =>
    notObservable.map(({ why }) => ({
      level: 'warning',
      message: { text: `${address}: unknown: ${why}.` },
      locations: [locationOf(plan, address)],
    })),
  );
  const unread = losses.map(({ what }) => ({ level: 'warning', message: { text: what } }));
  return [...unknown, ...unread];
}
