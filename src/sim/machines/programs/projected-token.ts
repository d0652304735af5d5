import { textAt } from '../../../evidence/json.ts';
import type { PodPlace, ProgramRun } from './program.ts';

interface HeldToken {
  readonly text: string;
  readonly renewMs: number;
}

/** What the webhook asks for, in seconds, and when the kubelet asks again (pkg/kubelet/token). */
const LIFETIME_SECONDS = 86_400;
const RENEWED_AFTER_MS = 0.8 * LIFETIME_SECONDS * 1000;

/** Tokens in the volumes of pods, by audience; they stay when the API server is away. */
const HELD = new WeakMap<PodPlace, Map<string, HeldToken>>();

/** The token that the kubelet keeps in a projected volume of the pod; null without one. */
export function projectedToken(run: ProgramRun, audience: string): string | null {
  const held = HELD.get(run.pod) ?? new Map<string, HeldToken>();
  HELD.set(run.pod, held);
  const nowMs = run.host.trueMs();
  const known = held.get(audience);
  if (known !== undefined && nowMs < known.renewMs) return known.text;
  const text = issued(run, audience);
  if (text !== null) held.set(audience, { text, renewMs: nowMs + RENEWED_AFTER_MS });
  return text ?? known?.text ?? null;
}

/** As the kubelet asks for it, which may for pods of its own Node only. */
function issued({ host, pod, nodeName }: ProgramRun, audience: string): string | null {
  const [namespace = '', name = ''] = pod.key.split('/');
  const account = textAt(pod.object(), 'spec.serviceAccountName') ?? 'default';
  const { code, object } = host.world.api.answer({
    user: { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] },
    verb: 'create',
    path: {
      group: '',
      version: 'v1',
      plural: 'serviceaccounts',
      namespace,
      name: account,
      subresource: 'token',
    },
    query: {},
    body: {
      spec: {
        audiences: [audience],
        expirationSeconds: LIFETIME_SECONDS,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: pod.uid },
      },
    },
    patchType: null,
  });
  return code < 300 ? textAt(object, 'status.token') : null;
}
