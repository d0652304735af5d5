import type { NodeView } from '../objects/node.ts';
import type { Actor } from '../running/actor.ts';
import type { EventRecorder } from '../running/event-recorder.ts';
import type { Dialect } from './dialect.ts';
import type { Klog } from './klog.ts';
import type { Cloud } from './look-up.ts';

/** What both of its controllers share. */
export interface CloudParts {
  readonly actor: Actor;
  readonly cloud: Cloud;
  readonly dialect: Dialect;
  readonly klog: Klog;
  readonly nodes: ReadonlyMap<string, NodeView>;
  readonly monitorPeriodMs: number;
  readonly recorder: { readonly cloudNode: EventRecorder; readonly lifecycle: EventRecorder };
  onNode(listener: (type: string, node: NodeView) => void): void;
}
