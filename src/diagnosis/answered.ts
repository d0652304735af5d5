import { factsOfKind } from '../evidence/fact-values.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { Observations } from '../evidence/observations.ts';
import type { SubjectReport } from './document.ts';

const NODES = 'kubectl get nodes -o json';
const INSTANCES = 'aws ec2 describe-instances';

/** A live look lists what it can; what it could not list is in its losses. */
function listedLive({ listings }: Observations): readonly string[] {
  const isListed = (kind: FactKind): boolean => listings.some((listing) => listing.kind === kind);
  return [
    ...(isListed('kube/Node') ? [NODES] : []),
    ...(isListed('aws/instance') ? [INSTANCES] : []),
  ];
}

/** Names of what is in the evidence as a whole object. */
function wholeNames({ facts }: Observations): ReadonlySet<string> {
  const whole = facts.filter(({ extent }) => extent === 'whole');
  return new Set([
    ...factsOfKind(whole, 'kube/Node').map(({ value }) => value.name),
    ...factsOfKind(whole, 'aws/instance').map(({ value }) => value.InstanceId ?? ''),
  ]);
}

/** Commands about machines in trouble that need not be run again, as their answers were read. */
export function answeredCommands(
  reports: readonly SubjectReport[],
  observations: Observations,
): readonly string[] {
  if (observations.collection !== null) return listedLive(observations);
  const names = wholeNames(observations);
  const own = reports
    .filter(({ kind, verdict }) => kind === 'Machine' && verdict !== 'usable')
    .flatMap(({ node, instanceId }) => [
      ...(node !== null && names.has(node) ? [`kubectl get node ${node} -o json`] : []),
      ...(instanceId !== null && names.has(instanceId)
        ? [`aws ec2 describe-instances --instance-ids ${instanceId}`]
        : []),
    ]);
  const isListed = observations.listings.some(({ kind }) => kind === 'kube/Node');
  const areWhole = observations.facts.every(
    ({ kind, extent }) => kind !== 'kube/Node' || extent !== 'row',
  );
  return isListed && areWhole && names.size > 0 ? [...own, NODES] : own;
}
