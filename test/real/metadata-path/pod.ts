/**
 * A pod that asks for its credentials all the while: a line with time and role for each answer.
 * `fresh` asks on a new connection each time, `kept` on one that it keeps open.
 */
import { Agent, request } from 'node:http';

const ROLES = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';
const PACE_MS = 100;
const TIMEOUT_MS = 1_000;
const isKept = process.argv[2] === 'kept';
const agent = new Agent({ keepAlive: isKept, maxSockets: 1 });

function say(role: string): void {
  process.stdout.write(`${JSON.stringify({ atMs: Date.now(), role })}\n`);
  setTimeout(ask, PACE_MS);
}

function ask(): void {
  const asked = request(ROLES, { agent, timeout: TIMEOUT_MS }, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    response.on('end', () => say(response.statusCode === 200 ? body : 'none'));
  });
  asked.once('timeout', () => asked.destroy(new Error('timeout')));
  asked.once('error', () => say('none'));
  asked.end();
}

ask();
