import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from './decide.ts';
import { ended, restarting, starting } from './after.ts';
import { joinStateOf, joinStateText, newJoin } from './state.ts';
import {
  ABSENT,
  deeds,
  joining,
  KUBEADM_LEFT,
  LISTED,
  play,
  present,
  RULES,
  seen,
  UNLISTED,
  unseen,
  watching,
} from './testing.ts';

describe('before COMMAND', () => {
  test('runs it where there is no Node and nothing of an earlier join', () => {
    assert.equal(deeds(play(joining(), [seen(0)]).steps), 'run');
  });

  test('does not run it for a Node of ours that is there', () => {
    const { steps, state } = play(joining(), [seen(0, { node: present() })]);
    assert.equal(deeds(steps), 'wait');
    assert.equal(state.phase, 'watching');
  });

  test('waits for a failed check for a minute, and then runs it all the same', () => {
    const checks = [{ name: 'dns', state: 'failed', message: 'No such name.' } as const];
    const looks = [0, 30_000, 60_000].map((atMs) => seen(atMs, { checks }));
    assert.equal(deeds(play(joining(), looks).steps), 'wait wait run');
    const unknown = [{ name: 'clock', state: 'unknown', message: 'No date.' } as const];
    assert.equal(deeds(play(joining(), [seen(0, { checks: unknown })]).steps), 'run');
  });

  test('waits for the cloud only where it was asked to, and then without end', () => {
    const checks = [{ name: 'cloud', state: 'unknown', message: 'Throttled.' } as const];
    const looks = [0, 600_000].map((atMs) => seen(atMs, { checks }));
    assert.equal(deeds(play(joining(), looks).steps), 'run run');
    const rules = { ...RULES, waitsForCloud: true };
    assert.equal(deeds(play(joining(), looks, rules).steps), 'wait wait');
  });

  test('takes back what a cloned image brought of another machine', () => {
    const leftovers = { ...KUBEADM_LEFT, foreign: 'The disk holds the credentials of Node other.' };
    for (const node of [ABSENT, present({ owner: 'foreign' })])
      assert.equal(deeds(play(joining(), [seen(0, { leftovers, node })]).steps), 'reset');
  });

  test('names what is of another machine where nothing takes it back', () => {
    const leftovers = { paths: [], foreign: 'The kubeconfig is for another API server.' };
    const rules = { ...RULES, canReset: false };
    assert.equal(deeds(play(joining(), [seen(0, { leftovers })], rules).steps), 'leftovers');
  });

  test('never takes back a Node of ours, whatever the leftovers look like', () => {
    const leftovers = { ...KUBEADM_LEFT, foreign: 'The kubeconfig is for another API server.' };
    const looks = [0, 1000].map((atMs) => seen(atMs, { leftovers, node: present() }));
    assert.equal(deeds(play(joining(), looks).steps), 'wait wait');
  });

  test('does not run it beside one that an earlier start left behind', () => {
    const looks = [seen(0, { isCommandRunning: true }), seen(1000)];
    assert.equal(deeds(play(joining(), looks).steps), 'wait run');
  });

  test('what a killed start left is watched before anything is run again', () => {
    const state = joining({ phase: 'running', tries: 1 });
    const looks = [0, 1000, 16_000].map((atMs) => seen(atMs, { leftovers: KUBEADM_LEFT }));
    assert.equal(deeds(play(state, looks).steps), 'wait wait reset');
  });

  test('does not run it where the credentials on the disk are known: the kubelet is restarted', () => {
    const looks = [0, 15_000].map((atMs) =>
      seen(atMs, { node: ABSENT, leftovers: KUBEADM_LEFT, cloud: LISTED }),
    );
    assert.equal(deeds(play(joining(), looks).steps), 'wait restart');
  });
});

