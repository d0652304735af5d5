/** Mistakes of a join supervisor, each put between it and one of its ports. */
import type { JoinTools } from '../../../src/controllers/join/supervisor.ts';
import type { JoinNode, JoinNodeLook, JoinSeen } from '../../../src/domain/nodes/join.ts';

export interface JoinBug {
  /** Of its kind in the list: `P13`. */
  readonly id: string;
  /** Rules of which at least one must not hold any more. */
  readonly caughtBy: readonly string[];
  /** The world in which it shows. */
  readonly world: string;
  readonly tools: (tools: JoinTools) => JoinTools;
}

const WELL: JoinNode = {
  uid: 'taken-for-granted',
  name: 'taken-for-granted',
  owner: 'ours',
  ownerName: null,
  isReady: true,
  message: '',
  isInitialized: true,
  isDeleting: false,
  isOfThisBoot: true,
};

function seeing(
  tools: JoinTools,
  node: (seen: JoinSeen) => JoinNodeLook,
  cloud: (seen: JoinSeen) => JoinSeen['cloud'] = (seen) => seen.cloud,
): JoinTools {
  const look: JoinTools['look'] = async (wants) => {
    const seen = await tools.look(wants);
    return { ...seen, node: node(seen), cloud: cloud(seen) };
  };
  return { ...tools, look };
}

function takenForAbsent(why: 'no-answer' | 'unauthenticated'): JoinBug['tools'] {
  return (tools) =>
    seeing(
      tools,
      ({ node }) =>
        node.state === 'unknown' && node.why === why
          ? { state: 'absent', name: 'this-machine' }
          : node,
      ({ cloud }) => cloud ?? { state: 'listed', privateDnsName: 'this-machine' },
    );
}

function exitCodeIsJoin(tools: JoinTools): JoinTools {
  let isDone = false;
  const run: JoinTools['run'] = async () => {
    const exitCode = await tools.run();
    isDone = exitCode === 0;
    return exitCode;
  };
  const shown = seeing(tools, ({ node }) => (isDone ? { state: 'present', node: WELL } : node));
  return { ...shown, run };
}

/** A kubelet renews its Lease also when its Node is gone. */
function leaseIsNode(tools: JoinTools): JoinTools {
  return seeing(tools, ({ node, kubelet }) =>
    node.state === 'absent' && kubelet === 'running' ? { state: 'present', node: WELL } : node,
  );
}

export const JOIN_BUGS: readonly JoinBug[] = [
  { id: 'P13', caughtBy: ['I-27'], world: 'late', tools: exitCodeIsJoin },
  { id: 'P14', caughtBy: ['I-27'], world: 'late', tools: leaseIsNode },
  { id: 'P36', caughtBy: ['I-26'], world: 'away', tools: takenForAbsent('no-answer') },
  { id: 'P37', caughtBy: ['I-26'], world: 'refused', tools: takenForAbsent('unauthenticated') },
];
