/** Instance metadata with the machine's role, at 169.254.169.254; started in a namespace. */
import { createServer } from 'node:http';

const ROLES = '/latest/meta-data/iam/security-credentials/';
const [role = ''] = process.argv.slice(2);

const ANSWERS: Readonly<Record<string, string>> = {
  '/latest/api/token': 'token-of-the-machine',
  [ROLES]: role,
  [`${ROLES}${role}`]: JSON.stringify({ AccessKeyId: 'ASIAEXAMPLE', SecretAccessKey: 'no-key' }),
  '/latest/dynamic/instance-identity/document': '{"instanceId":"i-0123456789abcdef0"}',
};

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const body = ANSWERS[request.url ?? ''];
  response.writeHead(body === undefined ? 404 : 200);
  response.end(body ?? '');
});
server.listen(80, '169.254.169.254', () => process.stdout.write('listens\n'));
