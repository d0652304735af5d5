/**
 * `node tools/closed-loop.ts`: lays every broken state of test/accuracy/live, looks once with
 * kubectl, runs the command that would decide its cause with the real kubectl and aws in each form
 * in which people ask, and reads what it prints. Records test/accuracy/closed-loop.json, which
 * `node tools/accuracy.ts` publishes. It needs kubectl and aws.
 */
import { writeFileSync } from 'node:fs';
import { dropFolder, makeFolder, writeFolder } from '../src/apps/lab/folder.ts';
import { textAt } from '../src/evidence/json.ts';
import { causeOf } from '../src/causes/catalogue.ts';
import { CAUSES } from '../src/causes/index.generated.ts';
import type { DiagnosisDocument } from '../src/diagnosis/document.ts';
import { openAwsDoor } from '../src/doors/aws/door.ts';
import { openKubernetesDoor } from '../src/doors/kubernetes/door.ts';
import { diagnoseTexts } from '../src/engine/diagnose.ts';
import { ADMIN } from '../src/sim/cluster/simulated-cluster.ts';
import { CLOSED_LOOP_PATH, type ClosedLoop, type Loop } from '../test/accuracy/closed-loop.ts';
import { counted } from '../test/accuracy/live/pods.ts';
import { CLUSTER, type Laid, openScene, REGION, type Scene } from '../test/accuracy/live/scene.ts';
import type { LiveState } from '../test/accuracy/live/state.ts';
import { LIVE_STATES } from '../test/accuracy/live/states.ts';
import { environmentIn, runCommand } from './dialogue/operator.ts';

const OPENING = 'kubectl get nodes -o wide; kubectl get pods -A -o wide';
const TOKEN = 'closed-loop';

type Environment = Readonly<Record<string, string>>;

/** Opens both servers of a laid state while somebody asks them. */
async function withClients<T>(
  { kernel, cloud, api }: Laid,
  ask: (environment: Environment) => Promise<T>,
): Promise<T> {
  const onBug = (bug: unknown): never => {
    throw bug instanceof Error ? bug : new Error(String(bug));
  };
  const enter = <R>(task: () => R): R => task();
  const nowMs = (): number => kernel.nowMs();
  const tokens = new Map([[TOKEN, ADMIN]]);
  const kubernetes = await openKubernetesDoor({ enter, nowMs, onBug, api, port: 0, tokens });
  const aws = await openAwsDoor({ enter, onBug, nowMs: () => Date.now(), cloud, port: 0 });
  const { accessKeyId } = cloud.controls.createUser('asking');
  const path = makeFolder(null);
  try {
    const folder = writeFolder(path, {
      kubernetesUrl: kubernetes.url,
      caPem: kubernetes.caPem,
      token: TOKEN,
      awsUrl: aws.url,
      region: REGION,
      accessKeyId,
      secretAccessKey: cloud.secretOf(accessKeyId) ?? '',
      context: CLUSTER,
    });
    return await ask(environmentIn(folder.environment));
  } finally {
    await Promise.all([kubernetes.close(), aws.close()]);
    dropFolder(path);
  }
}

/** The ways in which people ask the same. */
function formsOf(command: string): readonly (readonly [form: string, command: string])[] {
  const isOne = !/[;|&]/.test(command);
  if (isOne && /^kubectl .*\bget\b/.test(command) && !/custom-columns|jsonpath/.test(command)) {
    const bare = command.replace(/ -o (?:json|yaml|wide)\b/, '');
    return ['', ' -o wide', ' -o yaml', ' -o json'].map((output) => [
      output === '' ? 'table' : output.slice(4),
      `${bare}${output}`,
    ]);
  }
  if (isOne && command.startsWith('aws ') && !command.includes(' --output'))
    return ['json', 'yaml', 'text', 'table'].map((form) => [form, `${command} --output ${form}`]);
  return [['as printed', command]];
}

function roots({ subjects }: DiagnosisDocument): readonly string[] {
  return subjects.flatMap(({ findings }) =>
    findings.filter(({ role }) => role === 'root').map(({ cause }) => cause),
  );
}

function outcomeOf(document: DiagnosisDocument, accept: readonly string[]): Loop['outcome'] {
  const { headline } = document;
  if (headline !== null) return accept.includes(headline.cause) ? 'found' : 'another';
  return roots(document).some((cause) => accept.includes(cause)) ? 'open' : 'gone';
}

/** The command of a cause as the report prints it, with what the look has shown filled in. */
async function commandOf(cause: string, document: DiagnosisDocument): Promise<string> {
  const findings = document.subjects.flatMap((subject) => subject.findings);
  const own = findings.find((finding) => finding.cause === cause)?.decide?.command;
  const entry = CAUSES.find(({ id }) => id === cause);
  const plain = entry === undefined ? null : causeOf(await entry.load()).decide.command;
  return own ?? plain ?? '';
}

/** The names that somebody with this state before them would put in. */
function filled(command: string, scene: Scene, subject: string | null): string {
  const nodes = scene.objects('Node');
  const unready = nodes.find(({ status }) => !JSON.stringify(status).includes('"KubeletReady"'));
  const node = textAt(unready ?? nodes[0] ?? {}, 'metadata.name') ?? '<node>';
  const instance = subject?.startsWith('i-') === true ? subject : '<instance>';
  return command
    .replaceAll('<cluster>', CLUSTER)
    .replaceAll('<node>', subject !== null && !subject.startsWith('i-') ? subject : node)
    .replaceAll('<instance>', instance)
    .replaceAll('<region>', REGION);
}

async function loopOf(state: LiveState): Promise<readonly Loop[]> {
  const [cause = ''] = state.accept;
  const scene = openScene();
  const subject = state.lay(scene);
  return withClients(scene.finish(counted), async (environment) => {
    const opening = { name: 'opening.txt', text: await runCommand(OPENING, environment) };
    const printed = await commandOf(cause, await diagnoseTexts([opening]));
    const command = filled(printed, scene, subject);
    const asked = { state: state.id, cause, command };
    if (!/^(?:kubectl|aws) /.test(command) || /<[a-z][\w-]*>/.test(command))
      return [{ ...asked, form: 'as printed', outcome: 'not run' }];
    const loops: Loop[] = [];
    for (const [form, typed] of formsOf(command)) {
      const text = `$ ${typed}\n${await runCommand(typed, environment)}`;
      const document = await diagnoseTexts([opening, { name: 'answer.txt', text }]);
      loops.push({ ...asked, form, outcome: outcomeOf(document, state.accept) });
    }
    return loops;
  });
}

const loops: Loop[] = [];
for (const state of LIVE_STATES) {
  if (state.end !== 'broken') continue;
  for (const loop of await loopOf(state)) {
    loops.push(loop);
    console.log(`${loop.state} ${loop.cause} ${loop.form}: ${loop.outcome}  ${loop.command}`);
  }
}
const record: ClosedLoop = { opening: OPENING, loops };
writeFileSync(CLOSED_LOOP_PATH, `${JSON.stringify(record, null, 2)}\n`);
