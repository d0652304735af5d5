import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);

/**
 * The parts of undici that are used here, each by its file and when it is first used: the package's
 * own index loads fetch, caches, cookies and WebSocket too, 60 ms before the first request.
 */
export function agentOver(options: undici.Agent.Options): undici.Agent {
  const Agent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent;
  return new Agent(options);
}

export function connectorOver(
  options: undici.buildConnector.BuildOptions,
): undici.buildConnector.connector {
  const build = load('undici/lib/core/connect.js') as typeof undici.buildConnector;
  return build(options);
}

type Ask = (
  this: undici.Dispatcher,
  options: undici.Dispatcher.RequestOptions,
) => Promise<undici.Dispatcher.ResponseData>;

/** Sends one request; its body may be read as a stream. */
export async function sendOver(
  dispatcher: undici.Dispatcher,
  options: undici.Dispatcher.RequestOptions,
): Promise<undici.Dispatcher.ResponseData> {
  const ask = load('undici/lib/api/api-request.js') as Ask;
  return ask.call(dispatcher, options);
}
