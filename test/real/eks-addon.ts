/** What EKS does for the add-on vpc-cni and moto does not: it applies the DaemonSet as `eks`. */
import type { ServerResponse } from 'node:http';
import { isObject, type Json, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { awsNode, MANIFEST_ENV } from '../controllers/fix/cni-scene.ts';
import type { AskedCall } from '../live/proxy.ts';
import type { KubeClient } from './kube-client.ts';

const SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';
/** What `vpc-cni` is for a cluster of 1.32. */
const VERSION = 'v1.19.2-eksbuild.1';
const IMAGE = `602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:${VERSION}`;

export interface Addon {
  /** Answers what is asked of add-ons. */
  readonly answer: (call: AskedCall, response: ServerResponse) => boolean;
  /** Once EKS has applied what was asked for last. */
  readonly applied: () => Promise<void>;
}

export function vpcCniAddon(cluster: string, client: KubeClient): Addon {
  const path = new RegExp(`^/clusters/${cluster}/addons(?:/(?<name>[^/?]+))?(?<update>/update)?`);
  const state = { values: '', done: Promise.resolve() };
  const shown = (): object => ({
    addon: {
      clusterName: cluster,
      addonName: 'vpc-cni',
      addonVersion: VERSION,
      status: 'ACTIVE',
      ...(state.values === '' ? {} : { configurationValues: state.values }),
    },
  });
  return {
    applied: () => state.done,
    answer: ({ method, url, body }, response) => {
      const asked = path.exec(url)?.groups;
      if (asked === undefined) return false;
      if (method === 'POST') {
        const told = body === '' ? {} : (JSON.parse(body) as Json);
        state.values = textAt(told, 'configurationValues') ?? state.values;
        state.done = apply(client, state.values, asked['update'] !== undefined);
      }
      const isKnown = (asked['name'] ?? 'vpc-cni') === 'vpc-cni';
      const missed = { message: `No addon: ${asked['name']} found in cluster: ${cluster}` };
      const type = isKnown ? {} : { 'x-amzn-errortype': 'ResourceNotFoundException' };
      const isList = method === 'GET' && asked['name'] === undefined;
      const known = isList ? { addons: ['vpc-cni'] } : shown();
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json', ...type });
      response.end(JSON.stringify(isKnown ? known : missed));
      return true;
    },
  };
}

async function apply(client: KubeClient, values: string, isUpdate: boolean): Promise<void> {
  const told = values === '' ? {} : (JSON.parse(values) as JsonObject)['env'];
  const variables = isObject(told) ? told : {};
  const env = { ...MANIFEST_ENV, ...(variables as Readonly<Record<string, string>>) };
  const { spec = {} } = awsNode(env);
  const containers = JSON.parse(
    JSON.stringify(spec).replace(/example\.test\/amazon-k8s-cni:[^"]+/, IMAGE),
  ) as JsonObject;
  const object = { metadata: { name: 'aws-node', namespace: 'kube-system' }, spec: containers };
  if (isUpdate) await client.patch(`${SETS}/aws-node?fieldManager=eks`, { spec: containers });
  else await client.create(`${SETS}?fieldManager=eks`, object);
}

/** EKS gives it to every cluster, add-on or not. */
export async function layKubeProxy(client: KubeClient): Promise<void> {
  const labels = { 'k8s-app': 'kube-proxy' };
  const image = '602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/kube-proxy:v1.32.0-eksbuild.2';
  const containers = [{ name: 'kube-proxy', image }];
  const template = { metadata: { labels }, spec: { containers } };
  await client.create(`${SETS}?fieldManager=eks`, {
    metadata: { name: 'kube-proxy', namespace: 'kube-system' },
    spec: { selector: { matchLabels: labels }, template },
  });
}
