import type { Invariant } from './contract.ts';

/** What could not be read is said: each refusal of a call stands in the evidence. */
export const gaps: Invariant = {
  rule: 'I-30',
  look({ refused, observations, way }, { evaluated, violated, marks }) {
    const told = observations.collection?.refusals ?? [];
    for (const { call, failure } of refused) {
      evaluated();
      if (failure === 'throttled' && call.startsWith('ec2:')) marks.reach('look-during-throttling');
      else marks.reach('look-during-refusal');
      if (!told.some((one) => one.call === call || one.message.includes(call)))
        violated(call, `${way}: ${call} was refused (${failure}), and nothing says so`);
    }
  },
};
