/** The official client, and the real program that it starts. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Surroundings } from '../live/rollcall.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'bin/rollcall');

export interface Started {
  readonly client: Client;
  readonly pid: number;
  /** What the program wrote to standard error so far. */
  readonly said: () => string;
  readonly close: () => Promise<void>;
}

/** Starts `rollcall mcp` as a client does, with nothing of this machine's environment but PATH. */
export async function startClient(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Surroundings },
): Promise<Started> {
  const transport = new StdioClientTransport({
    command: PROGRAM,
    args: ['mcp', ...args],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', NO_PROXY: '127.0.0.1', ...env },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const client = new Client({ name: 'rollcall-test', version: '1.0.0' });
  await client.connect(transport);
  const { pid } = transport;
  if (pid === null) throw new Error(`rollcall mcp did not start: ${said}`);
  return { client, pid, said: () => said, close: async () => client.close() };
}

/** What a call came to. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  /** The structured content; empty for an error. */
  readonly content: Answered;
}

export interface Answered {
  readonly note: string;
  readonly answer: Record<string, unknown>;
  readonly next: Record<string, unknown> | null;
  readonly untrusted: Record<string, unknown> | null;
  readonly leftOut: Record<string, number>;
}

const TIMEOUT_MS = 120_000;

export async function call(
  { client }: Started,
  name: string,
  args: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<Called> {
  const options = { timeout: TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const [first] = result.content as readonly { readonly text: string }[];
  const content = (result.structuredContent ?? {}) as unknown as Answered;
  return { isError: result.isError === true, text: first?.text ?? '', content };
}

/** The value without any field called `untrusted`. */
export function trustedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trustedIn);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'untrusted');
  return Object.fromEntries(entries.map(([name, entry]) => [name, trustedIn(entry)]));
}
