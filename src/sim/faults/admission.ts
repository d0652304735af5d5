/** F08 and F70: webhooks and policies of admission that are not on our side. */
import type { Json } from '../../evidence/json.ts';
import { isObject, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { AdmissionQuestion, ApiServerHooks } from '../kube/hooks.ts';
import { forbidden, StatusError } from '../kube/refusal.ts';
import { changedPart } from '../kube/rules/fields.ts';

type Admit = NonNullable<ApiServerHooks['admit']>;

/** A fault of admission, which strikes writes of Nodes. */
export interface AdmissionFault {
  /** Of its class: `F08`. */
  readonly id: string;
  readonly title: string;
  readonly admit: Admit;
}

const WEBHOOK = 'nodes.guard.example.com';
const POLICY = 'no-foreign-marks.example.com';

/** As the API server answers for a webhook that says no, by controller-runtime's `Denied`. */
function deniedByWebhook(): StatusError {
  const message = `admission webhook "${WEBHOOK}" denied the request: Nodes are not changed today`;
  return new StatusError({ code: 403, reason: 'Forbidden', message });
}

/** As a ValidatingAdmissionPolicy refuses by default: the words of `Forbidden`, the code of `Invalid`. */
function deniedByPolicy({ kind, name }: AdmissionQuestion): StatusError {
  const why = `ValidatingAdmissionPolicy '${POLICY}' with binding '${POLICY}' denied request: no marks but ours`;
  const { message } = forbidden(kind, name, why);
  return new StatusError({ code: 422, reason: 'Invalid', message });
}

function taintsOf(node: KubeObject | null): readonly Json[] {
  return listAt(node ?? {}, 'spec.taints');
}

/** With the taints that the write takes away. */
function withTaintsOf(before: KubeObject, object: KubeObject): KubeObject {
  const keys = new Set(taintsOf(object).map((taint) => textAt(taint, 'key')));
  const gone = taintsOf(before).filter((taint) => !keys.has(textAt(taint, 'key')));
  if (gone.length === 0) return object;
  return changedPart(object, 'spec', (spec) => ({
    ...spec,
    taints: [...taintsOf(object), ...gone],
  }));
}

function marksOf(node: KubeObject | null): string {
  const metadata = node?.['metadata'];
  const { annotations, labels } = isObject(metadata) ? metadata : {};
  return JSON.stringify([annotations ?? {}, labels ?? {}]);
}

export const ADMISSION_FAULTS: readonly AdmissionFault[] = [
  {
    id: 'F08',
    title: 'a webhook refuses our patch',
    admit() {
      throw deniedByWebhook();
    },
  },
  {
    id: 'F08',
    title: 'a webhook puts the taint back that our patch takes away',
    admit: (object, { before }) => (before === null ? object : withTaintsOf(before, object)),
  },
  {
    id: 'F70',
    title: 'a policy forbids our marks',
    admit(object, question) {
      if (marksOf(object) !== marksOf(question.before)) throw deniedByPolicy(question);
      return object;
    },
  },
];