describe('after COMMAND', () => {
  test('an exit code of 0 proves nothing', () => {
    const state = ended(starting(joining()), 0, 0, RULES);
    assert.equal(deeds(play(state, [seen(0), seen(14_000)]).steps), 'wait wait');
  });

  test('one that did nothing is run again, and named in the end', () => {
    const looks = [0, 15_000, 16_000].map((atMs) => seen(atMs, { kubelet: 'stopped' }));
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait run');
    const last = play(watching({ tries: RULES.triesMax }), looks.slice(0, 2)).steps[1];
    assert.ok(last?.do === 'failed' && last.failure === 'command-did-nothing');
    assert.match(
      last.why,
      /ended with 0, but the kubelet does not run and there are no kubelet cred/,
    );
  });

  test('one that failed is run again after a pause, with what it left taken back', () => {
    const state = ended(starting(joining()), 1, 1000, RULES);
    const looks = [1000, 10_999, 11_000].map((atMs) => seen(atMs, { leftovers: KUBEADM_LEFT }));
    assert.equal(deeds(play(state, looks).steps), 'wait wait reset');
  });

  test('the number of its runs is bounded', () => {
    const state = joining({ tries: RULES.triesMax, exitCode: 7 });
    const [step] = play(state, [seen(0)]).steps;
    assert.ok(step?.do === 'failed' && step.failure === 'command-failed');
    assert.match(step.why, /4 times, the last time with 7/);
  });
});

describe('the Node', () => {
  test('is joined once it has stayed for the window, and not before', () => {
    const looks = [0, 19_999, 20_000].map((atMs) => seen(atMs, { node: present() }));
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait joined');
  });

  const LACKING = {
    'is not Ready': present({ isReady: false }),
    'is not heard of': present({ isReady: null }),
    'is not initialized': present({ isInitialized: false }),
    'is being deleted': present({ isDeleting: true }),
    'shows the boot before': present({ isOfThisBoot: false }),
    'does not say whose it is': present({ owner: 'unknown' }),
    'cannot be read': unseen('no-answer'),
  };
  for (const [what, node] of Object.entries(LACKING))
    test(`starts to count again after it ${what}`, () => {
      const looks = [
        seen(0, { node: present() }),
        seen(15_000, { node }),
        seen(20_000, { node: present() }),
        seen(39_999, { node: present() }),
        seen(40_000, { node: present() }),
      ];
      assert.equal(deeds(play(watching(), looks).steps), 'wait wait wait wait joined');
    });

  test('starts to count again under another UID, for twice the life of the one before', () => {
    const other = present({ uid: 'uid-2' });
    const looks = [0, 18_000].map((atMs) => seen(atMs, { node: present() }));
    const later = [18_500, 55_000, 55_500].map((atMs) => seen(atMs, { node: other }));
    const { steps, state } = play(watching(), [...looks, ...later]);
    assert.equal(deeds(steps), 'wait wait wait wait joined');
    assert.deepEqual([state.deletions, state.longestLifeMs], [1, 18_500]);
  });

  test('is not joined while EC2 does not list the instance', () => {
    const looks = [0, 30_000].map((atMs) => seen(atMs, { node: present(), cloud: UNLISTED }));
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait');
  });

  test('of another machine is waited for, and then named with the command that helps', () => {
    const node = present({ owner: 'foreign', ownerName: 'instance i-2' });
    const looks = [0, 119_999, 120_000].map((atMs) => seen(atMs, { node }));
    const { steps } = play(watching(), looks);
    assert.equal(deeds(steps), 'wait wait name-taken');
    const last = steps[2];
    assert.match(
      last?.do === 'failed' ? last.why : '',
      /instance i-2.*kubectl delete node ip-10-0-1-5/,
    );
  });
});

