import { isObject, type Json, type JsonObject, listAt } from '../../evidence/json.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi, KubeListOptions, KubeResource } from '../../ports/kube-api.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { PileText } from '../oracle/pile.ts';
import { plantedOutput } from './answers.ts';
import { kindOf, plantedLog, plantedObject } from './objects.ts';
import type { Plants } from './plants.ts';

async function* plantedPages(
  plants: Plants,
  kube: KubeApi,
  resource: KubeResource,
  options: KubeListOptions | undefined,
): ReturnType<KubeApi['list']> {
  for await (const page of kube.list(resource, options)) {
    const items = page.items.map((item) => plantedObject(plants, item, resource.kind));
    yield { ...page, items };
  }
}

/** The API server as Rollcall looks at it, with secrets in all that it answers. */
export function plantedKube(plants: Plants, kube: KubeApi): KubeApi {
  return {
    server: kube.server,
    list: (resource, options) => plantedPages(plants, kube, resource, options),
    async get(resource, name, signal) {
      return plantedObject(plants, await kube.get(resource, name, signal), resource.kind);
    },
    async logs(pod, options) {
      const text = new TextDecoder().decode(await kube.logs(pod, options));
      return new TextEncoder().encode(plantedLog(plants, text, 'logs of containers'));
    },
    async nodeLog(node, place, options) {
      const log = await kube.nodeLog(node, place, options);
      const text = new TextDecoder().decode(log.bytes);
      // Names in a folder are no text that somebody can write secrets into.
      if ('path' in place && (place.path === '' || place.path.endsWith('/'))) return log;
      const bytes = new TextEncoder().encode(plantedLog(plants, text, 'logs of machines'));
      return { ...log, bytes };
    },
    watch: (resource, options) => kube.watch(resource, options),
    kubeletHealth: async (node, signal) => kube.kubeletHealth(node, signal),
    mayI: async (access, signal) => kube.mayI(access, signal),
    version: async (signal) => kube.version(signal),
    skewMs: () => kube.skewMs(),
  };
}

/** AWS with secrets in all that it answers. */
export function plantedAws(plants: Plants, aws: AwsApi): AwsApi {
  return {
    region: aws.region,
    partition: aws.partition,
    requests: () => aws.requests(),
    async *pages(call, signal) {
      for await (const page of aws.pages(call, signal)) yield plantedOutput(plants, call, page);
    },
  };
}

function plantedDump(plants: Plants, dump: JsonObject, name: string): JsonObject {
  if (dump['kind'] === undefined) {
    const operation = name.replace(/\.json$/, '');
    return plantedOutput(plants, { service: 'ec2', operation }, dump);
  }
  if (!Array.isArray(dump['items'])) return plantedObject(plants, dump, kindOf(dump, ''));
  const items = listAt(dump, 'items').map((item) =>
    isObject(item) ? plantedObject(plants, item, kindOf(item, '')) : item,
  );
  return { ...dump, items };
}

/** `system/region.txt` and the like hold one word. */
const LOG = /\.(?:log|txt)$/;
const WORD = /^\S*\s*$/;

/** A file that somebody has collected, with secrets in it. */
export function plantedText(plants: Plants, file: PileText): PileText {
  const { name, text } = file;
  if (name.endsWith('.json')) {
    const dump = plantedDump(plants, JSON.parse(text) as Json as JsonObject, name);
    return { ...file, text: `${JSON.stringify(dump, null, 4)}\n` };
  }
  if (!LOG.test(name) || WORD.test(text)) return file;
  const place = name.includes('kubelet') ? 'kubelet logs' : 'logs of machines';
  return { ...file, text: plantedLog(plants, text, place) };
}

/** What nobody should attach, and people do: all Secrets, and all ConfigMaps. */
const CARELESS = ['Secret', 'ConfigMap'] as const;

/** Files of a pile with secrets in them, and those that hold nothing else. */
export function plantedPile(
  { plants, people }: { readonly plants: Plants; readonly people: KubeClient },
  texts: readonly PileText[],
): readonly PileText[] {
  const dumps = CARELESS.map((kind) => {
    const items = people.list(kind).map((one) => ({ apiVersion: 'v1', kind, ...one }));
    const list = { apiVersion: 'v1', kind: 'List', items: [...items, noted(kind)] };
    return { name: `${kind.toLowerCase()}s.json`, container: null, text: JSON.stringify(list) };
  });
  return [...texts, ...dumps].map((file) => plantedText(plants, file));
}

function noted(kind: string): JsonObject {
  const metadata = { name: 'shop', namespace: 'production' };
  return { apiVersion: 'v1', kind, metadata, data: {} };
}
