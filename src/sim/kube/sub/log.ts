import { textAt } from '../../../evidence/json.ts';
import type { ApiAnswer, KubeObject } from '../contract.ts';
import type { KubeletAnswer, LogRequest } from '../hooks.ts';
import { badRequest, notFound, StatusError } from '../refusal.ts';
import { listIn, objectAt, textIn } from '../rules/fields.ts';
import type { Scope } from '../scope.ts';

/** The log of a container, asked of the kubelet of its node. @throws Refusal 400, 404, 500 */
export function podLog(scope: Scope, pod: KubeObject): string {
  const request = logRequest(scope, pod);
  const nodeName = textAt(pod, 'spec.nodeName') ?? '';
  if (nodeName === '') return '';
  if (scope.core.store.table('/nodes').get(nodeName) === null) throw notFound(scope.kind, nodeName);
  const { podLog: ask } = scope.core.hooks;
  return textOf(ask?.(pod, request) ?? { ok: true, text: '' });
}

function textOf(answer: KubeletAnswer): string {
  if (answer.ok) return answer.text;
  const { code, message } = answer;
  const reason = code === 400 ? 'BadRequest' : code === 404 ? 'NotFound' : 'InternalError';
  throw new StatusError({ code, reason, message });
}

function logRequest({ query, name }: Scope, pod: KubeObject): LogRequest {
  const number = (key: string): number | null => {
    const text = query[key] ?? '';
    return /^\d{1,12}$/.test(text) ? Number(text) : null;
  };
  return {
    container: containerOf(name, pod, query['container'] ?? ''),
    previous: query['previous'] === 'true',
    tailLines: number('tailLines'),
    sinceSeconds: number('sinceSeconds'),
    timestamps: query['timestamps'] === 'true',
    limitBytes: number('limitBytes'),
    follow: query['follow'] === 'true',
  };
}

function containerOf(name: string, pod: KubeObject, asked: string): string {
  const spec = objectAt(pod, 'spec');
  const namesIn = (key: string): readonly string[] =>
    listIn(spec, key).map((one) => textIn(one, 'name'));
  const [own, init] = [namesIn('containers'), namesIn('initContainers')];
  if (asked === '' && own.length === 1) return own[0] ?? '';
  if (asked === '') {
    const choice = `choose one of: [${own.join(' ')}]`;
    const more = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
    throw badRequest(`a container name must be specified for pod ${name}, ${choice}${more}`);
  }
  if (own.includes(asked) || init.includes(asked)) return asked;
  throw badRequest(`container ${asked} is not valid for pod ${name}`);
}

/** What the kubelet of a node answers, as it answers it. @throws Refusal */
export function nodeProxy(
  { core, query, name }: Scope,
  node: KubeObject,
): Pick<ApiAnswer, 'code' | 'object'> {
  const { proxyPath: path = '/', ...asked } = query;
  const page = core.hooks.kubelet?.(node, { path, query: asked }) ?? null;
  if (page !== null) return { code: page.code, object: { text: page.text, type: page.type } };
  const message = `error trying to reach service: dial tcp ${name}:10250: connect: no route to host`;
  throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}
