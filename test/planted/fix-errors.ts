import { inFile, type PlantedError } from './errors.ts';

const MAP = ['test/controllers/fix/map.test.ts'];
const AUTH = ['test/controllers/fix/auth.test.ts'];
const MACHINE = ['test/controllers/fix/machine.test.ts'];
const JANITOR = ['test/controllers/eni-janitor/decide.test.ts'];
const ENI = ['test/controllers/fix/eni.test.ts'];
const CNI = ['test/controllers/fix/cni.test.ts'];
const PODS = ['test/controllers/fix/pods.test.ts'];
const NAME = ['test/controllers/fix/name.test.ts'];
const RESTART = ['test/controllers/fix/restart.test.ts'];
const REPLACE = ['test/controllers/fix/replace.test.ts'];
const EDIT = ['src/readers/kube/aws-auth-edit.test.ts'];

/** Errors in what repairs decide, write and take back. */
export const FIX_ERRORS: readonly PlantedError[] = [
  ...inFile('src/controllers/fix/auth/decide-map.ts', [
    ['an administrator becomes a node', 'mapped?.groups.includes(MASTERS) === true', 'false', MAP],
    ['groups of a hidden entry are lost', '...(mapped?.groups ?? [])', '', MAP],
    [
      'a role is mapped again and again',
      'if (mapped !== null && covers(',
      'if (false && covers(',
      MAP,
    ],
  ]),
  ...inFile('src/controllers/fix/auth/config-map.ts', [
    [
      'a map that cannot be read is a missing one',
      "error instanceof PortError && error.failure === 'not-found'",
      'error instanceof PortError',
      MAP,
    ],
  ]),
  ...inFile('src/controllers/fix/auth/fix-map.ts', [
    ['a newer version is overwritten', "requires: 'same-version'", "requires: 'same-object'", MAP],
    [
      'what others overwrite is done',
      'if (entry !== null && covers(entry, mapping))',
      'if (true)',
      MAP,
    ],
  ]),
  ...inFile('src/controllers/fix/auth/node-mapping.ts', [
    [
      'the path of a role stays',
      ':role/${name}`, name',
      ':role/${parts["path"]}${name}`, name',
      MAP,
    ],
    ['patterns are roles', "arn.includes('*')", 'false', MAP],
  ]),
  ...inFile('src/controllers/fix/auth/decide-entry.ts', [
    ['any type of entry will do', 'if (found === wanted)', 'if (found !== null)', AUTH],
    ['the mode does not matter', 'if (isRead(known, place))', 'if (true)', AUTH],
    ['Auto Mode needs no policy', "if (type !== 'auto') return null;", 'return null;', AUTH],
  ]),
  ...inFile('src/controllers/fix/auth/fix-auth.ts', [
    ['another cluster is changed', 'if (isAnother(kube.server, endpoint))', 'if (false)', AUTH],
  ]),
  ...inFile('src/controllers/fix/machine/hop-limit.ts', [
    [
      'a limit of others is set back',
      'wanted.from !== null && hops !== wanted.from',
      'false',
      MACHINE,
    ],
  ]),
  ...inFile('src/controllers/fix/machine/startup-taint.ts', [
    ['taints of Kubernetes go', '!isOfKubernetes && ', '', MACHINE],
    [
      'a taint is put on another Node',
      "textAt(node, 'metadata.uid') !== textAt(note, 'uid')",
      'false',
      MACHINE,
    ],
  ]),
  ...inFile('src/controllers/eni-janitor/proof.ts', [
    [
      'interfaces of other clusters go',
      'clusters.some((one) => one !== cluster)',
      'false',
      JANITOR,
    ],
    ['interfaces of no cluster go', 'clusters.length === 0', 'false', JANITOR],
    [
      'other creators do not matter',
      "creator !== null && creator !== 'amazon-vpc-cni'",
      'false',
      JANITOR,
    ],
    ['tag and description may differ', 'describedInstance !== taggedInstance', 'false', JANITOR],
    ['what is likely is proven', "leak.verdict === 'likely'", 'false', JANITOR],
    [
      'a Node does not keep an interface',
      'scan.nodeInstances.has(describedInstance)',
      'false',
      JANITOR,
    ],
  ]),
  ...inFile('src/controllers/eni-janitor/decide.ts', [
    ['one look is enough', 'sinceMs < rules.apartMs || !sights.has(network.id)', 'false', JANITOR],
    ['the budget does not end', 'left-- > 0', 'left > 0', JANITOR],
    [
      'a look is never forgotten',
      'sights: new Map(seen)',
      'sights: new Map([...sights, ...seen])',
      JANITOR,
    ],
  ]),
  ...inFile('src/domain/network/interfaces.ts', [
    [
      'a year is a time',
      "Number.isNaN(Date.parse(text ?? '')) ? null : isoMs(text)",
      "Date.parse(text ?? '')",
      JANITOR,
    ],
  ]),
  ...inFile('src/controllers/eni-janitor/delete-interface.ts', [
    ['what changed meanwhile goes', 'if (!isUnchanged(network, now))', 'if (false)', ENI],
  ]),
  ...inFile('src/controllers/eni-janitor/scan.ts', [
    [
      'a clock that steps ahead makes old',
      'began.wallMs + monotonicMs - began.monotonicMs',
      'Infinity',
      ENI,
    ],
  ]),
  ...inFile('src/controllers/fix/eni/fix-eni.ts', [
    [
      'a denial does not end it',
      'isDenied = step.commands.includes(PERMISSIONS)',
      'isDenied = false',
      ENI,
    ],
  ]),
  ...inFile('src/controllers/fix/pods/fix-pods.ts', [
    [
      'another Pod of the name is evicted',
      'if (pod?.uid !== target.uid)',
      'if (pod === null)',
      PODS,
    ],
    [
      'a dry run counts as an eviction',
      'if (!isDryRun) await tools.keep',
      'await tools.keep',
      PODS,
    ],
    ['the budget does not end', 'run.left -= 1;', '', PODS],
    [
      'the next Pod does not wait',
      'if (by?.isReady !== true) run.stuck',
      'if (by?.isReady === true) run.stuck',
      PODS,
    ],
  ]),
  ...inFile('src/controllers/fix/pods/target.ts', [
    ['a Pod that started again is evicted', "by === 'new-start' && ", "by === 'new-pod' && ", PODS],
    [
      'an open gate lets the next Pod in',
      "if (slipIn.decision.act === 'evict' && !isHeld)",
      "if (slipIn.decision.act === 'keep' && !isHeld)",
      PODS,
    ],
    [
      'a gate that reports keeps its Pods',
      "limits.mode === 'report' ?",
      "limits.mode === 'ignore' ?",
      PODS,
    ],
  ]),
  ...inFile('src/controllers/fix/name/decide.ts', [
    [
      'a Node that is Ready is deleted',
      "if (isReady) return refuse('It is Ready by now.');",
      '',
      NAME,
    ],
    [
      'a Lease does not matter',
      'if (isSilent(renewedMs, nowMs)) return null;',
      'return null;',
      NAME,
    ],
    [
      'a Lease of the future is an old one',
      'nowMs - renewedMs > SILENT_MIN_MS',
      'Math.abs(nowMs - renewedMs) > SILENT_MIN_MS',
      NAME,
    ],
    ['another Node of the name is deleted', 'if (stale.uid !== uid)', 'if (false)', NAME],
    ['the control plane does not matter', 'if (isControlPlane)', 'if (false)', NAME],
    ['finalizers do not matter', 'if (finalizer === undefined)', 'if (finalizer !== null)', NAME],
    ['a Pod of nobody goes', 'if (lost === null) return null;', 'return null;', NAME],
    ['a machine id is enough', 'systemUuid === current.systemUuid && machineId', 'machineId', NAME],
    ['nothing told is the same', "systemUuid !== '' && machineId !== ''", 'true', NAME],
    ['the newer Node is deleted', 'if (isNewer(stale, current))', 'if (false)', NAME],
    ['a silent Node is the machine', 'if (!isAlive)', 'if (false)', NAME],
    ['another region proves', 'region === null || !zone.startsWith(region)', 'false', NAME],
    ['another account proves', 'if (shownOthers.length === 0)', 'if (false)', NAME],
    ['a stopped instance is gone', "if (state === 'terminated')", 'if (state !== undefined)', NAME],
  ]),
  ...inFile('src/controllers/fix/name/fix-name.ts', [
    ['a newer version is deleted', "requires: 'same-version'", "requires: 'same-object'", NAME],
    ['a dry run leaves a note', 'if (!order.isDryRun) await tools.keep', 'await tools.keep', NAME],
    ['the budget does not end', 'const isOver = left <= 0', 'const isOver = left < 0', NAME],
  ]),
  ...inFile('src/controllers/fix/node/decide-restart.ts', [
    ['a Node that is back is no reason', 'if (node !== null)', 'if (false)', RESTART],
    ['a stopped machine has a kubelet', "if (state !== 'running')", 'if (false)', RESTART],
    ['a command is repeated', 'if (before !== undefined)', 'if (false)', RESTART],
    ['a failed command counts', '!ENDED_BADLY.test(status) && ', '', RESTART],
    ['a command counts for ever', ' && nowMs - requestedMs < SETTLES_MS', '', RESTART],
    ['any content is run', 'if (document.isOurs) return null;', 'return null;', RESTART],
    ['a lost agent answers', "if (agent?.ping !== 'Online')", 'if (agent === null)', RESTART],
  ]),
  ...inFile('src/controllers/fix/node/restart-kubelet.ts', [
    [
      'a command of others is its own',
      'commands.find(({ comment }) => comment === commentOf(restart))',
      'commands.at(-1)',
      RESTART,
    ],
    [
      'what a command says of its failure is lost',
      "['StandardOutputContent', 'StandardErrorContent'].map(",
      "['StandardOutputContent', 'StandardOutputContent'].map(",
      RESTART,
    ],
    ['a failed command is done', "end?.status === 'Success'", 'end !== null', RESTART],
  ]),
  ...inFile('src/controllers/fix/node/decide-replace.ts', [
    ['a budget does not matter', 'covered.length > allowed', 'false', REPLACE],
    ['a Pod of nobody ends', 'if (lost !== null)', 'if (false)', REPLACE],
    ['a protected Pod ends', 'protectedBy !== null && !isLeaving', 'false', REPLACE],
    ['a machine of nobody ends', 'if (member === null)', 'if (false)', REPLACE],
    ['protection does not matter', 'if (isProtected)', 'if (false)', REPLACE],
    ['nobody launches another', 'if (stopped === undefined)', 'if (true)', REPLACE],
    ['a Ready Node is no end', 'isOverOnceReady && node?.isReady === true', 'false', REPLACE],
    ['another instance ends', 'if (node.instanceId !== instanceId)', 'if (false)', REPLACE],
    ['the control plane ends', 'return node.isControlPlane', 'return false', REPLACE],
  ]),
  ...inFile('src/controllers/fix/node/replace-machine.ts', [
    [
      'the group becomes smaller',
      'ShouldDecrementDesiredCapacity: false',
      'ShouldDecrementDesiredCapacity: true',
      REPLACE,
    ],
    [
      'a newer NodeClaim is deleted',
      "requires: 'same-version'",
      "requires: 'same-object'",
      REPLACE,
    ],
    [
      'a dry run ends it',
      "if (order.isDryRun && decision.do === 'terminate')",
      'if (false)',
      REPLACE,
    ],
  ]),
  ...inFile('src/controllers/fix/node/fix-node.ts', [
    ['the next one does not wait', 'if (stuck !== null)', 'if (false)', REPLACE],
    ['the budget does not end', 'return left > 0 ?', 'return left >= 0 ?', RESTART],
  ]),
  ...inFile('src/controllers/fix/cni/decide.ts', [
    [
      'old releases get prefixes',
      'isAtLeast(mode.cniVersion, PREFIX_SINCE) !== true',
      'false',
      CNI,
    ],
    ['types without prefixes get them', 'after > before)', 'after >= before)', CNI],
    [
      'a full subnet gives blocks',
      'if (free >= PREFIX_ADDRESSES) return null;',
      'return null;',
      CNI,
    ],
    ['custom networking does not matter', 'if (isCustom)', 'if (false)', CNI],
    ['a minimum makes small types hold more', 'saved.every((count) => count >= 0)', 'true', CNI],
    ['few warm addresses become fewer', 'if (after >= before) continue;', '', CNI],
    ['targets for addresses get one for blocks', 'isOverridden || ', '', CNI],
  ]),
  ...inFile('src/controllers/fix/cni/owner.ts', [
    [
      'an add-on is written to',
      'if (found === null) return',
      'if (found !== undefined) return',
      CNI,
    ],
    ['whoever wrote it does not matter', "&& !managers.includes('eks')", '', CNI],
    ['no writer shown is a manifest', 'managers.length > 0 && ', '', CNI],
    [
      'an add-on of another cluster counts',
      'if (isAnother(server, ',
      'if (false && isAnother(server, ',
      CNI,
    ],
    ['values of the add-on are lost', "if (values.trim() === '')", 'if (true)', CNI],
  ]),
  ...inFile('src/controllers/fix/cni/fix-cni.ts', [
    ['a full subnet gets blocks', 'if (isSubnetFull(machines)) return', 'if (false) return', CNI],
    ['a variable from elsewhere is overwritten', 'if (elsewhere !== null)', 'if (false)', CNI],
    ['a dry run leaves a note', 'if (!order.isDryRun) await tools.keep', 'await tools.keep', CNI],
  ]),
  ...inFile('src/controllers/fix/cni/undo-cni.ts', [
    [
      'what others set since goes',
      '(name) => variableOf(env, name) === textAt(after, name)',
      '() => true',
      CNI,
    ],
    [
      'another DaemonSet is changed',
      "textAt(daemonSet, 'metadata.uid') !== note['uid']",
      'false',
      CNI,
    ],
  ]),
  ...inFile('src/readers/kube/aws-auth-edit.ts', [
    ['an edit is not read again', 'if (after.ok && isEqual(', 'if (after.ok || isEqual(', EDIT],
    [
      'more than the entry goes',
      'list.length === before.list.length - 1 && isOneLess',
      'true',
      EDIT,
    ],
  ]),
];
