/** What docs/simulation.md says between its tables. */

export const HOW = `# The simulation

\`rollcall sim\` builds a simulated cluster on AWS from a seed (see \`rollcall lab\`), runs it in virtual
time, injects faults, and looks at it as a user would: through the APIs as \`rollcall diagnose\` does,
and through a pile of dumps, journals and answers with gaps. The simulator knows which faults it
injected, and compares each answer with the truth.

\`\`\`
rollcall sim --seed 7 --hours 2                 one seed
rollcall sim --count 1000                       seeds 1 to 1000
rollcall sim --until-failure --save found.tar.gz   seeds until one fails; save its evidence
rollcall sim --seed 7 --faults F51,F62.2        a class of faults, and the second fault of another
rollcall sim --seed 7 --twin                    again without its faults; compare how both end
rollcall sim --seed 7 --planted P40             with a known mistake in Rollcall
\`\`\`

The seed draws the topology (1 to 60 machines, 1 to 3 zones), releases, pod network, pod identity,
workload, the delay of AWS answers, the share of evidence left out, and a weight for each class of
faults; half of the weights are zero. \`--nodes\`, \`--hours\` and \`--faults\` change one of these and
nothing else, because each draw has its own random stream.

A workload gets its role the way its cluster provides roles. With IRSA and EKS Pod Identity a webhook
adds the settings to each new pod, if it knows the service account by then, and the program asks STS
or the agent on its node, which answer as AWS does. A pod that the webhook missed uses the node role.

A run has two parts. In the CHAOS faults come and go. In the CALM all faults have ended, and liveness
is checked. The same seed gives the same events and the same text: the SHA-256 of both is part of the
output.

Between looks the watchers of Rollcall run in the simulated cluster, on watches that die, lie and
break off. Rules that an event can break are checked at that event: the addresses that a plan promises
(I-25), and the memory, requests and delay of the watchers (I-24, I-32, I-33, L-08). Rules about the
evidence and wording of an answer (I-28 to I-31, L-02, L-04) are checked at each look.

Everything that Rollcall reads contains secrets of 26 kinds: variables, arguments and commands of
containers, ConfigMaps, Secrets, annotations, conditions, events, logs of containers, kubelets and
machines, console output, user data, launch templates, tags, descriptions, and answers of STS and IAM.
I-28 searches all output and saved files for each of them: as it is, in base64 at each of its three
offsets, in hexadecimal, and escaped for JSON and URLs.

With \`--twin\` each seed runs a second time without its faults. After the calm a machine in the same
state as its twin must get the same verdict, unless a cause is named or a gap is reported; and the
watchers may not make many more requests than in the twin. Runs take twice as long.

Each moment is checked through the APIs (\`live\`), through the saved evidence of that look plus the
files of machines that do not work (\`files\`), and through the pile (\`pile\`).

Answers are judged by what was injected. Each fault has the one cause of its effect on a machine, two
if both describe it, and the effects by which it shows; so does each defect in the initial setup. A
cause is true of a machine while its fault lasts, and afterwards as long as the machine shows the
effect and has not recovered. A fault on all machines is true of those that show it, from then on. A
consequence must follow from a true cause or be visible. An effect is not accepted as a cause: if a
kubelet is silent because its clock is wrong, the cause is the clock. If no cause is named, the rank
of the true one among the candidates counts.

A failure is no reason to accept more answers: what the oracle calls wrong stays listed as wrong until
the diagnosis is right. The results also show how strict the oracle is: how many causes it accepts,
and how often it accepts one constant answer or the answers of other seeds.

An exception in the simulator, a fault or an invariant is a failure too (\`thrown\`), and its place is
reported.

A failure is reduced before it is shown: fewer faults, fewer machines and less time, as long as it
fails in the same way. The output shows what happened, what does not hold, one line that repeats it,
and with \`--save\` a file for \`rollcall diagnose\`.`;

export const PLANTED_STORY = `## A planted bug, caught, shrunk and replayed

P24 lets an error in a listener end the watch: what the watcher keeps grows old in silence.
\`rollcall sim --planted P24 --nodes 4 --hours 0.7 --until-failure\` runs until L-08 does not hold: two
minutes after a change it is not in memory. The run is shrunk from several faults on four machines to
one fault on one machine, its line printed, and that line fails in the same way again; without the bug
it holds. \`test/sim/planted.test.ts\` does this for every bug that can be planted, each in a cheap seed
(\`src/sim/planted/seeds.ts\`), and the results below list what caught them.`;

export const CONTROLLERS = `## Controllers

The program of \`rollcall controller\` runs in the simulator unchanged, in one or two replicas that
share a Lease and a recorder. Its world is small, an API server with one to four Nodes that a script
moves, so that a seed takes a tenth of a second. \`npm test\` runs a thousand of them; every change of
the program changes their course. A seed covers 35 s of chaos and 42 s of calm. A program can be
killed or stand still wherever it waits: at each request, answer, event, append and timer. All that
it writes is compared with the true state. After the calm its store, the reports and a fresh look
must be the same.

\`\`\`
node tools/simulation-controllers.ts --from 7 --seeds 1             one seed
node tools/simulation-controllers.ts --case 'write 3 lost-answer'   one call that goes wrong
node tools/simulation-controllers.ts --from 1 --seeds 1 --planted P9  with a known mistake
\`\`\`

Besides seeds each call of a quiet run goes wrong in each way, one run for each: every write with a
crash before or after it, a lost request or answer, a second delivery, or a pause longer than a Lease;
every event skipped, late or repeated; every read stale; every append of the recorder likewise. Each
run must end as the quiet one does. What came of it, and what catches each planted bug:
[simulation-controllers.md](simulation-controllers.md).`;

