/**
 * `node test/ports/standing-postgres.ts`: keeps one PostgreSQL on loopback until it is interrupted,
 * so that many runs of tests need not start one each.
 */
import { once } from 'node:events';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres();
process.stdout.write(`ROLLCALL_TEST_POSTGRES=${server.urlOf('postgres')}\n`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await server.stop();
