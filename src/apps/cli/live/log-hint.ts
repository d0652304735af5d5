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
  const behindKubelets = open.filter(({ node }) => node !== null).length;
  if (behindKubelets === 0 || onRequest.has('node-logs')) return [];
  return [
    `The logs of ${counted(behindKubelets, 'machine')} were not read and may name the cause; ` +
      'read them: rollcall diagnose --node-logs (needs get nodes/proxy)',
  ];
}