describe('a Node that was deleted', () => {
  test('waits until EC2 lists the instance, and then restarts the kubelet', () => {
    const looks = [
      seen(0, { node: present() }),
      seen(1000, { node: ABSENT }),
      seen(2000, { node: ABSENT, cloud: UNLISTED }),
      seen(60_000, { node: ABSENT, cloud: UNLISTED }),
      seen(61_000, { node: ABSENT, cloud: LISTED }),
    ];
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait wait wait restart');
  });

  test('that was never seen is taken for one after the time of a registration', () => {
    const looks = [0, 14_999, 15_000].map((atMs) => seen(atMs, { node: ABSENT, cloud: LISTED }));
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait restart');
  });

  test('is brought back after a pause that grows where EC2 cannot be asked', () => {
    const cloud = { state: 'unknown', message: 'Denied.' } as const;
    const look = (atMs: number) => seen(atMs, { node: ABSENT, cloud });
    const first = play(watching({ uid: 'uid-1' }), [look(9999), look(10_000)]);
    assert.equal(deeds(first.steps), 'wait restart');
    const state = restarting(first.state, 10_000, RULES);
    assert.equal(deeds(play(state, [look(29_999), look(30_000)]).steps), 'wait restart');
  });

  test('is not brought back more often than the bound; then COMMAND is run again', () => {
    const state = watching({ uid: 'uid-1', restarts: RULES.restartsMax });
    const look = seen(15_000, { node: ABSENT, cloud: LISTED });
    assert.equal(deeds(play(state, [look]).steps), 'reset');
    assert.equal(deeds(play({ ...state, tries: RULES.triesMax }, [look]).steps), 'deleted-again');
  });
});

describe('what is unknown', () => {
  test('an API server that does not answer restarts, resets and ends nothing', () => {
    const looks = [0, 60_000, 600_000].map((atMs) => seen(atMs, { node: unseen('no-answer') }));
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait wait');
  });

  test('credentials that are refused are no deletion; after two minutes they are renewed', () => {
    const look = (atMs: number) =>
      seen(atMs, { node: unseen('unauthenticated'), leftovers: KUBEADM_LEFT, cloud: LISTED });
    const { steps } = play(watching(), [look(0), look(119_999), look(120_000)]);
    assert.equal(deeds(steps), 'wait wait reset');
  });

  test('an answer in between starts the two minutes again', () => {
    const node = unseen('unauthenticated');
    const looks = [
      seen(0, { node, leftovers: KUBEADM_LEFT }),
      seen(60_000, { node: present({ isReady: false }) }),
      seen(120_000, { node, leftovers: KUBEADM_LEFT }),
    ];
    assert.equal(deeds(play(watching(), looks).steps), 'wait wait wait');
  });

  test('a name that the credentials may not read is named', () => {
    const looks = [0, 120_000].map((atMs) => seen(atMs, { node: unseen('denied') }));
    assert.equal(deeds(play(watching(), looks).steps), 'wait name-denied');
  });

  test('the end of the time names what the Node waits for, and what gives its name', () => {
    const over = seen(RULES.limitMs, { node: present({ isInitialized: false }) });
    const { step } = decide(watching(), over, RULES);
    assert.match(step.why, /waits for the cloud controller.*--name auto$/);
    const kept = seen(RULES.limitMs, { node: present() });
    assert.match(decide(watching(), kept, RULES).step.why, /has not stayed for long enough\.$/);
  });

  test('the end of the time gives no verdict on a Node that could not be read', () => {
    const at = seen(RULES.limitMs, { node: unseen('no-answer') });
    assert.equal(deeds(play(watching(), [at]).steps), 'time-over-unseen');
    assert.equal(
      deeds(play(watching(), [seen(RULES.limitMs, { node: ABSENT })]).steps),
      'time-over',
    );
  });
});

describe('the state on the disk', () => {
  const state = restarting(starting(joining({ deletions: 2, longestLifeMs: 900 })), 5, RULES);

  test('is read back with its counts and without its times', () => {
    const kept = joinStateOf(joinStateText(state), 'i-1', 70);
    assert.deepEqual(kept, { ...state, memory: newJoin('i-1', 70).memory });
  });

  test('of another instance does not count', () => {
    assert.equal(joinStateOf(joinStateText(state), 'i-2', 0), null);
  });

  for (const text of ['', '{', '[]', '{"kind":"Other"}', joinStateText(state).slice(0, 40)])
    test(`does not count where it says ${JSON.stringify(text)}`, () => {
      assert.equal(joinStateOf(text, 'i-1', 0), null);
    });

  test('counts that are no counts are 0', () => {
    const text = joinStateText(state).replace('"tries":1', '"tries":-5');
    assert.equal(joinStateOf(text, 'i-1', 0)?.tries, 0);
  });
});
