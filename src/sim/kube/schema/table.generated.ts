/**
 * The fields of the served kinds as the OpenAPI document of kube-apiserver 1.36.3 lists them; made
 * by test/real/kube-tables.test.ts. One definition a line, each field with the code of its type:
 * s i n b text, integer, number, boolean; q quantity; x integer or text; t u time, microtime; y base64;
 * o anything; @Name object, ! one that is replaced whole, ^ one whose unnamed keys go; <…> map;
 * […] list, = a set, {a+b} keyed by a and b, ~key merged by key in strategic patches.
 */
export const SCHEMA_TABLE = `
AWSElasticBlockStoreVolumeSource fsType:s partition:i readOnly:b volumeID:s
Affinity nodeAffinity:@NodeAffinity podAffinity:@PodAffinity podAntiAffinity:@PodAntiAffinity
AggregationRule clusterRoleSelectors:[@LabelSelector!]
AppArmorProfile localhostProfile:s type:s
AttachedVolume devicePath:s name:s
AzureDiskVolumeSource cachingMode:s diskName:s diskURI:s fsType:s kind:s readOnly:b
AzureFilePersistentVolumeSource readOnly:b secretName:s secretNamespace:s shareName:s
AzureFileVolumeSource readOnly:b secretName:s shareName:s
CSIDriver apiVersion:s kind:s metadata:@ObjectMeta spec:@CSIDriverSpec
CSIDriverSpec attachRequired:b fsGroupPolicy:s nodeAllocatableUpdatePeriodSeconds:i podInfoOnMount:b preventPodSchedulingIfMissing:b requiresRepublish:b seLinuxMount:b serviceAccountTokenInSecrets:b storageCapacity:b tokenRequests:[@TokenRequest] volumeLifecycleModes:[s]=
CSINode apiVersion:s kind:s metadata:@ObjectMeta spec:@CSINodeSpec
CSINodeDriver allocatable:@VolumeNodeResources name:s nodeID:s topologyKeys:[s]
CSINodeSpec drivers:[@CSINodeDriver]{name}~name
CSIPersistentVolumeSource controllerExpandSecretRef:@SecretReference! controllerPublishSecretRef:@SecretReference! driver:s fsType:s nodeExpandSecretRef:@SecretReference! nodePublishSecretRef:@SecretReference! nodeStageSecretRef:@SecretReference! readOnly:b volumeAttributes:<s> volumeHandle:s
CSIStorageCapacity apiVersion:s capacity:q kind:s maximumVolumeSize:q metadata:@ObjectMeta nodeTopology:@LabelSelector! storageClassName:s
CSIVolumeSource driver:s fsType:s nodePublishSecretRef:@LocalObjectReference! readOnly:b volumeAttributes:<s>
Capabilities add:[s] drop:[s]
CephFSPersistentVolumeSource monitors:[s] path:s readOnly:b secretFile:s secretRef:@SecretReference! user:s
CephFSVolumeSource monitors:[s] path:s readOnly:b secretFile:s secretRef:@LocalObjectReference! user:s
CertificateSigningRequest apiVersion:s kind:s metadata:@ObjectMeta spec:@CertificateSigningRequestSpec status:@CertificateSigningRequestStatus
CertificateSigningRequestCondition lastTransitionTime:t lastUpdateTime:t message:s reason:s status:s type:s
CertificateSigningRequestSpec expirationSeconds:i extra:<[s]> groups:[s] request:y signerName:s uid:s usages:[s] username:s
CertificateSigningRequestStatus certificate:y conditions:[@CertificateSigningRequestCondition]{type}
CinderPersistentVolumeSource fsType:s readOnly:b secretRef:@SecretReference! volumeID:s
CinderVolumeSource fsType:s readOnly:b secretRef:@LocalObjectReference! volumeID:s
ClientIPConfig timeoutSeconds:i
ClusterRole aggregationRule:@AggregationRule apiVersion:s kind:s metadata:@ObjectMeta rules:[@PolicyRule]
ClusterRoleBinding apiVersion:s kind:s metadata:@ObjectMeta roleRef:@RoleRef! subjects:[@SubjectOfrbac!]
ClusterTrustBundleProjection labelSelector:@LabelSelector! name:s optional:b path:s signerName:s
Condition lastTransitionTime:t message:s observedGeneration:i reason:s status:s type:s
ConfigMap apiVersion:s binaryData:<y> data:<s> immutable:b kind:s metadata:@ObjectMeta
ConfigMapEnvSource name:s optional:b
ConfigMapKeySelector key:s name:s optional:b
ConfigMapNodeConfigSource kubeletConfigKey:s name:s namespace:s resourceVersion:s uid:s
ConfigMapProjection items:[@KeyToPath] name:s optional:b
ConfigMapVolumeSource defaultMode:i items:[@KeyToPath] name:s optional:b
Container args:[s] command:[s] env:[@EnvVar]{name}~name envFrom:[@EnvFromSource] image:s imagePullPolicy:s lifecycle:@Lifecycle livenessProbe:@Probe name:s ports:[@ContainerPort]{containerPort+protocol}~containerPort readinessProbe:@Probe resizePolicy:[@ContainerResizePolicy] resources:@ResourceRequirements restartPolicy:s restartPolicyRules:[@ContainerRestartRule] securityContext:@SecurityContext startupProbe:@Probe stdin:b stdinOnce:b terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[@VolumeDevice]{devicePath}~devicePath volumeMounts:[@VolumeMount]{mountPath}~mountPath workingDir:s
ContainerExtendedResourceRequest containerName:s requestName:s resourceName:s
ContainerImage names:[s] sizeBytes:i
ContainerPort containerPort:i hostIP:s hostPort:i name:s protocol:s
ContainerResizePolicy resourceName:s restartPolicy:s
ContainerResourceMetricSource container:s name:s target:@MetricTarget
ContainerResourceMetricStatus container:s current:@MetricValueStatus name:s
ContainerRestartRule action:s exitCodes:@ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:s values:[i]=
ContainerState running:@ContainerStateRunning terminated:@ContainerStateTerminated waiting:@ContainerStateWaiting
ContainerStateRunning startedAt:t
ContainerStateTerminated containerID:s exitCode:i finishedAt:t message:s reason:s signal:i startedAt:t
ContainerStateWaiting message:s reason:s
ContainerStatus allocatedResources:<q> allocatedResourcesStatus:[@ResourceStatus]{name}~name containerID:s image:s imageID:s lastState:@ContainerState name:s ready:b resources:@ResourceRequirements restartCount:i started:b state:@ContainerState stopSignal:s user:@ContainerUser volumeMounts:[@VolumeMountStatus]{mountPath}~mountPath
ContainerUser linux:@LinuxContainerUser
ControllerRevision apiVersion:s data:o kind:s metadata:@ObjectMeta revision:i
CronJob apiVersion:s kind:s metadata:@ObjectMeta spec:@CronJobSpec status:@CronJobStatus
CronJobSpec concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate:@JobTemplateSpec schedule:s startingDeadlineSeconds:i successfulJobsHistoryLimit:i suspend:b timeZone:s
CronJobStatus active:[@ObjectReference!] lastScheduleTime:t lastSuccessfulTime:t
CrossVersionObjectReference apiVersion:s kind:s name:s
CustomResourceColumnDefinition description:s format:s jsonPath:s name:s priority:i type:s
CustomResourceConversion strategy:s webhook:@WebhookConversion
CustomResourceDefinition apiVersion:s kind:s metadata:@ObjectMeta spec:@CustomResourceDefinitionSpec status:@CustomResourceDefinitionStatus
CustomResourceDefinitionCondition lastTransitionTime:t message:s observedGeneration:i reason:s status:s type:s
CustomResourceDefinitionNames categories:[s] kind:s listKind:s plural:s shortNames:[s] singular:s
CustomResourceDefinitionSpec conversion:@CustomResourceConversion group:s names:@CustomResourceDefinitionNames preserveUnknownFields:b scope:s versions:[@CustomResourceDefinitionVersion]
CustomResourceDefinitionStatus acceptedNames:@CustomResourceDefinitionNames conditions:[@CustomResourceDefinitionCondition]{type} observedGeneration:i storedVersions:[s]
CustomResourceDefinitionVersion additionalPrinterColumns:[@CustomResourceColumnDefinition] deprecated:b deprecationWarning:s name:s schema:@CustomResourceValidation selectableFields:[@SelectableField] served:b storage:b subresources:@CustomResourceSubresources
CustomResourceSubresourceScale labelSelectorPath:s specReplicasPath:s statusReplicasPath:s
CustomResourceSubresources scale:@CustomResourceSubresourceScale status:o
CustomResourceValidation openAPIV3Schema:@JSONSchemaProps
DaemonEndpoint Port:i
DaemonSet apiVersion:s kind:s metadata:@ObjectMeta spec:@DaemonSetSpec status:@DaemonSetStatus
DaemonSetCondition lastTransitionTime:t message:s reason:s status:s type:s
DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector:@LabelSelector! template:@PodTemplateSpec updateStrategy:@DaemonSetUpdateStrategy
DaemonSetStatus collisionCount:i conditions:[@DaemonSetCondition]{type}~type currentNumberScheduled:i desiredNumberScheduled:i numberAvailable:i numberMisscheduled:i numberReady:i numberUnavailable:i observedGeneration:i updatedNumberScheduled:i
DaemonSetUpdateStrategy rollingUpdate:@RollingUpdateDaemonSet type:s
Deployment apiVersion:s kind:s metadata:@ObjectMeta spec:@DeploymentSpec status:@DeploymentStatus
DeploymentCondition lastTransitionTime:t lastUpdateTime:t message:s reason:s status:s type:s
DeploymentSpec minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector:@LabelSelector! strategy:@DeploymentStrategy^ template:@PodTemplateSpec
DeploymentStatus availableReplicas:i collisionCount:i conditions:[@DeploymentCondition]{type}~type observedGeneration:i readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i
DeploymentStrategy rollingUpdate:@RollingUpdateDeployment type:s
DownwardAPIProjection items:[@DownwardAPIVolumeFile]
DownwardAPIVolumeFile fieldRef:@ObjectFieldSelector! mode:i path:s resourceFieldRef:@ResourceFieldSelector!
DownwardAPIVolumeSource defaultMode:i items:[@DownwardAPIVolumeFile]
EmptyDirVolumeSource medium:s sizeLimit:q
Endpoint addresses:[s]= conditions:@EndpointConditions deprecatedTopology:<s> hints:@EndpointHints hostname:s nodeName:s targetRef:@ObjectReference! zone:s
EndpointAddress hostname:s ip:s nodeName:s targetRef:@ObjectReference!
EndpointConditions ready:b serving:b terminating:b
EndpointHints forNodes:[@ForNode] forZones:[@ForZone]
EndpointPort appProtocol:s name:s port:i protocol:s
EndpointSlice addressType:s apiVersion:s endpoints:[@Endpoint] kind:s metadata:@ObjectMeta ports:[@EndpointPort!]
EndpointSubset addresses:[@EndpointAddress!] notReadyAddresses:[@EndpointAddress!] ports:[@EndpointPort!]
Endpoints apiVersion:s kind:s metadata:@ObjectMeta subsets:[@EndpointSubset]
EnvFromSource configMapRef:@ConfigMapEnvSource prefix:s secretRef:@SecretEnvSource
EnvVar name:s value:s valueFrom:@EnvVarSource
EnvVarSource configMapKeyRef:@ConfigMapKeySelector! fieldRef:@ObjectFieldSelector! fileKeyRef:@FileKeySelector! resourceFieldRef:@ResourceFieldSelector! secretKeyRef:@SecretKeySelector!
EphemeralContainer args:[s] command:[s] env:[@EnvVar]{name}~name envFrom:[@EnvFromSource] image:s imagePullPolicy:s lifecycle:@Lifecycle livenessProbe:@Probe name:s ports:[@ContainerPort]{containerPort+protocol}~containerPort readinessProbe:@Probe resizePolicy:[@ContainerResizePolicy] resources:@ResourceRequirements restartPolicy:s restartPolicyRules:[@ContainerRestartRule] securityContext:@SecurityContext startupProbe:@Probe stdin:b stdinOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[@VolumeDevice]{devicePath}~devicePath volumeMounts:[@VolumeMount]{mountPath}~mountPath workingDir:s
EphemeralVolumeSource volumeClaimTemplate:@PersistentVolumeClaimTemplate
Event action:s apiVersion:s count:i eventTime:u firstTimestamp:t involvedObject:@ObjectReference! kind:s lastTimestamp:t message:s metadata:@ObjectMeta reason:s related:@ObjectReference! reportingComponent:s reportingInstance:s series:@EventSeries source:@EventSource type:s
EventOfevents action:s apiVersion:s deprecatedCount:i deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedSource:@EventSource eventTime:u kind:s metadata:@ObjectMeta note:s reason:s regarding:@ObjectReference! related:@ObjectReference! reportingController:s reportingInstance:s series:@EventSeriesOfevents type:s
EventSeries count:i lastObservedTime:u
EventSeriesOfevents count:i lastObservedTime:u
EventSource component:s host:s
ExecAction command:[s]
ExternalDocumentation description:s url:s
ExternalMetricSource metric:@MetricIdentifier target:@MetricTarget
ExternalMetricStatus current:@MetricValueStatus metric:@MetricIdentifier
FCVolumeSource fsType:s lun:i readOnly:b targetWWNs:[s] wwids:[s]
FileKeySelector key:s optional:b path:s volumeName:s
FlexPersistentVolumeSource driver:s fsType:s options:<s> readOnly:b secretRef:@SecretReference!
FlexVolumeSource driver:s fsType:s options:<s> readOnly:b secretRef:@LocalObjectReference!
FlockerVolumeSource datasetName:s datasetUUID:s
ForNode name:s
ForZone name:s
GCEPersistentDiskVolumeSource fsType:s partition:i pdName:s readOnly:b
GRPCAction port:i service:s
GitRepoVolumeSource directory:s repository:s revision:s
GlusterfsPersistentVolumeSource endpoints:s endpointsNamespace:s path:s readOnly:b
GlusterfsVolumeSource endpoints:s path:s readOnly:b
HPAScalingPolicy periodSeconds:i type:s value:i
HPAScalingRules policies:[@HPAScalingPolicy] selectPolicy:s stabilizationWindowSeconds:i tolerance:q
HTTPGetAction host:s httpHeaders:[@HTTPHeader] path:s port:x scheme:s
HTTPHeader name:s value:s
HTTPIngressPath backend:@IngressBackend path:s pathType:s
HTTPIngressRuleValue paths:[@HTTPIngressPath]
HorizontalPodAutoscaler apiVersion:s kind:s metadata:@ObjectMeta spec:@HorizontalPodAutoscalerSpec status:@HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior scaleDown:@HPAScalingRules scaleUp:@HPAScalingRules
HorizontalPodAutoscalerCondition lastTransitionTime:t message:s reason:s status:s type:s
HorizontalPodAutoscalerSpec behavior:@HorizontalPodAutoscalerBehavior maxReplicas:i metrics:[@MetricSpec] minReplicas:i scaleTargetRef:@CrossVersionObjectReference
HorizontalPodAutoscalerStatus conditions:[@HorizontalPodAutoscalerCondition]{type}~type currentMetrics:[@MetricStatus] currentReplicas:i desiredReplicas:i lastScaleTime:t observedGeneration:i
HostAlias hostnames:[s] ip:s
HostIP ip:s
HostPathVolumeSource path:s type:s
IPBlock cidr:s except:[s]
ISCSIPersistentVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s iscsiInterface:s lun:i portals:[s] readOnly:b secretRef:@SecretReference! targetPortal:s
ISCSIVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s iscsiInterface:s lun:i portals:[s] readOnly:b secretRef:@LocalObjectReference! targetPortal:s
ImageVolumeSource pullPolicy:s reference:s
ImageVolumeStatus imageRef:s
Ingress apiVersion:s kind:s metadata:@ObjectMeta spec:@IngressSpec status:@IngressStatus
IngressBackend resource:@TypedLocalObjectReference! service:@IngressServiceBackend
IngressClass apiVersion:s kind:s metadata:@ObjectMeta spec:@IngressClassSpec
IngressClassParametersReference apiGroup:s kind:s name:s namespace:s scope:s
IngressClassSpec controller:s parameters:@IngressClassParametersReference
IngressLoadBalancerIngress hostname:s ip:s ports:[@IngressPortStatus]
IngressLoadBalancerStatus ingress:[@IngressLoadBalancerIngress]
IngressPortStatus error:s port:i protocol:s
IngressRule host:s http:@HTTPIngressRuleValue
IngressServiceBackend name:s port:@ServiceBackendPort!
IngressSpec defaultBackend:@IngressBackend ingressClassName:s rules:[@IngressRule] tls:[@IngressTLS]
IngressStatus loadBalancer:@IngressLoadBalancerStatus
IngressTLS hosts:[s] secretName:s
JSONSchemaProps $ref:s $schema:s additionalItems:o additionalProperties:o allOf:[@JSONSchemaProps] anyOf:[@JSONSchemaProps] default:o definitions:<@JSONSchemaProps> dependencies:<o> description:s enum:[o] example:o exclusiveMaximum:b exclusiveMinimum:b externalDocs:@ExternalDocumentation format:s id:s items:o maxItems:i maxLength:i maxProperties:i maximum:n minItems:i minLength:i minProperties:i minimum:n multipleOf:n not:@JSONSchemaProps nullable:b oneOf:[@JSONSchemaProps] pattern:s patternProperties:<@JSONSchemaProps> properties:<@JSONSchemaProps> required:[s] title:s type:s uniqueItems:b x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[s] x-kubernetes-list-type:s x-kubernetes-map-type:s x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:[@ValidationRule]{rule}~rule
Job apiVersion:s kind:s metadata:@ObjectMeta spec:@JobSpec status:@JobStatus
JobCondition lastProbeTime:t lastTransitionTime:t message:s reason:s status:s type:s
JobSpec activeDeadlineSeconds:i backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:@PodFailurePolicy podReplacementPolicy:s selector:@LabelSelector! successPolicy:@SuccessPolicy suspend:b template:@PodTemplateSpec ttlSecondsAfterFinished:i
JobStatus active:i completedIndexes:s completionTime:t conditions:[@JobCondition]~type failed:i failedIndexes:s ready:i startTime:t succeeded:i terminating:i uncountedTerminatedPods:@UncountedTerminatedPods
JobTemplateSpec metadata:@ObjectMeta spec:@JobSpec
KeyToPath key:s mode:i path:s
LabelSelector matchExpressions:[@LabelSelectorRequirement] matchLabels:<s>
LabelSelectorRequirement key:s operator:s values:[s]
Lease apiVersion:s kind:s metadata:@ObjectMeta spec:@LeaseSpec
LeaseSpec acquireTime:u holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:u strategy:s
Lifecycle postStart:@LifecycleHandler preStop:@LifecycleHandler stopSignal:s
LifecycleHandler exec:@ExecAction httpGet:@HTTPGetAction sleep:@SleepAction tcpSocket:@TCPSocketAction
LimitRange apiVersion:s kind:s metadata:@ObjectMeta spec:@LimitRangeSpec
LimitRangeItem default:<q> defaultRequest:<q> max:<q> maxLimitRequestRatio:<q> min:<q> type:s
LimitRangeSpec limits:[@LimitRangeItem]
LinuxContainerUser gid:i supplementalGroups:[i] uid:i
LoadBalancerIngress hostname:s ip:s ipMode:s ports:[@PortStatus]
LoadBalancerStatus ingress:[@LoadBalancerIngress]
LocalObjectReference name:s
LocalVolumeSource fsType:s path:s
ManagedFieldsEntry apiVersion:s fieldsType:s fieldsV1:o manager:s operation:s subresource:s time:t
MatchCondition expression:s name:s
MetricIdentifier name:s selector:@LabelSelector!
MetricSpec containerResource:@ContainerResourceMetricSource external:@ExternalMetricSource object:@ObjectMetricSource pods:@PodsMetricSource resource:@ResourceMetricSource type:s
MetricStatus containerResource:@ContainerResourceMetricStatus external:@ExternalMetricStatus object:@ObjectMetricStatus pods:@PodsMetricStatus resource:@ResourceMetricStatus type:s
MetricTarget averageUtilization:i averageValue:q type:s value:q
MetricValueStatus averageUtilization:i averageValue:q value:q
ModifyVolumeStatus status:s targetVolumeAttributesClassName:s
MutatingWebhook admissionReviewVersions:[s] clientConfig:@WebhookClientConfig failurePolicy:s matchConditions:[@MatchCondition]{name}~name matchPolicy:s name:s namespaceSelector:@LabelSelector! objectSelector:@LabelSelector! reinvocationPolicy:s rules:[@RuleWithOperations] sideEffects:s timeoutSeconds:i
MutatingWebhookConfiguration apiVersion:s kind:s metadata:@ObjectMeta webhooks:[@MutatingWebhook]{name}~name
NFSVolumeSource path:s readOnly:b server:s
Namespace apiVersion:s kind:s metadata:@ObjectMeta spec:@NamespaceSpec status:@NamespaceStatus
NamespaceCondition lastTransitionTime:t message:s reason:s status:s type:s
NamespaceSpec finalizers:[s]
NamespaceStatus conditions:[@NamespaceCondition]{type}~type phase:s
NetworkPolicy apiVersion:s kind:s metadata:@ObjectMeta spec:@NetworkPolicySpec
NetworkPolicyEgressRule ports:[@NetworkPolicyPort] to:[@NetworkPolicyPeer]
NetworkPolicyIngressRule from:[@NetworkPolicyPeer] ports:[@NetworkPolicyPort]
NetworkPolicyPeer ipBlock:@IPBlock namespaceSelector:@LabelSelector! podSelector:@LabelSelector!
NetworkPolicyPort endPort:i port:x protocol:s
NetworkPolicySpec egress:[@NetworkPolicyEgressRule] ingress:[@NetworkPolicyIngressRule] podSelector:@LabelSelector! policyTypes:[s]
Node apiVersion:s kind:s metadata:@ObjectMeta spec:@NodeSpec status:@NodeStatus
NodeAddress address:s type:s
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[@PreferredSchedulingTerm] requiredDuringSchedulingIgnoredDuringExecution:@NodeSelector!
NodeAllocatableResourceClaimStatus containers:[s]= resourceClaimName:s resources:<q>
NodeCondition lastHeartbeatTime:t lastTransitionTime:t message:s reason:s status:s type:s
NodeConfigSource configMap:@ConfigMapNodeConfigSource
NodeConfigStatus active:@NodeConfigSource assigned:@NodeConfigSource error:s lastKnownGood:@NodeConfigSource
NodeDaemonEndpoints kubeletEndpoint:@DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:b
NodeRuntimeHandler features:@NodeRuntimeHandlerFeatures name:s
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b userNamespaces:b
NodeSelector nodeSelectorTerms:[@NodeSelectorTerm!]
NodeSelectorRequirement key:s operator:s values:[s]
NodeSelectorTerm matchExpressions:[@NodeSelectorRequirement] matchFields:[@NodeSelectorRequirement]
NodeSpec configSource:@NodeConfigSource externalID:s podCIDR:s podCIDRs:[s]=~ providerID:s taints:[@Taint] unschedulable:b
NodeStatus addresses:[@NodeAddress]{type}~type allocatable:<q> capacity:<q> conditions:[@NodeCondition]{type}~type config:@NodeConfigStatus daemonEndpoints:@NodeDaemonEndpoints declaredFeatures:[s] features:@NodeFeatures images:[@ContainerImage] nodeInfo:@NodeSystemInfo phase:s runtimeHandlers:[@NodeRuntimeHandler] volumesAttached:[@AttachedVolume] volumesInUse:[s]
NodeSwapStatus capacity:i
NodeSystemInfo architecture:s bootID:s containerRuntimeVersion:s kernelVersion:s kubeProxyVersion:s kubeletVersion:s machineID:s operatingSystem:s osImage:s swap:@NodeSwapStatus systemUUID:s
ObjectFieldSelector apiVersion:s fieldPath:s
ObjectMeta annotations:<s> creationTimestamp:t deletionGracePeriodSeconds:i deletionTimestamp:t finalizers:[s]=~ generateName:s generation:i labels:<s> managedFields:[@ManagedFieldsEntry] name:s namespace:s ownerReferences:[@OwnerReference!]{uid}~uid resourceVersion:s selfLink:s uid:s
ObjectMetricSource describedObject:@CrossVersionObjectReference metric:@MetricIdentifier target:@MetricTarget
ObjectMetricStatus current:@MetricValueStatus describedObject:@CrossVersionObjectReference metric:@MetricIdentifier
ObjectReference apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s
Overhead podFixed:<q>
OwnerReference apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:s
PersistentVolume apiVersion:s kind:s metadata:@ObjectMeta spec:@PersistentVolumeSpec status:@PersistentVolumeStatus
PersistentVolumeClaim apiVersion:s kind:s metadata:@ObjectMeta spec:@PersistentVolumeClaimSpec status:@PersistentVolumeClaimStatus
PersistentVolumeClaimCondition lastProbeTime:t lastTransitionTime:t message:s reason:s status:s type:s
PersistentVolumeClaimSpec accessModes:[s] dataSource:@TypedLocalObjectReference! dataSourceRef:@TypedObjectReference resources:@VolumeResourceRequirements selector:@LabelSelector! storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s
PersistentVolumeClaimStatus accessModes:[s] allocatedResourceStatuses:<s> allocatedResources:<q> capacity:<q> conditions:[@PersistentVolumeClaimCondition]{type}~type currentVolumeAttributesClassName:s modifyVolumeStatus:@ModifyVolumeStatus phase:s
PersistentVolumeClaimTemplate metadata:@ObjectMeta spec:@PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName:s readOnly:b
PersistentVolumeSpec accessModes:[s] awsElasticBlockStore:@AWSElasticBlockStoreVolumeSource azureDisk:@AzureDiskVolumeSource azureFile:@AzureFilePersistentVolumeSource capacity:<q> cephfs:@CephFSPersistentVolumeSource cinder:@CinderPersistentVolumeSource claimRef:@ObjectReference! csi:@CSIPersistentVolumeSource fc:@FCVolumeSource flexVolume:@FlexPersistentVolumeSource flocker:@FlockerVolumeSource gcePersistentDisk:@GCEPersistentDiskVolumeSource glusterfs:@GlusterfsPersistentVolumeSource hostPath:@HostPathVolumeSource iscsi:@ISCSIPersistentVolumeSource local:@LocalVolumeSource mountOptions:[s] nfs:@NFSVolumeSource nodeAffinity:@VolumeNodeAffinity persistentVolumeReclaimPolicy:s photonPersistentDisk:@PhotonPersistentDiskVolumeSource portworxVolume:@PortworxVolumeSource quobyte:@QuobyteVolumeSource rbd:@RBDPersistentVolumeSource scaleIO:@ScaleIOPersistentVolumeSource storageClassName:s storageos:@StorageOSPersistentVolumeSource volumeAttributesClassName:s volumeMode:s vsphereVolume:@VsphereVirtualDiskVolumeSource
PersistentVolumeStatus lastPhaseTransitionTime:t message:s phase:s reason:s
PhotonPersistentDiskVolumeSource fsType:s pdID:s
Pod apiVersion:s kind:s metadata:@ObjectMeta spec:@PodSpec status:@PodStatus
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[@WeightedPodAffinityTerm] requiredDuringSchedulingIgnoredDuringExecution:[@PodAffinityTerm]
PodAffinityTerm labelSelector:@LabelSelector! matchLabelKeys:[s] mismatchLabelKeys:[s] namespaceSelector:@LabelSelector! namespaces:[s] topologyKey:s
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[@WeightedPodAffinityTerm] requiredDuringSchedulingIgnoredDuringExecution:[@PodAffinityTerm]
PodCertificateProjection certificateChainPath:s credentialBundlePath:s keyPath:s keyType:s maxExpirationSeconds:i signerName:s userAnnotations:<s>
PodCondition lastProbeTime:t lastTransitionTime:t message:s observedGeneration:i reason:s status:s type:s
PodDNSConfig nameservers:[s] options:[@PodDNSConfigOption] searches:[s]
PodDNSConfigOption name:s value:s
PodDisruptionBudget apiVersion:s kind:s metadata:@ObjectMeta spec:@PodDisruptionBudgetSpec status:@PodDisruptionBudgetStatus
PodDisruptionBudgetSpec maxUnavailable:x minAvailable:x selector:@LabelSelector! unhealthyPodEvictionPolicy:s
PodDisruptionBudgetStatus conditions:[@Condition]{type}~type currentHealthy:i desiredHealthy:i disruptedPods:<t> disruptionsAllowed:i expectedPods:i observedGeneration:i
PodExtendedResourceClaimStatus requestMappings:[@ContainerExtendedResourceRequest] resourceClaimName:s
PodFailurePolicy rules:[@PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement containerName:s operator:s values:[i]=
PodFailurePolicyOnPodConditionsPattern status:s type:s
PodFailurePolicyRule action:s onExitCodes:@PodFailurePolicyOnExitCodesRequirement onPodConditions:[@PodFailurePolicyOnPodConditionsPattern]
PodIP ip:s
PodOS name:s
PodReadinessGate conditionType:s
PodResourceClaim name:s resourceClaimName:s resourceClaimTemplateName:s
PodResourceClaimStatus name:s resourceClaimName:s
PodSchedulingGate name:s
PodSchedulingGroup podGroupName:s
PodSecurityContext appArmorProfile:@AppArmorProfile fsGroup:i fsGroupChangePolicy:s runAsGroup:i runAsNonRoot:b runAsUser:i seLinuxChangePolicy:s seLinuxOptions:@SELinuxOptions seccompProfile:@SeccompProfile supplementalGroups:[i] supplementalGroupsPolicy:s sysctls:[@Sysctl] windowsOptions:@WindowsSecurityContextOptions
PodSpec activeDeadlineSeconds:i affinity:@Affinity automountServiceAccountToken:b containers:[@Container]{name}~name dnsConfig:@PodDNSConfig dnsPolicy:s enableServiceLinks:b ephemeralContainers:[@EphemeralContainer]{name}~name hostAliases:[@HostAlias]{ip}~ip hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:[@LocalObjectReference!]{name}~name initContainers:[@Container]{name}~name nodeName:s nodeSelector:<s>! os:@PodOS overhead:<q> preemptionPolicy:s priority:i priorityClassName:s readinessGates:[@PodReadinessGate] resourceClaims:[@PodResourceClaim]{name}~name^ resources:@ResourceRequirements restartPolicy:s runtimeClassName:s schedulerName:s schedulingGates:[@PodSchedulingGate]{name}~name schedulingGroup:@PodSchedulingGroup securityContext:@PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:i tolerations:[@Toleration] topologySpreadConstraints:[@TopologySpreadConstraint]{topologyKey+whenUnsatisfiable}~topologyKey volumes:[@Volume]{name}~name^
PodStatus allocatedResources:<q> conditions:[@PodCondition]{type}~type containerStatuses:[@ContainerStatus] ephemeralContainerStatuses:[@ContainerStatus] extendedResourceClaimStatus:@PodExtendedResourceClaimStatus hostIP:s hostIPs:[@HostIP]~ip initContainerStatuses:[@ContainerStatus] message:s nodeAllocatableResourceClaimStatuses:[@NodeAllocatableResourceClaimStatus] nominatedNodeName:s observedGeneration:i phase:s podIP:s podIPs:[@PodIP]{ip}~ip qosClass:s reason:s resize:s resourceClaimStatuses:[@PodResourceClaimStatus]{name}~name^ resources:@ResourceRequirements startTime:t
PodTemplate apiVersion:s kind:s metadata:@ObjectMeta template:@PodTemplateSpec
PodTemplateSpec metadata:@ObjectMeta spec:@PodSpec
PodsMetricSource metric:@MetricIdentifier target:@MetricTarget
PodsMetricStatus current:@MetricValueStatus metric:@MetricIdentifier
PolicyRule apiGroups:[s] nonResourceURLs:[s] resourceNames:[s] resources:[s] verbs:[s]
PortStatus error:s port:i protocol:s
PortworxVolumeSource fsType:s readOnly:b volumeID:s
PreferredSchedulingTerm preference:@NodeSelectorTerm! weight:i
PriorityClass apiVersion:s description:s globalDefault:b kind:s metadata:@ObjectMeta preemptionPolicy:s value:i
Probe exec:@ExecAction failureThreshold:i grpc:@GRPCAction httpGet:@HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i tcpSocket:@TCPSocketAction terminationGracePeriodSeconds:i timeoutSeconds:i
ProjectedVolumeSource defaultMode:i sources:[@VolumeProjection]
QuobyteVolumeSource group:s readOnly:b registry:s tenant:s user:s volume:s
RBDPersistentVolumeSource fsType:s image:s keyring:s monitors:[s] pool:s readOnly:b secretRef:@SecretReference! user:s
RBDVolumeSource fsType:s image:s keyring:s monitors:[s] pool:s readOnly:b secretRef:@LocalObjectReference! user:s
ReplicaSet apiVersion:s kind:s metadata:@ObjectMeta spec:@ReplicaSetSpec status:@ReplicaSetStatus
ReplicaSetCondition lastTransitionTime:t message:s reason:s status:s type:s
ReplicaSetSpec minReadySeconds:i replicas:i selector:@LabelSelector! template:@PodTemplateSpec
ReplicaSetStatus availableReplicas:i conditions:[@ReplicaSetCondition]{type}~type fullyLabeledReplicas:i observedGeneration:i readyReplicas:i replicas:i terminatingReplicas:i
ReplicationController apiVersion:s kind:s metadata:@ObjectMeta spec:@ReplicationControllerSpec status:@ReplicationControllerStatus
ReplicationControllerCondition lastTransitionTime:t message:s reason:s status:s type:s
ReplicationControllerSpec minReadySeconds:i replicas:i selector:<s>! template:@PodTemplateSpec
ReplicationControllerStatus availableReplicas:i conditions:[@ReplicationControllerCondition]{type}~type fullyLabeledReplicas:i observedGeneration:i readyReplicas:i replicas:i
ResourceClaim name:s request:s
ResourceFieldSelector containerName:s divisor:q resource:s
ResourceHealth health:s message:s resourceID:s
ResourceMetricSource name:s target:@MetricTarget
ResourceMetricStatus current:@MetricValueStatus name:s
ResourceQuota apiVersion:s kind:s metadata:@ObjectMeta spec:@ResourceQuotaSpec status:@ResourceQuotaStatus
ResourceQuotaSpec hard:<q> scopeSelector:@ScopeSelector! scopes:[s]
ResourceQuotaStatus hard:<q> used:<q>
ResourceRequirements claims:[@ResourceClaim]{name} limits:<q> requests:<q>
ResourceStatus name:s resources:[@ResourceHealth]{resourceID}
Role apiVersion:s kind:s metadata:@ObjectMeta rules:[@PolicyRule]
RoleBinding apiVersion:s kind:s metadata:@ObjectMeta roleRef:@RoleRef! subjects:[@SubjectOfrbac!]
RoleRef apiGroup:s kind:s name:s
RollingUpdateDaemonSet maxSurge:x maxUnavailable:x
RollingUpdateDeployment maxSurge:x maxUnavailable:x
RollingUpdateStatefulSetStrategy maxUnavailable:x partition:i
RuleWithOperations apiGroups:[s] apiVersions:[s] operations:[s] resources:[s] scope:s
RuntimeClass apiVersion:s handler:s kind:s metadata:@ObjectMeta overhead:@Overhead scheduling:@Scheduling
SELinuxOptions level:s role:s type:s user:s
ScaleIOPersistentVolumeSource fsType:s gateway:s protectionDomain:s readOnly:b secretRef:@SecretReference! sslEnabled:b storageMode:s storagePool:s system:s volumeName:s
ScaleIOVolumeSource fsType:s gateway:s protectionDomain:s readOnly:b secretRef:@LocalObjectReference! sslEnabled:b storageMode:s storagePool:s system:s volumeName:s
Scheduling nodeSelector:<s>! tolerations:[@Toleration]
ScopeSelector matchExpressions:[@ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement operator:s scopeName:s values:[s]
SeccompProfile localhostProfile:s type:s
Secret apiVersion:s data:<y> immutable:b kind:s metadata:@ObjectMeta stringData:<s> type:s
SecretEnvSource name:s optional:b
SecretKeySelector key:s name:s optional:b
SecretProjection items:[@KeyToPath] name:s optional:b
SecretReference name:s namespace:s
SecretVolumeSource defaultMode:i items:[@KeyToPath] optional:b secretName:s
SecurityContext allowPrivilegeEscalation:b appArmorProfile:@AppArmorProfile capabilities:@Capabilities privileged:b procMount:s readOnlyRootFilesystem:b runAsGroup:i runAsNonRoot:b runAsUser:i seLinuxOptions:@SELinuxOptions seccompProfile:@SeccompProfile windowsOptions:@WindowsSecurityContextOptions
SelectableField jsonPath:s
Service apiVersion:s kind:s metadata:@ObjectMeta spec:@ServiceSpec status:@ServiceStatus
ServiceAccount apiVersion:s automountServiceAccountToken:b imagePullSecrets:[@LocalObjectReference!] kind:s metadata:@ObjectMeta secrets:[@ObjectReference!]{name}~name
ServiceAccountTokenProjection audience:s expirationSeconds:i path:s
ServiceBackendPort name:s number:i
ServicePort appProtocol:s name:s nodePort:i port:i protocol:s targetPort:x
ServiceReference name:s namespace:s path:s port:i
ServiceSpec allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[s] externalIPs:[s] externalName:s externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:[s] ipFamilyPolicy:s loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[s] ports:[@ServicePort]{port+protocol}~port publishNotReadyAddresses:b selector:<s>! sessionAffinity:s sessionAffinityConfig:@SessionAffinityConfig trafficDistribution:s type:s
ServiceStatus conditions:[@Condition]{type}~type loadBalancer:@LoadBalancerStatus
SessionAffinityConfig clientIP:@ClientIPConfig
SleepAction seconds:i
StatefulSet apiVersion:s kind:s metadata:@ObjectMeta spec:@StatefulSetSpec status:@StatefulSetStatus
StatefulSetCondition lastTransitionTime:t message:s reason:s status:s type:s
StatefulSetOrdinals start:i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s whenScaled:s
StatefulSetSpec minReadySeconds:i ordinals:@StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:@StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s replicas:i revisionHistoryLimit:i selector:@LabelSelector! serviceName:s template:@PodTemplateSpec updateStrategy:@StatefulSetUpdateStrategy volumeClaimTemplates:[@PersistentVolumeClaim]
StatefulSetStatus availableReplicas:i collisionCount:i conditions:[@StatefulSetCondition]{type}~type currentReplicas:i currentRevision:s observedGeneration:i readyReplicas:i replicas:i updateRevision:s updatedReplicas:i
StatefulSetUpdateStrategy rollingUpdate:@RollingUpdateStatefulSetStrategy type:s
StorageClass allowVolumeExpansion:b allowedTopologies:[@TopologySelectorTerm!] apiVersion:s kind:s metadata:@ObjectMeta mountOptions:[s] parameters:<s> provisioner:s reclaimPolicy:s volumeBindingMode:s
StorageOSPersistentVolumeSource fsType:s readOnly:b secretRef:@ObjectReference! volumeName:s volumeNamespace:s
StorageOSVolumeSource fsType:s readOnly:b secretRef:@LocalObjectReference! volumeName:s volumeNamespace:s
SubjectOfrbac apiGroup:s kind:s name:s namespace:s
SuccessPolicy rules:[@SuccessPolicyRule]
SuccessPolicyRule succeededCount:i succeededIndexes:s
Sysctl name:s value:s
TCPSocketAction host:s port:x
Taint effect:s key:s timeAdded:t value:s
TokenRequest audience:s expirationSeconds:i
Toleration effect:s key:s operator:s tolerationSeconds:i value:s
TopologySelectorLabelRequirement key:s values:[s]
TopologySelectorTerm matchLabelExpressions:[@TopologySelectorLabelRequirement]
TopologySpreadConstraint labelSelector:@LabelSelector! matchLabelKeys:[s] maxSkew:i minDomains:i nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey:s whenUnsatisfiable:s
TypedLocalObjectReference apiGroup:s kind:s name:s
TypedObjectReference apiGroup:s kind:s name:s namespace:s
UncountedTerminatedPods failed:[s]= succeeded:[s]=
ValidatingWebhook admissionReviewVersions:[s] clientConfig:@WebhookClientConfig failurePolicy:s matchConditions:[@MatchCondition]{name}~name matchPolicy:s name:s namespaceSelector:@LabelSelector! objectSelector:@LabelSelector! rules:[@RuleWithOperations] sideEffects:s timeoutSeconds:i
ValidatingWebhookConfiguration apiVersion:s kind:s metadata:@ObjectMeta webhooks:[@ValidatingWebhook]{name}~name
ValidationRule fieldPath:s message:s messageExpression:s optionalOldSelf:b reason:s rule:s
Volume awsElasticBlockStore:@AWSElasticBlockStoreVolumeSource azureDisk:@AzureDiskVolumeSource azureFile:@AzureFileVolumeSource cephfs:@CephFSVolumeSource cinder:@CinderVolumeSource configMap:@ConfigMapVolumeSource csi:@CSIVolumeSource downwardAPI:@DownwardAPIVolumeSource emptyDir:@EmptyDirVolumeSource ephemeral:@EphemeralVolumeSource fc:@FCVolumeSource flexVolume:@FlexVolumeSource flocker:@FlockerVolumeSource gcePersistentDisk:@GCEPersistentDiskVolumeSource gitRepo:@GitRepoVolumeSource glusterfs:@GlusterfsVolumeSource hostPath:@HostPathVolumeSource image:@ImageVolumeSource iscsi:@ISCSIVolumeSource name:s nfs:@NFSVolumeSource persistentVolumeClaim:@PersistentVolumeClaimVolumeSource photonPersistentDisk:@PhotonPersistentDiskVolumeSource portworxVolume:@PortworxVolumeSource projected:@ProjectedVolumeSource quobyte:@QuobyteVolumeSource rbd:@RBDVolumeSource scaleIO:@ScaleIOVolumeSource secret:@SecretVolumeSource storageos:@StorageOSVolumeSource vsphereVolume:@VsphereVirtualDiskVolumeSource
VolumeAttachment apiVersion:s kind:s metadata:@ObjectMeta spec:@VolumeAttachmentSpec status:@VolumeAttachmentStatus
VolumeAttachmentSource inlineVolumeSpec:@PersistentVolumeSpec persistentVolumeName:s
VolumeAttachmentSpec attacher:s nodeName:s source:@VolumeAttachmentSource
VolumeAttachmentStatus attachError:@VolumeError attached:b attachmentMetadata:<s> detachError:@VolumeError
VolumeDevice devicePath:s name:s
VolumeError errorCode:i message:s time:t
VolumeMount mountPath:s mountPropagation:s name:s readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s
VolumeMountStatus mountPath:s name:s readOnly:b recursiveReadOnly:s volumeStatus:@VolumeStatus
VolumeNodeAffinity required:@NodeSelector!
VolumeNodeResources count:i
VolumeProjection clusterTrustBundle:@ClusterTrustBundleProjection configMap:@ConfigMapProjection downwardAPI:@DownwardAPIProjection podCertificate:@PodCertificateProjection secret:@SecretProjection serviceAccountToken:@ServiceAccountTokenProjection
VolumeResourceRequirements limits:<q> requests:<q>
VolumeStatus image:@ImageVolumeStatus
VsphereVirtualDiskVolumeSource fsType:s storagePolicyID:s storagePolicyName:s volumePath:s
WebhookClientConfig caBundle:y service:@ServiceReference url:s
WebhookConversion clientConfig:@WebhookClientConfig conversionReviewVersions:[s]
WeightedPodAffinityTerm podAffinityTerm:@PodAffinityTerm weight:i
WindowsSecurityContextOptions gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s
`;
