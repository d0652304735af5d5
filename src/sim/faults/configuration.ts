/** F31: what people do to the policies of a gate while it works. */
import { isObject, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';

/** One thing that is done, in order. */
export type ConfigurationStep =
  | { readonly verb: 'create' | 'update'; readonly object: KubeObject }
  | { readonly verb: 'delete'; readonly name: string };

/** A policy, and another one of the same words by which it may be replaced. */
export interface Policies {
  readonly policy: KubeObject;
  readonly successor: KubeObject;
}

export interface ConfigurationFault {
  /** Of its class: `F31`. */
  readonly id: string;
  readonly title: string;
  /** What is done to a policy, each step some seconds after the one before. */
  readonly stepsOf: (policies: Policies) => readonly ConfigurationStep[];
}

function nameOf(object: KubeObject): string {
  return textAt(object, 'metadata.name') ?? '';
}

/** Selects nodes of a label that no node has. */
function ofNobody(policy: KubeObject): KubeObject {
  const spec = isObject(policy['spec']) ? policy['spec'] : {};
  const nodeSelector = { matchLabels: { 'example.com/moved': 'away' } };
  return { ...policy, spec: { ...spec, nodeSelector } };
}

export const CONFIGURATION_FAULTS: readonly ConfigurationFault[] = [
  {
    id: 'F31',
    title: 'a second gate comes for the same nodes',
    stepsOf: ({ successor }) => [{ verb: 'create', object: successor }],
  },
  {
    id: 'F31',
    title: 'a gate gets another name',
    stepsOf: ({ policy, successor }) => [
      { verb: 'create', object: successor },
      { verb: 'delete', name: nameOf(policy) },
    ],
  },
  {
    id: 'F31',
    title: 'a gate goes and comes back',
    stepsOf: ({ policy }) => [
      { verb: 'delete', name: nameOf(policy) },
      { verb: 'create', object: policy },
    ],
  },
  {
    id: 'F31',
    title: 'a gate is for other nodes, and for the same again',
    stepsOf: ({ policy }) => [
      { verb: 'update', object: ofNobody(policy) },
      { verb: 'update', object: policy },
    ],
  },
];