export const JOINS = `## Joins

\`rollcall join\` runs unchanged as the command of simulated machines. Two sets of runs judge it by what
is true in its world: drawn worlds, in which the same machine joins by user data alone, by a shell loop
and by \`rollcall join\`; and small worlds in which each call of its ports goes wrong once: the program
is killed before, during or after the call, the machine loses power, or the answer is lost. What came
of it: [simulation-joins.md](simulation-joins.md).`;

export const JANITOR = `## Leaked interfaces

\`rollcall controller --eni-janitor delete\` runs in a small account for three virtual hours, in one
or two replicas that share a Lease. The CNI makes interfaces that are used late, lose their instance,
belong to another cluster, or lack one proof. Each deletion is compared with the true state: the
interface is free, ours and old, its instance and Node are gone, two whole looks and a reading came
before (I-20 to I-22), and what is leaked goes (L-06).

F57: the subnet has no address left. F58: later pages of a list fail, interfaces are made and not
attached, stay detaching, or are refused as in use while they are free. F59: what was just read is
attached to another instance before it is deleted.

\`\`\`
node tools/simulation-janitor.ts --from 1 --seeds 300            seeds, and what they counted
node tools/simulation-janitor.ts --from 7 --seeds 1 --lines      one seed, line by line
node tools/simulation-janitor.ts --planted P23                   the quiet run with a known mistake
\`\`\`

Besides seeds each call around a deletion goes wrong in each way. Mistakes that are planted between the
janitor and its ports, and what catches them:`;

export const AUTH = `## Lost mappings

\`rollcall controller --auth restore\` runs in one or two replicas that share a Lease, beside people who
overwrite, delete, break, extend and replace aws-auth, for up to two virtual hours. Each write is
compared at the API server with what was there: nothing is lost, narrowed or widened (I-17), the
version is carried and nothing is written where it cannot be read (I-18), and a mapping that machines
miss is back within two minutes (L-05). Access entries that \`rollcall fix auth\` makes are judged in an
account of their own, with each call going wrong in each way (I-19).

\`\`\`
node tools/simulation-auth.ts --from 1 --seeds 300            seeds, and what they counted
node tools/simulation-auth.ts --from 7 --seeds 1 --lines      one seed, line by line
node tools/simulation-auth.ts --planted P22                   the quiet run with a known mistake
\`\`\`

Besides seeds each call around a restoration goes wrong in each way. Mistakes that are planted between
the keeper and its ports, and what catches them:`;

export const GATES = `## Gates

The program of \`rollcall gate\` runs beside machines whose agents really work, fail and come back, and
whose kubelets tell the API so early, late or not at all. Machines reboot, are replaced under their
name, lose the label of their gate, or lose their Node while they run; kubelets restart; agents die for
a second; a DaemonSet is made again under its name, another one is missing; a gate is deleted, one
cannot be read; the clock is set ahead by 8 s and by an hour. Each opening is compared with how long the
agent of the present DaemonSet worked on this machine, in this boot and for this Node (I-01 to I-04),
each write with the taints and labels that were there (I-05, I-07, I-08), and at the end no well node
is shut (L-01) and none is remembered that is gone (I-32).

While a webhook or a policy of admission refuses its writes of Nodes (F08, F70) the rules hold too, and each
gate opens once it no longer does. Gates come, go, get another name and select other nodes while machines
of theirs come, fail or wait for an agent (F31): what one gate held is not open before the next has proof.
For a minute no replica runs, and neither of our admission policies can be evaluated: machines that no gate
is for join, and their Pods come (I-36). A kubelet restarts on a node of a gate for which that counts, and
no Pod comes before everything held for its dwell again (I-01).

Besides drawn faults with two replicas, writes of Nodes go wrong in each way; each event is late by 6 s,
comes twice, or is lost until the next listing; and each read is old, or the last one of its program. One
thing is beyond a gate: what a Pod said before its machine booted, and what is heard of it only afterwards,
looks like something said in the new boot. And all that can happen to one node, one gate and one agent in
eight steps is played, each state once: about 48,000 of each mode. Mistakes that are planted between the gate and its ports, and what
catches them:`;

export const AGENTS = `## Agents

The keeper and the probe of \`rollcall agent\` run on a machine whose way to instance metadata changes:
nothing is redirected, all is, the rule of pods is gone while that of the machine itself stays, or it
is for interfaces that no pod has. The condition of the Node is compared each second with what pods
truly get: it is never \`True\` while they have had the node's role for 15 s (I-02), and it is \`True\`
once they have been kept from it for as long, so that a gate opens (L-01).

The redirect is also made by a program: by that of kiam, which adds its rule before it reaches its server
and takes it away when it ends (P6), and by one that reaches its server first, is ready then, and leaves
its rule. A Pod comes whenever the gate is open, and must get its own role (I-01): with kiam's that holds
where the gate asks for \`MetadataGuarded\`, and not where it asks whether the DaemonSet is ready.

While our two admission policies cannot be evaluated, kubelets register and write as ever (I-36).
Mistakes that are planted in the agent, beside it, and in its policy:`;

export const SLIP_INS = `## Pods that slipped in

The program of \`rollcall gate\` runs in a cluster whose scheduler is faster than it: Pods come to a node
without its taint, beside Pods that have to stay. Each eviction is compared with what the Pod is (I-09,
I-13), how it is asked for (I-10, I-14), the disruption budget (I-11) and those of the gate (I-12, I-35),
and in the end every such Pod is replaced (L-03). Mistakes that are planted between the evictor and its
ports:`;
