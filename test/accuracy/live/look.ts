/** Looks at a state as `rollcall diagnose` and `rollcall status` do, and again at what was saved. */
import { exitCodeOfRollCall } from '../../../src/apps/cli/commands/status.ts';
import { exitCodeOf } from '../../../src/apps/cli/exit-code.ts';
import { type LiveEvidence, observe } from '../../../src/collection/observe.ts';
import { diagnoseTexts } from '../../../src/engine/diagnose.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import type { RollCallDocument } from '../../../src/diagnosis/roll-call/document.ts';
import { rollCallOf } from '../../../src/diagnosis/roll-call/roll-call.ts';
import { frozenClock } from '../../../src/apps/sim/observe-cluster.ts';
import { savedContent } from '../../../src/readers/saved/content.ts';
import { awsPort } from '../../../src/sim/aws/port.ts';
import { kubePort } from '../../../src/sim/kube/port.ts';
import type { ExampleFile } from '../../causes/example.ts';
import { type Said, saidOf } from '../judge.ts';
import { counted } from './pods.ts';
import { CLUSTER, type Laid, openScene } from './scene.ts';
import type { LiveState } from './state.ts';

const USER = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** One look, and what `--save` would have kept of it. */
interface Look extends LiveEvidence {
  readonly saved: readonly ExampleFile[];
}

async function lookAt(
  { kernel, cloud, api }: Laid,
  { isEks = true }: LiveState,
  asked: readonly string[],
): Promise<Look> {
  const clock = frozenClock(kernel.nowMs());
  // Of two documents of one name the later one is kept, as in a bundle.
  const saved = new Map<string, string>();
  const identity = cloud.controls.createUser('looking');
  const evidence = await observe(
    {
      kube: kubePort({ server: api, user: USER, clock }),
      aws: awsPort({ cloud, identity, clock, pauseMs: 0 }),
      described: null,
      refusals: [],
      clock,
    },
    {
      cluster: isEks ? CLUSTER : null,
      asked,
      isDeep: false,
      timeoutMs: 60_000,
      progress: () => {},
      onDocument: ({ name, content }, table) => {
        const kept = savedContent(content, table, new Map());
        saved.set(name, typeof kept === 'string' ? kept : JSON.stringify(kept));
      },
    },
  );
  return { ...evidence, saved: [...saved].map(([name, text]) => ({ name, text })) };
}

function saidOfRollCall(document: RollCallDocument): Said {
  const first = document.rows.map(({ headline }) => headline).find((one) => one !== null);
  return { code: exitCodeOfRollCall(document), headline: first ?? null, roots: [] };
}

/** What two looks at one state have in common, by subject. */
type Comparable = Readonly<Record<string, object>>;

function comparable({ headline, subjects }: DiagnosisDocument): Comparable {
  const reports = subjects.map(
    ({ kind, name, instanceId, node, verdict, stage, ladder, findings }) => [
      `${kind} ${name}`,
      {
        instanceId,
        node,
        verdict,
        stage,
        ladder: ladder.map((rung) => `${rung.stage} ${rung.state}`),
        findings: findings.map(({ evidence, cause, role, confidence, explainedBy, summary }) => ({
          cause,
          role,
          confidence,
          explainedBy,
          summary,
          excerpts: evidence.map(({ excerpt }) => excerpt),
        })),
      },
    ],
  );
  return { ...Object.fromEntries(reports), headline: { headline } };
}

export interface Answer {
  readonly said: Said;
  /** The document as it is printed. */
  readonly printed: string;
  readonly live: Comparable;
  /** The same subjects, from what was saved. */
  readonly saved: Comparable;
}

function only(all: Comparable, wanted: Comparable): Comparable {
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, all[name] ?? {}]));
}

/** Lays a state and looks at it twice. */
export async function lookTwice(state: LiveState): Promise<Answer> {
  const scene = openScene();
  const subject = state.lay(scene);
  const laid = scene.finish(counted);
  const look = await lookAt(laid, state, subject === null ? [] : [subject]);
  const again = comparable(await diagnoseTexts(look.saved));
  const live = comparable(look.document);
  const compared = { live, saved: only(again, live) };
  if (state.command !== 'status')
    return {
      said: saidOf(look.document, exitCodeOf(look.document)),
      printed: JSON.stringify(look.document),
      ...compared,
    };
  const rollCall = rollCallOf({ ...look, expected: [] });
  return { said: saidOfRollCall(rollCall), printed: JSON.stringify(rollCall), ...compared };
}
