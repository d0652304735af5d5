/** The two admission policies of the chart, as the API server of a world asks them. */
import { PERMISSIONS } from '../../../src/collection/permissions.generated.ts';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { installedObjects } from '../../../src/manifests/parts.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import type { AdmissionQuestion } from '../../../src/sim/kube/hooks.ts';
import { installationWith } from '../../../tools/generate/installations.ts';

export const AGENT_ACCOUNT = 'system:serviceaccount:rollcall:rollcall-agent';
const POLICIES = ['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'];
const USER = /^request\.userInfo\.username == "(?<name>[^"]+)"$/;

/** Policies as they are installed with everything that has one. */
export function shippedPolicies(): readonly JsonObject[] {
  const { values } = installationWith('0.0.0', { gate: { taintAtCreate: true } });
  const all = installedObjects(PERMISSIONS, { namespace: 'rollcall', values });
  return all.filter((one) => POLICIES.includes(textAt(one, 'kind') ?? ''));
}

/** A policy with other fields of its spec. */
export function withSpec(policy: JsonObject, change: JsonObject): JsonObject {
  return { ...policy, spec: { ...(policy['spec'] as JsonObject), ...change } };
}

function isMatched(policy: JsonObject, { kind, before }: AdmissionQuestion): boolean {
  const operation = before === null ? 'CREATE' : 'UPDATE';
  return listAt(policy, 'spec.matchConstraints.resourceRules').some(
    (rule) =>
      listAt(rule, 'operations').includes(operation) &&
      listAt(rule, 'resources').some((name) => name === kind.plural),
  );
}

/** A condition in any other words than these is not known to be false, and so it matches. */
function isOfUser(policy: JsonObject, { user }: AdmissionQuestion): boolean {
  return listAt(policy, 'spec.matchConditions').every((condition) => {
    const name = USER.exec(textAt(condition, 'expression') ?? '')?.groups?.['name'];
    return name === undefined || name === user.name;
  });
}

/**
 * What becomes of a write while no policy can be evaluated, as with a parameter that is gone or an
 * expression that is too dear: the name of the policy that refuses it; null where none does.
 */
export function refusedBy(
  policies: readonly JsonObject[],
  _object: KubeObject,
  question: AdmissionQuestion,
): string | null {
  const refusing = policies.find(
    (one) =>
      at(one, 'spec.failurePolicy') !== 'Ignore' &&
      isMatched(one, question) &&
      isOfUser(one, question),
  );
  return refusing === undefined ? null : (textAt(refusing, 'metadata.name') ?? '');
}
