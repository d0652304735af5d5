import { inFile, type PlantedError } from './errors.ts';

const DECIDE = ['src/controllers/join/decide.test.ts'];
const LOOK = ['test/join/look.test.ts'];
const SUPERVISOR = ['test/join/supervisor.test.ts'];

/** Errors in what a join decides, and in what it takes for seen. */
export const JOIN_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/join/decide.ts', [
    ['a Node of another machine is ours', "if (node.owner === 'foreign')", 'if (false)', DECIDE],
    ['a Node that is being deleted is kept', 'if (node.isDeleting)', 'if (false)', DECIDE],
    ['a Node of the boot before is kept', 'if (node.isOfThisBoot === false)', 'if (false)', DECIDE],
    ['the taint of the cloud does not matter', 'if (!node.isInitialized)', 'if (false)', DECIDE],
    ['Ready does not matter', 'if (!node.isReady)', 'if (node.isReady === undefined)', DECIDE],
    [
      'a Node that EC2 would not keep is joined',
      "if (cloud?.state === 'absent')",
      'if (false)',
      DECIDE,
    ],
    [
      'another UID goes on with the time of the one before',
      'keptSinceMs: isSame ? memory.keptSinceMs : null,',
      'keptSinceMs: memory.keptSinceMs,',
      DECIDE,
    ],
    [
      'a look that saw nothing counts as kept',
      'const gone = unkept(state);',
      'const gone = state;',
      DECIDE,
    ],
    ['two joins run at once', 'if (seen.isCommandRunning)', 'if (false)', DECIDE],
    [
      'a Node of ours is reset where the leftovers look foreign',
      'leftovers.foreign !== null && !isOurs',
      'leftovers.foreign !== null',
      DECIDE,
    ],
    [
      'the end of the time is a verdict on what was not seen',
      "node.why === 'no-answer' ? 'time-over-unseen' : 'time-over'",
      "'time-over'",
      DECIDE,
    ],
    [
      'COMMAND runs where the credentials are known',
      "if (node.state === 'absent' && isJoinedBefore(state, seen))",
      'if (false)',
      DECIDE,
    ],
  ]),
  ...inFile('src/controllers/join/decide-before.ts', [
    ['COMMAND runs without end', 'if (state.tries >= rules.triesMax)', 'if (false)', DECIDE],
    [
      'a run follows at once on one that failed',
      'if (seen.atMs < state.memory.quietUntilMs)',
      'if (false)',
      DECIDE,
    ],
    ['the cloud is waited for unasked', 'return waitsForCloud && found', 'return found', DECIDE],
    [
      'what is not known holds COMMAND back',
      "return found === 'failed' && atMs",
      'return atMs',
      DECIDE,
    ],
    ['what a try left is not taken back', 'state.tries > 0 && paths.length > 0', 'false', DECIDE],
    ['a reset that there is not is asked for', 'if (rules.canReset)', 'if (true)', DECIDE],
  ]),
  ...inFile('src/controllers/join/decide-absent.ts', [
    [
      'a kubelet has no time to register',
      'if (gone.deletions === 0 && isWaiting)',
      'if (false)',
      DECIDE,
    ],
    [
      'a restart before EC2 lists the instance',
      "if (cloud.state === 'absent')",
      'if (false)',
      DECIDE,
    ],
    ['restarts without end', 'if (state.restarts >= rules.restartsMax)', 'if (false)', DECIDE],
    [
      'a restart without a pause where EC2 is not asked',
      'if (atMs < quietUntilMs)',
      'if (false)',
      DECIDE,
    ],
  ]),
  ...inFile('src/controllers/join/decide-blind.ts', [
    [
      'an API server that is away restarts the kubelet',
      'return wait(forgiven(state), look.message);',
      "return { state, step: { do: 'restart', why: look.message } };",
      DECIDE,
    ],
    [
      'a refusal is taken for a deletion',
      'if (seen.atMs - sinceMs < rules.refusedMs)',
      'if (false)',
      DECIDE,
    ],
    ['a wrong name is reset', "if (look.why === 'denied')", 'if (false)', DECIDE],
    ['credentials have no time to come', 'if (isWaiting)', 'if (false)', DECIDE],
  ]),
  ...inFile('src/controllers/join/after.ts', [
    ['runs are not counted', 'tries: state.tries + 1', 'tries: state.tries', DECIDE],
    ['a failure is taken for a join', "isWell ? 'watching' : 'before'", "'watching'", DECIDE],
    [
      'restarts are not counted',
      'const restarts = state.restarts + 1;',
      'const restarts = state.restarts;',
      DECIDE,
    ],
  ]),
  ...inFile('src/controllers/join/state.ts', [
    [
      'the state of another instance is ours',
      "phase === undefined || textAt(value, 'instanceId') !== instanceId",
      'phase === undefined',
      DECIDE,
    ],
  ]),
  ...inFile('src/controllers/join/rules.ts', [
    ['a longer life changes nothing', '2 * longestLifeMs', '0', DECIDE],
    ['pauses do not grow', 'first * 2 **', 'first * 1 **', DECIDE],
  ]),
  ...inFile('src/controllers/join/supervisor.ts', [
    [
      'COMMAND starts before that is noted',
      'await this.#take(starting(this.#state));',
      'this.#state = starting(this.#state);',
      SUPERVISOR,
    ],
  ]),
  ...inFile('src/collection/join/node.ts', [
    [
      'a throttled read is a missing Node',
      "if (failure === 'not-found')",
      "if (failure === 'not-found' || failure === 'throttled')",
      LOOK,
    ],
    [
      'the provider ID of another instance is ours',
      'return named === instanceId',
      'return named !== instanceId',
      LOOK,
    ],
    [
      'one thing that differs makes it foreign',
      'if (pairs.length <= 1)',
      'if (pairs.length === 0)',
      LOOK,
    ],
  ]),
  ...inFile('src/collection/join/cloud.ts', [
    ['any failure of EC2 is an absence', "if (error.failure === 'not-found')", 'if (true)', LOOK],
    [
      'an instance that goes is listed',
      "if (GONE.has(textAt(instance, 'State.Name')))",
      'if (false)',
      LOOK,
    ],
    [
      'the tag of the cluster does not matter',
      'if (cluster !== null && !tags.includes(tag))',
      'if (false)',
      LOOK,
    ],
  ]),
  ...inFile('src/collection/join/leftovers.ts', [
    ['another port is the same server', 'if (one.port !== port) return true;', '', LOOK],
    ['credentials of a Node that is gone are ours', '!names.includes(certified)', 'false', LOOK],
  ]),
];
