/** What answers at the API server's service address: a connection is all that is asked of it. */
import { createServer } from 'node:net';

const server = createServer((socket) => socket.end());
server.listen(443, '0.0.0.0', () => process.stdout.write('listens\n'));
