/** Each tool against a simulated cluster and AWS, several calls at once, and calls that end early. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { documentOf, emptyHome, rollcall, writeKubeconfig } from '../live/rollcall.ts';
import { shareOf, tellShare } from '../share.ts';
import { call, ROOT, type Started, startClient } from './client.ts';
import { type StillStory, openStory } from './lab.ts';

const BASE = mkdtempSync(join(tmpdir(), 'rollcall-mcp-live-'));
let story: StillStory;
let server: Started;

before(async () => {
  story = await openStory('never-let-in', 5, BASE);
  server = await startClient([], { cwd: ROOT, env: story.env });
});
after(async () => {
  await server.close();
  await story.close();
  rmSync(BASE, { recursive: true });
});

interface Headline {
  readonly cause: string;
}

describe('of a live cluster', () => {
  test('status counts what the command lists, and points to a machine', async () => {
    const run = await rollcall(['status', '-o', 'json'], story.env);
    const { rows } = JSON.parse(run.stdout) as RollCallDocument;
    const { content } = await call(server, 'status');
    assert.deepEqual(content.untrusted?.['rows'], rows);
    const counted = content.answer['machines'] as Record<string, number>;
    const failing = rows.filter(({ verdict }) => verdict === 'not-usable');
    assert.ok(failing.length > 0);
    assert.equal(counted['not-usable'], failing.length);
    const { tool, arguments: args } = content.next ?? {};
    assert.equal(tool, 'diagnose');
    assert.deepEqual(args, { machines: [rows.find(({ verdict }) => verdict !== 'usable')?.name] });
  });

  test('status lists only the machines that are asked for', async () => {
    const { content } = await call(server, 'status');
    const rows = content.untrusted?.['rows'] as readonly { readonly name: string }[];
    assert.ok(rows.length > 1);
    const name = rows[0]?.name ?? '';
    const one = await call(server, 'status', { machines: [name], failed: true });
    const shown = one.content.untrusted?.['rows'] as readonly { readonly name: string }[];
    assert.deepEqual(
      shown.map((row) => row.name),
      [name],
    );
  });

  test('diagnose names the cause that the command names, for all and for one machine', async () => {
    const document = documentOf(await rollcall(['diagnose', '-o', 'json'], story.env));
    const failing = document.subjects.find(
      ({ kind, verdict }) => kind === 'Machine' && verdict === 'not-usable',
    );
    const machine = failing?.name ?? '';
    for (const args of [{}, { machines: [machine] }]) {
      const { content } = await call(server, 'diagnose', args);
      const headline = content.answer['headline'] as Headline;
      assert.equal(headline.cause, 'aws-auth-missing');
      assert.equal(document.headline?.cause, 'aws-auth-missing');
      assert.equal(content.answer['verdict'], 'not-usable');
    }
  });
});

describe('each tool', () => {
  test('a name that no machine has is a sentence', async () => {
    for (const [tool, args] of [
      ['diagnose', { machines: ['nobody'] }],
      ['status', { machines: ['nobody'] }],
      ['capacity', { machines: ['nobody'] }],
      ['name', { machine: 'nobody' }],
    ] as const) {
      const { isError, text } = await call(server, tool, args);
      assert.ok(isError, tool);
      assert.match(text, /nobody/, tool);
      assert.match(text, /rollcall (?:status|name)/, tool);
    }
  });

  test('capacity, name and permissions look at the live cluster', async () => {
    const capacity = await call(server, 'capacity');
    assert.equal(capacity.content.untrusted?.['kind'], 'Capacity');
    assert.ok((capacity.content.untrusted['subnets'] as readonly object[]).length > 0);
    const name = await call(server, 'name');
    assert.ok(Number(name.content.answer['machines']) > 0);
    const { content, isError, text } = await call(server, 'permissions', { check: true });
    assert.equal(isError, false, text);
    assert.ok(Number(content.answer['granted']) > 0);
  });

  test('two calls at once answer as one after the other', async () => {
    const [status, diagnosis, explained] = await Promise.all([
      call(server, 'status'),
      call(server, 'diagnose'),
      call(server, 'explain', { ask: 'aws-auth-missing' }),
    ]);
    const [later, again] = [await call(server, 'status'), await call(server, 'diagnose')];
    assert.deepEqual(later.content.answer, status.content.answer);
    assert.deepEqual(again.content.answer['headline'], diagnosis.content.answer['headline']);
    assert.equal(explained.content.answer['cause'], 'aws-auth-missing');
  });

  test('nothing is written to standard error', () => assert.equal(server.said(), ''));
});

/** An API server that takes every request and answers none; it says when one has come and gone. */
async function openSilent(): Promise<{
  readonly http: Server;
  readonly env: Record<string, string>;
  readonly asked: Promise<unknown>;
  readonly gone: Promise<unknown>;
}> {
  const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const http = createServer((request) => {
    asked.resolve();
    request.socket.once('close', () => gone.resolve());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const home = emptyHome(BASE, `silent-${(http.address() as AddressInfo).port}`);
  const KUBECONFIG = writeKubeconfig(join(home['HOME'] ?? '', 'config'), { server: url });
  return { http, env: { ...home, KUBECONFIG }, asked: asked.promise, gone: gone.promise };
}

/** What a cluster that does not answer may hold up, ms; its own limit is 45 s. */
const SOON_MS = 8000;

async function soon(event: Promise<unknown>, what: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took too long`)), SOON_MS);
  await Promise.race([event, promise]).finally(() => clearTimeout(timer));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('of a cluster that does not answer', () => {
  const tools = ['status', 'diagnose', 'capacity', 'name', 'permissions'];
  const canceled = shareOf(tools, tools.length);
  tellShare('tools whose call is canceled', canceled.length, tools.length);
  for (const tool of canceled)
    test(`a canceled call of ${tool} lets go of it at once, and the next one is answered`, async () => {
      const silent = await openSilent();
      const asking = await startClient([], { cwd: ROOT, env: silent.env });
      try {
        const cancel = new AbortController();
        const args = tool === 'permissions' ? { check: true } : {};
        const called = call(asking, tool, args, cancel.signal);
        await Promise.race([silent.asked, called]);
        cancel.abort();
        await assert.rejects(called);
        await soon(silent.gone, 'letting go');
        const { content } = await call(asking, 'explain', { ask: 'aws-auth-missing' });
        assert.equal(content.answer['cause'], 'aws-auth-missing');
      } finally {
        await asking.close();
        silent.http.closeAllConnections();
        silent.http.close();
      }
    });

  test('a client that hangs up ends the program soon', async () => {
    const silent = await openSilent();
    const asking = await startClient([], { cwd: ROOT, env: silent.env });
    const called = call(asking, 'diagnose').catch(() => undefined);
    await silent.asked;
    // The client's own end would send a signal after 2 s.
    const { _process: child } = asking.client.transport as unknown as {
      readonly _process: ChildProcess;
    };
    child.stdin?.end();
    await soon(once(child, 'exit'), 'the end');
    assert.equal(child.exitCode, 0);
    await ended(asking.pid);
    await asking.close();
    await called;
    silent.http.closeAllConnections();
    silent.http.close();
  });

  test('the limit of a look is the person’s, and its end is a sentence', async () => {
    const silent = await openSilent();
    const asking = await startClient(['--timeout', '1s'], { cwd: ROOT, env: silent.env });
    const { isError, text } = await call(asking, 'status');
    assert.ok(isError);
    assert.match(text, /within 1 s/);
    await asking.close();
    silent.http.closeAllConnections();
    silent.http.close();
  });
});

test('the person chooses the cluster', async () => {
  const other = await startClient(['--context', 'nowhere'], { cwd: ROOT, env: story.env });
  try {
    const { text } = await call(other, 'diagnose');
    assert.match(text, /context nowhere is not in/);
  } finally {
    await other.close();
  }
});
