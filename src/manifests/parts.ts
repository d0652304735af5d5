import type { FeaturePermissions } from '../collection/permissions.ts';
import type { JsonObject } from '../evidence/json.ts';
import { agentParts, NEEDS_MACHINE } from './agent.ts';
import { controllerParts } from './controller.ts';
import { gateParts } from './gate.ts';
import { clusterWide, LABELS, type Part, PRIORITY_CLASS } from './objects.ts';
import {
  fillObjects,
  holds,
  type Installation,
  NAMESPACE,
  type TemplateFields,
} from './template.ts';

export const LEVEL_LABEL = 'pod-security.kubernetes.io/enforce';
const VERSION_LABEL = `${LEVEL_LABEL}-version`;

/** The level of pod security that an installation needs of its namespace. */
export function podSecurityLevel(into: Installation): 'privileged' | 'restricted' {
  return holds(NEEDS_MACHINE, into) ? 'privileged' : 'restricted';
}

/** The namespace; Helm makes its own. */
export function namespaceObject(level: 'privileged' | 'restricted'): TemplateFields {
  const labels = { ...LABELS, [LEVEL_LABEL]: level, [VERSION_LABEL]: 'latest' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } };
}

const PRIORITY: Part = {
  name: 'priority-class',
  condition: null,
  objects: [
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: clusterWide(PRIORITY_CLASS),
      // The highest that is not of the system.
      value: 1_000_000_000,
      description: 'Pods without which no node opens.',
    },
  ],
};

/** Everything that is installed besides the namespace, in the order in which it is. */
export function partsOf(features: readonly FeaturePermissions[]): readonly Part[] {
  return [PRIORITY, ...controllerParts(features), ...gateParts(features), ...agentParts()];
}

/** The objects of one part; none where its condition is false. */
export function objectsOfPart(part: Part, into: Installation): readonly JsonObject[] {
  const isIn = part.condition === null || holds(part.condition, into);
  return isIn ? fillObjects(part.objects, into) : [];
}

/** Every object of an installation. */
export function installedObjects(
  features: readonly FeaturePermissions[],
  into: Installation,
): readonly JsonObject[] {
  const namespace = fillObjects([namespaceObject(podSecurityLevel(into))], into);
  return [...namespace, ...partsOf(features).flatMap((part) => objectsOfPart(part, into))];
}
