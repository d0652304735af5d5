import type { PolicyKind } from '../../controllers/gate/caches.ts';
import { NODE_GATES, readNodeGate } from '../../controllers/gate/policies/node-gate.ts';
import {
  NODE_READINESS_RULES,
  readNodeReadinessRule,
} from '../../controllers/gate/policies/node-readiness-rule.ts';

/** Every kind of object that the gate follows as a policy. */
export function policyKinds(): readonly PolicyKind[] {
  return [
    { resource: NODE_GATES, read: readNodeGate },
    { resource: NODE_READINESS_RULES, read: readNodeReadinessRule },
  ];
}
