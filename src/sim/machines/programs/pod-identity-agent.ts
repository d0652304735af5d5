import { secondStamp, slashedStamp } from '../logs/stamps.ts';
import type { Program } from './program.ts';

/** The agent of EKS Pod Identity on 169.254.170.23. */
export const podIdentityAgent: Program = (run) => {
  const { host } = run;
  run.print(`${slashedStamp(host.nowMs())} Running command:`);
  for (const address of ['169.254.170.23:80', 'localhost:2703', '[fd00:ec2::23]:80'])
    run.print(
      JSON.stringify({
        'bind-addr': address,
        level: 'info',
        msg: 'Starting server...',
        time: secondStamp(host.nowMs()),
      }),
    );
  run.health({ isReady: false, readyMessage: 'HTTP probe failed with statuscode: 500' });
  run.after(600, () => {
    run.health({ isReady: true });
    run.metadata.changed();
  });
  return () => run.metadata.changed();
};
