import type { PolicyKind } from '../../controllers/gate/caches.ts';
import { NODE_GATES, readNodeGate } from '../../controllers/gate/policies/node-gate.ts';
import {
  NODE_READINESS_RULES,
  readNodeReadinessRule,
} from '../../controllers/gate/policies/node-readiness-rule.ts';

/** Objects that nobody else follows. */
export const NODE_GATE_KIND: PolicyKind = { resource: NODE_GATES, read: readNodeGate };

/** Every kind of object that the gate follows as a policy. */
export function policyKinds(): readonly PolicyKind[] {
  return [NODE_GATE_KIND, { resource: NODE_READINESS_RULES, read: readNodeReadinessRule }];
}
