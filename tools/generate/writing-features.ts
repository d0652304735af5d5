/** What the parts of the program that write ask for, as they declare it. */
import type { FeaturePermissions } from '../../src/collection/permissions.ts';
import { AUTH_PERMISSIONS, AUTH_WRITES } from './auth-permissions.ts';
import { CONTROLLER_PERMISSIONS, WRITES } from './controller-permissions.ts';
import {
  EVENTS_PERMISSIONS,
  EVENTS_WRITES,
  WATCH_EVENTS_PERMISSIONS,
  WATCH_EVENTS_WRITES,
} from './events-permissions.ts';
import { feature } from './feature.ts';
import { JOIN_REPORT_PERMISSIONS, REPORT_WRITES } from './join-permissions.ts';
import {
  FIX_NODE_PERMISSIONS,
  FIX_NODE_WRITES,
  FIX_PERMISSIONS,
  FIX_WRITES,
} from './fix-permissions.ts';
import {
  EVICT_PERMISSIONS,
  EVICT_WRITES,
  GATE_PERMISSIONS,
  GATE_WRITES,
} from './gate-permissions.ts';
import { SPOT_RULES_PERMISSIONS, SPOT_RULES_WRITES } from './spot-permissions.ts';
import { JANITOR_PERMISSIONS, JANITOR_WRITES } from './janitor-permissions.ts';

export const WRITING_FEATURES: readonly FeaturePermissions[] = [
  feature(
    'controller',
    'rollcall controller --reports --events, in addition to status and watch',
    [CONTROLLER_PERMISSIONS],
    WRITES,
  ),
  feature(
    'eni-janitor',
    'rollcall controller --eni-janitor delete, in addition to status and watch',
    [JANITOR_PERMISSIONS],
    JANITOR_WRITES,
  ),
  feature(
    'aws-events',
    'rollcall controller --aws-events, in addition to status and watch',
    [EVENTS_PERMISSIONS],
    EVENTS_WRITES,
  ),
  feature(
    'watch-events',
    'rollcall status --watch --aws-events, in addition to status and watch',
    [WATCH_EVENTS_PERMISSIONS],
    WATCH_EVENTS_WRITES,
  ),
  feature(
    'auth-restore',
    'rollcall controller --auth restore, in addition to status and watch',
    [AUTH_PERMISSIONS],
    AUTH_WRITES,
  ),
  feature('gate', 'rollcall controller --only gate', [GATE_PERMISSIONS], GATE_WRITES),
  feature(
    'gate-evict',
    'gates that have Pods replaced which came too early',
    [EVICT_PERMISSIONS],
    EVICT_WRITES,
  ),
  feature('join-report', 'rollcall join --node-report', [JOIN_REPORT_PERMISSIONS], REPORT_WRITES),
  feature(
    'spot-rules',
    'rollcall spot watch --rules FILE --yes, in addition to spot-watch',
    [SPOT_RULES_PERMISSIONS],
    SPOT_RULES_WRITES,
  ),
  feature('fix', 'rollcall fix, in addition to status and details', [FIX_PERMISSIONS], FIX_WRITES),
  feature(
    'fix-node',
    'rollcall fix node, in addition to status and details',
    [FIX_NODE_PERMISSIONS],
    FIX_NODE_WRITES,
  ),
];
