import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);

/**
 * The parts of undici that are used here, each by its file: the package's own index loads fetch,
 * caches, cookies and WebSocket too, 60 ms before the first request.
 */
export const Agent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent;
export const buildConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector;

type Ask = (
  this: undici.Dispatcher,
  options: undici.Dispatcher.RequestOptions,
) => Promise<undici.Dispatcher.ResponseData>;
const ask = load('undici/lib/api/api-request.js') as Ask;

/** Sends one request; its body may be read as a stream. */
export async function sendOver(
  dispatcher: undici.Dispatcher,
  options: undici.Dispatcher.RequestOptions,
): Promise<undici.Dispatcher.ResponseData> {
  return ask.call(dispatcher, options);
}
