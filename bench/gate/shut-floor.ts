/**
 * The smallest program that shuts: it puts the taint on each node that the watch shows without it,
 * and checks nothing. What the API server and this machine allow where a taint is stripped or
 * missing; not a controller.
 *
 *   node bench/gate/shut-floor.ts --gatebench DIR --kubeconfig FILE --taint KEY
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

interface SeenNode {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
}

/** As gatebench's own client has it. */
interface Gatebench {
  readonly Api: new (
    config: unknown,
  ) => {
    watch(path: string, onEvent: (type: string, node: SeenNode) => void): unknown;
    patch(path: string, body: unknown, type: 'json', options: { ok: number[] }): Promise<unknown>;
  };
  readonly loadKubeconfig: (path: string) => unknown;
}

const { values } = parseArgs({
  options: {
    gatebench: { type: 'string', default: '' },
    kubeconfig: { type: 'string', default: '' },
    taint: { type: 'string', default: '' },
  },
});
const client = pathToFileURL(join(values.gatebench, 'kube.mjs')).href;
const { Api, loadKubeconfig } = (await import(client)) as Gatebench;
const api = new Api(loadKubeconfig(values.kubeconfig));
const taint = { key: values.taint, effect: 'NoSchedule' };

api.watch('/api/v1/nodes', (type, { metadata, spec }) => {
  const { taints } = spec;
  if (type === 'DELETED' || taints?.some(({ key }) => key === taint.key) === true) return;
  const put =
    taints === undefined
      ? { op: 'add', path: '/spec/taints', value: [taint] }
      : { op: 'add', path: '/spec/taints/-', value: taint };
  const same = {
    op: 'replace',
    path: '/metadata/resourceVersion',
    value: metadata.resourceVersion,
  };
  // A node that has changed meanwhile comes again.
  const options = { ok: [404, 409, 422] };
  api
    .patch(`/api/v1/nodes/${metadata.name}`, [same, put], 'json', options)
    .catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
});
process.stdout.write('floor running\n');
