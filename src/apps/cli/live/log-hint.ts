import type { LiveEvidence } from '../../../collection/observe.ts';
import type { OnRequest } from '../../../collection/on-request.ts';
import { leftOpen } from '../../../diagnosis/left-open.ts';
import { counted } from '../../../domain/words.ts';

/** What would be read of machines that no cause is named for, and what that needs. */
export function logHints(
  looks: readonly LiveEvidence[],
  onRequest: ReadonlySet<OnRequest>,
): readonly string[] {
  const open = looks.flatMap(({ document, observations }) =>
    leftOpen(document, observations, false),
  );
  const behindKubelets = open.filter(({ node }) => node !== null);
  const withoutNode = open.filter(({ node, instanceId }) => node === null && instanceId !== null);
  return [
    ...hintOf('node-logs', behindKubelets.length, 'get nodes/proxy', onRequest),
    ...hintOf('ssm', withoutNode.length, 'ssm:SendCommand', onRequest),
  ];
}

function hintOf(
  name: OnRequest,
  count: number,
  permission: string,
  onRequest: ReadonlySet<OnRequest>,
): readonly string[] {
  if (count === 0 || onRequest.has(name)) return [];
  return [
    `The logs of ${counted(count, 'machine')} were not read and may name the cause; read them: ` +
      `rollcall diagnose --${name} (needs ${permission})`,
  ];
}
