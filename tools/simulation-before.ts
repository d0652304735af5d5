/** Figures of the oracle that was replaced. */
export const BEFORE: {
  readonly commit: string;
  readonly seeds: string;
  readonly scores: Readonly<Record<string, readonly (readonly [string, string])[]>>;
} = {
  commit: 'e5489bd00ce9',
  seeds: '200 seeds from 180001',
  scores: {
    live: [
      ['machines that do not work, once for each look', '1370'],
      ['accepted causes of one: median, 90th percentile, most', '9, 15, 24'],
      ['the best constant answer is right', '72.8 %, no-reregistration-after-deletion'],
      ['answers shuffled between seeds are right', '60.6 %'],
      ['ours are right, of those that name a cause', '100.0 %'],
      ['ours are right, of all', '67.0 %'],
      ['ours are wrong, of all', '0.0 %'],
      ['no cause is named, of all', '33.0 %'],
      ['of those, asked about: machines; a true cause among the first three; none', 'not judged'],
    ],
    pile: [
      ['machines that do not work, once for each look', '1368'],
      ['accepted causes of one: median, 90th percentile, most', '9, 15, 24'],
      ['the best constant answer is right', '73.7 %, no-reregistration-after-deletion'],
      ['answers shuffled between seeds are right', '65.9 %'],
      ['ours are right, of those that name a cause', '100.0 %'],
      ['ours are right, of all', '65.6 %'],
      ['ours are wrong, of all', '0.0 %'],
      ['no cause is named, of all', '34.4 %'],
      ['of those, asked about: machines; a true cause among the first three; none', 'not judged'],
    ],
  },
};
