import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openPostgres } from '../../src/adapters/recorder/postgres.ts';
import { lookAt, node, recordingInto, row, rowsIn } from '../recording/looks.ts';
import { type PostgresServer, startPostgres, WITH_OWN_POSTGRES } from './postgres-server.ts';
import { event } from './recorder.contract.ts';

let started: PostgresServer | null = null;

before(async () => {
  if (WITH_OWN_POSTGRES.skip === false) started = await startPostgres();
});
after(async () => started?.stop());

function server(): PostgresServer {
  if (started === null) throw new Error('no server was started');
  return started;
}

async function freshUrl(): Promise<string> {
  await server().createDatabase('flight');
  return server().urlOf('flight');
}

describe('PostgreSQL that is killed', WITH_OWN_POSTGRES, () => {
  test('a server that is killed while a program writes loses and doubles nothing', async () => {
    const url = await freshUrl();
    const recorder = openPostgres(url);
    const { recording, said } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 1, rows: [row('usable')] }));
    const changing = (minute: number): Parameters<typeof lookAt>[0] => ({
      minute,
      nodes: [node({ ready: minute % 2 === 0 ? 'True' : 'False', changed: minute })],
      rows: [row(minute % 2 === 0 ? 'usable' : 'not-usable', minute % 2 === 0 ? null : 'x')],
    });
    const under = recording.take(lookAt(changing(3)));
    await server().kill();
    await under;
    await recording.take(lookAt(changing(4)));
    await server().start();
    await recording.take(lookAt(changing(5)));
    const verdicts = (await rowsIn(recorder)).filter(({ kind }) => kind === 'verdict');
    assert.deepEqual(
      verdicts.map(({ receivedMs, body }) => [
        new Date(receivedMs).getUTCMinutes(),
        (body as { verdict: string }).verdict,
      ]),
      [
        [1, 'usable'],
        [3, 'not-usable'],
        [4, 'usable'],
        [5, 'not-usable'],
      ],
    );
    assert.match(said.join('\n'), /^Recording is interrupted: PostgreSQL 127\.0\.0\.1:\d+\/flight/);
    assert.match(said.at(-1) ?? '', /^Recording continues/);
    await recorder.close();
  });

  test('connections that the server closed are opened again by the next call', async () => {
    const url = await freshUrl();
    const recorder = openPostgres(url);
    await recorder.append([event(1)]);
    await server().kill();
    await server().start();
    assert.equal((await recorder.read({ cluster: 'one', limit: 9 })).length, 1);
    assert.equal(await recorder.append([event(2, { key: 'k' })]), 1);
    await recorder.close();
  });
});
