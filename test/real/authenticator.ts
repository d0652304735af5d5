/**
 * What EKS asks about the token of a kubelet: a webhook that has STS name the caller and looks it
 * up in aws-auth, with the parser and the rules of aws-iam-authenticator. STS and EC2 are moto's.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, textAt } from '../../src/evidence/json.ts';
import { parsedByAuthenticator } from './aws-auth-parser.ts';
import type { KubeObject } from './kube-client.ts';
import { signature } from './moto.ts';

const PREFIX = 'k8s-aws-v1.';

/** Where it looks once a control plane asks it. */
export interface Sources {
  /** The ConfigMap as it is now; null where there is none. */
  readonly awsAuth: () => Promise<KubeObject | null>;
  /** Of AWS. */
  readonly url: string;
  /** The private DNS name of an instance. */
  readonly nameOf: (instanceId: string) => Promise<string>;
}

export interface Authenticator {
  /** Of kube-apiserver. */
  readonly flags: readonly string[];
  readonly begin: (sources: Sources) => void;
  readonly stop: () => void;
}

interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Knows nobody before `begin`. */
export async function startAuthenticator(): Promise<Authenticator> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-authenticator-'));
  const state: { sources: Sources | null } = { sources: null };
  const server = createServer((request, response) => {
    review(state.sources, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const path = join(folder, 'webhook.json');
  writeFileSync(path, JSON.stringify(configOf((server.address() as AddressInfo).port)));
  return {
    flags: [
      `--authentication-token-webhook-config-file=${path}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=1s',
    ],
    begin: (sources) => {
      state.sources = sources;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function configOf(port: number): object {
  const name = 'authenticator';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}/authenticate` } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

async function review(
  sources: Sources | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const asked = JSON.parse(Buffer.concat(parts).toString()) as Json;
  const token = textAt(asked, 'spec.token') ?? '';
  const user = sources === null ? null : await userOf(token, sources);
  const status = user === null ? { authenticated: false } : { authenticated: true, user };
  const answer = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

async function userOf(token: string, sources: Sources): Promise<User | null> {
  if (!token.startsWith(PREFIX)) return null;
  const signed = new URL(Buffer.from(token.slice(PREFIX.length), 'base64url').toString());
  const caller = await callerOf(signed, sources.url);
  const parts = /^arn:aws:sts::(\d+):assumed-role\/([^/]+)\/(.+)$/.exec(caller);
  const [, account, role, session = ''] = parts ?? [];
  const map = (await sources.awsAuth()) as unknown as Json;
  const [parsed] = parsedByAuthenticator([textAt(map, 'data.mapRoles') ?? '']);
  const arn = `arn:aws:iam::${account}:role/${role}`.toLowerCase();
  const mapping = parsed?.roles.findLast((one) => one.arn.toLowerCase() === arn);
  if (mapping === undefined) return null;
  const name = await sources.nameOf(session);
  const username = (mapping.username ?? '')
    .replace('{{EC2PrivateDNSName}}', name)
    .replace('{{SessionName}}', session);
  return { username, groups: mapping.groups ?? [] };
}

/** moto finds the caller by the header alone, and the token has the same in its query. */
async function callerOf(signed: URL, url: string): Promise<string> {
  const [key = ''] = (signed.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const answer = await fetch(new URL(`/${signed.search}`, url), {
    headers: { authorization: signature('sts').replace('Credential=testing', `Credential=${key}`) },
  });
  return /<Arn>([^<]+)<\/Arn>/.exec(await answer.text())?.[1] ?? '';
}

/** The token of a kubelet whose instance has this role. */
export async function tokenOf(url: string, role: string, instanceId: string): Promise<string> {
  const parameters = { Action: 'AssumeRole', Version: '2011-06-15', RoleArn: role };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: signature('sts') },
    body: new URLSearchParams({ ...parameters, RoleSessionName: instanceId }),
  });
  const key = /<AccessKeyId>([^<]+)</.exec(await answer.text())?.[1] ?? '';
  const signed = new URL('https://sts.us-west-2.amazonaws.com/');
  signed.search = new URLSearchParams({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${key}/20260101/us-west-2/sts/aws4_request`,
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Signature': '0'.repeat(64),
  }).toString();
  return PREFIX + Buffer.from(signed.href).toString('base64url');
}
