/** `node writer-program.ts FILE`: records changes without end and prints the number of each look. */
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { lookAt, node, recordingInto, row, warning } from './looks.ts';

const [, , path = '', from = '0'] = process.argv;
const { recording } = recordingInto(openRecorder(path));

for (let minute = Number(from); ; minute++) {
  const isReady = minute % 2 === 0;
  await recording.take(
    lookAt({
      minute,
      nodes: [node({ ready: isReady ? 'True' : 'False', changed: minute })],
      rows: [row(isReady ? 'usable' : 'not-usable', isReady ? null : 'cni-not-ready')],
      events: Array.from({ length: 30 }, (_, index) =>
        warning({ uid: `e-${minute}-${index}`, at: minute }),
      ),
    }),
  );
  process.stdout.write(`${minute}\n`);
}
