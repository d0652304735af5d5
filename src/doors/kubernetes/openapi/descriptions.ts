/** What a type or one of its fields means, null where nothing is said here. */
export function describe(type: string, field?: string): string | null {
  return DESCRIPTIONS.get(field === undefined ? type : `${type}.${field}`) ?? null;
}

/** In our own words, for what is asked most of nodes and of what runs on them. */
const TABLE = `
Node A machine of the cluster, as the API server knows it.
Node.spec What the machine is and what may be put on it.
Node.status What the kubelet and the cloud controller last said of it.
NodeSpec What a machine is and what may be put on it.
NodeSpec.podCIDR First of podCIDRs.
NodeSpec.podCIDRs Address ranges from which pods of this node get theirs, at most one per IP family.
NodeSpec.providerID The machine's name at its cloud, such as aws:///ZONE/INSTANCE. It cannot be changed once it is set.
NodeSpec.taints What keeps pods without a matching toleration away from this node.
NodeSpec.unschedulable True while no new pods are put on this node, as after "kubectl cordon".
NodeSpec.configSource No longer used: where the kubelet's configuration once came from.
NodeSpec.externalID No longer used.
NodeStatus What the kubelet and the cloud controller last said of a machine.
NodeStatus.addresses Names and addresses under which the machine is reached.
NodeStatus.allocatable What of the capacity pods may use.
NodeStatus.capacity What the machine has in all.
NodeStatus.conditions How the node is; the one of type Ready says whether its kubelet works.
NodeStatus.images Container images that the node has already.
NodeStatus.nodeInfo Versions and identifiers of the machine's parts.
NodeStatus.phase No longer used.
NodeStatus.volumesAttached Volumes that are attached to the machine.
NodeStatus.volumesInUse Volumes that pods of the node still use, so that they must not be detached.
NodeStatus.daemonEndpoints Port on which the kubelet listens.
NodeCondition.type Such as Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable.
NodeCondition.status True, False or Unknown.
NodeCondition.reason Why, in one word.
NodeCondition.message Why, in a sentence.
NodeCondition.lastHeartbeatTime When the condition was last confirmed.
NodeCondition.lastTransitionTime When its status last changed.
Taint Keeps pods away from a node unless they tolerate it.
Taint.key Name of the taint, as a label's.
Taint.value Value that belongs to the key; may be empty.
Taint.effect NoSchedule: no new pods; PreferNoSchedule: new pods only if there is no other place; NoExecute: running pods leave as well.
Taint.timeAdded When it was put there; set for NoExecute alone.
Toleration Lets a pod onto nodes with matching taints.
Toleration.key Of the taint; empty with the operator Exists for all of them.
Toleration.operator Equal compares the value; Exists takes any.
Toleration.value Of the taint.
Toleration.effect Of the taint; empty for all.
Toleration.tolerationSeconds How long a pod stays on a node after a NoExecute taint came; for ever when not set.
Pod Containers that run together on one node.
Pod.spec What is to run, and where it may.
Pod.status What runs, as the kubelet last said.
PodSpec What is to run, and where it may.
PodSpec.activeDeadlineSeconds Time after which the pod is failed.
PodSpec.affinity Which nodes and neighbours the pod wants, and which it avoids.
PodSpec.automountServiceAccountToken False keeps the service account's token out of the containers.
PodSpec.containers What runs in the pod; there is at least one.
PodSpec.dnsPolicy Whose resolver the containers use.
PodSpec.hostNetwork True to use the machine's own network.
PodSpec.initContainers What runs, one after the other, before the containers do.
PodSpec.nodeName The node on which the pod runs; the scheduler sets it.
PodSpec.nodeSelector Labels that a node must have.
PodSpec.priority The higher, the sooner it is scheduled; set from its class.
PodSpec.priorityClassName Name of the class from which the priority comes.
PodSpec.readinessGates Conditions besides those of the containers that must hold before the pod is ready.
PodSpec.restartPolicy Always, OnFailure or Never.
PodSpec.schedulerName Which scheduler places the pod.
PodSpec.securityContext Users, groups and rights of all containers.
PodSpec.serviceAccountName As whom the pod asks the API server.
PodSpec.terminationGracePeriodSeconds Time that the containers have to end by themselves; 30 when not set.
PodSpec.tolerations Taints that do not keep the pod away.
PodSpec.topologySpreadConstraints How evenly pods are spread over zones or nodes.
PodSpec.volumes What containers may mount.
PodStatus.phase Pending, Running, Succeeded, Failed or Unknown.
PodStatus.conditions How far the pod is; the one of type Ready says whether it serves.
PodStatus.containerStatuses How each container is.
PodStatus.initContainerStatuses How each init container is.
PodStatus.podIP First of podIPs.
PodStatus.podIPs Addresses of the pod, at most one per IP family.
PodStatus.hostIP Address of the node.
PodStatus.startTime When the kubelet accepted the pod.
PodStatus.reason Why the pod is as it is, in one word, such as Evicted.
Container.name Unique in its pod.
Container.image What is run.
Container.imagePullPolicy Always, IfNotPresent or Never.
Container.command Replaces the entry point of the image.
Container.args Arguments of the command.
Container.env Variables of the environment.
Container.ports Ports that the container opens.
Container.resources How much of the node it may use and how much is kept for it.
Container.livenessProbe Restarts the container when it fails.
Container.readinessProbe Keeps requests away while it fails.
Container.startupProbe Holds the other probes back until it succeeds.
Container.lifecycle What is called after the start and before the end.
Container.volumeMounts Where volumes appear in its file system.
Container.securityContext User and rights of the process.
ResourceRequirements.limits The most it may use.
ResourceRequirements.requests What the scheduler keeps for it.
ObjectMeta What every object has: its name, its labels, and who may delete it.
ObjectMeta.name Unique among objects of its kind in its namespace; cannot be changed.
ObjectMeta.namespace Where the object is; empty for kinds without namespaces.
ObjectMeta.labels Short marks by which objects are selected.
ObjectMeta.annotations Notes that nothing selects by.
ObjectMeta.uid Unique in time and place: an object that is made anew has another one.
ObjectMeta.resourceVersion Changes with every write; a write that names an old one is refused.
ObjectMeta.generation Counts the changes of what is wanted.
ObjectMeta.generateName Beginning of a name to which the server adds five characters.
ObjectMeta.creationTimestamp When the object was made.
ObjectMeta.deletionTimestamp When the object is to be gone; set by the server when it is deleted.
ObjectMeta.deletionGracePeriodSeconds How long before that the deletion was asked for.
ObjectMeta.finalizers What must be done before the object goes; it stays until the list is empty.
ObjectMeta.ownerReferences Objects with which this one goes.
ObjectMeta.managedFields Who wrote which field.
Lease A small object whose holder renews it to show that it is alive.
LeaseSpec.holderIdentity Who holds it; for a node its own name.
LeaseSpec.leaseDurationSeconds How long it holds after the last renewal.
LeaseSpec.renewTime When it was last renewed.
LeaseSpec.acquireTime When its holder took it.
LeaseSpec.leaseTransitions How often it went from one holder to another.
DaemonSet Keeps one pod on every node that suits it.
DaemonSetSpec.selector Which pods are its own; cannot be changed.
DaemonSetSpec.template What each pod is made from.
DaemonSetSpec.updateStrategy How pods are replaced when the template changes.
DaemonSetStatus.desiredNumberScheduled Nodes that should run its pod.
DaemonSetStatus.currentNumberScheduled Nodes that run its pod and should.
DaemonSetStatus.numberReady Nodes whose pod is ready.
DaemonSetStatus.numberMisscheduled Nodes that run its pod and should not.
Deployment Keeps a number of equal pods, and replaces them step by step.
DeploymentSpec.replicas How many pods there should be.
PodDisruptionBudget Limits how many pods of a set may be evicted at a time.
PodDisruptionBudgetSpec.minAvailable How many must stay, as a number or in per cent.
PodDisruptionBudgetSpec.maxUnavailable How many may be missing, as a number or in per cent.
PodDisruptionBudgetStatus.disruptionsAllowed How many may be evicted now.
Event Something that happened to an object, kept for an hour.
Event.involvedObject To what it happened.
Event.reason What happened, in one word.
Event.message What happened, in a sentence.
Event.count How often.
Event.source Which program says so.
CertificateSigningRequest Asks a signer for a certificate.
CertificateSigningRequestSpec.signerName Who is to sign.
CertificateSigningRequestSpec.username Who asks.
CertificateSigningRequestSpec.request The request itself (PKCS#10 in PEM).
ConfigMap Texts and bytes by name, for programs to read.
ConfigMap.data Texts by name.
ConfigMap.binaryData Bytes by name.
ConfigMap.immutable True when it cannot be changed any more.
`;

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), line.slice(space + 1)];
    }),
);
