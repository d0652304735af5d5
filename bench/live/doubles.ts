import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { awsDouble } from './aws-double.ts';
import { type ClusterSize, REGION } from './cluster.ts';
import { type Answerer, kubeDouble } from './kube-double.ts';
import type { WatchDouble } from './watch-double.ts';

/** What each call waits before it is answered, ms. */
export const LATENCY_MS = 100;

export interface Doubles {
  /** The environment of a program that takes both for the real ones. */
  readonly env: NodeJS.ProcessEnv;
  /** Requests since the start or the last `forget`. */
  readonly counts: () => { readonly kube: number; readonly aws: number };
  readonly forget: () => void;
  /** Sends a changed object to everybody who watches its list. */
  readonly change: WatchDouble['change'];
  readonly stop: () => void;
}

interface Counted {
  readonly server: Server;
  readonly url: string;
  requests: number;
}

async function serve(answer: Answerer): Promise<Counted> {
  const server = createServer((request, response) => {
    counted.requests++;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void sleep(LATENCY_MS).then(() =>
        answer(request, Buffer.concat(chunks).toString(), response),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const counted: Counted = { server, url, requests: 0 };
  return counted;
}

function kubeconfigOf(server: string): string {
  const lab = { cluster: 'bench', user: 'bench' };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server } }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: lab }],
    'current-context': 'bench',
  });
}

/** Both APIs over a cluster of this size, in this process. */
export async function startDoubles(size: ClusterSize): Promise<Doubles> {
  const { answer, watches } = kubeDouble(size);
  const [kube, aws] = await Promise.all([serve(answer), serve(awsDouble(size))]);
  const home = mkdtempSync(join(tmpdir(), 'rollcall-bench-'));
  const kubeconfig = join(home, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(kube.url));
  return {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      KUBECONFIG: kubeconfig,
      AWS_ENDPOINT_URL: aws.url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    counts: () => ({ kube: kube.requests, aws: aws.requests }),
    forget: () => {
      kube.requests = 0;
      aws.requests = 0;
    },
    change: watches.change,
    stop: () => {
      watches.end();
      for (const { server } of [kube, aws]) {
        server.closeAllConnections();
        server.close();
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}
