/**
 * The kinds that the API server serves: group, version, plural, kind, N for namespaced or C for
 * cluster-wide, short names, categories, subresources, and marks, each `-` when there is none.
 * Marks: `g` counts generations, `s` keeps status apart, `u` refuses updates without a version,
 * `c` creates by update, `o` answers a deletion with the object. As kube-apiserver 1.36 lists and
 * treats them.
 */
export const KIND_TABLE = `
core v1 pods Pod N po all status,log,binding,eviction,ephemeralcontainers,resize,exec gso
core v1 nodes Node C no - status,proxy s
core v1 namespaces Namespace C ns - status,finalize s
core v1 configmaps ConfigMap N cm - - -
core v1 secrets Secret N - - - -
core v1 services Service N svc all status,proxy cso
core v1 endpoints Endpoints N ep - - c
core v1 serviceaccounts ServiceAccount N sa - token o
core v1 events Event N ev - - c
core v1 persistentvolumes PersistentVolume C pv - status so
core v1 persistentvolumeclaims PersistentVolumeClaim N pvc - status so
core v1 podtemplates PodTemplate N - - - go
core v1 replicationcontrollers ReplicationController N rc all status,scale gs
core v1 resourcequotas ResourceQuota N quota - status so
core v1 limitranges LimitRange N limits - - c
apps v1 daemonsets DaemonSet N ds all status gs
apps v1 deployments Deployment N deploy all status,scale gs
apps v1 replicasets ReplicaSet N rs all status,scale gs
apps v1 statefulsets StatefulSet N sts all status,scale gs
apps v1 controllerrevisions ControllerRevision N - - - -
batch v1 jobs Job N - all status gs
batch v1 cronjobs CronJob N cj all status gs
policy v1 poddisruptionbudgets PodDisruptionBudget N pdb - status gsu
coordination.k8s.io v1 leases Lease N - - - cu
discovery.k8s.io v1 endpointslices EndpointSlice N - - - g
events.k8s.io v1 events Event N ev - - c
certificates.k8s.io v1 certificatesigningrequests CertificateSigningRequest C csr - approval,status s
rbac.authorization.k8s.io v1 clusterroles ClusterRole C - - - c
rbac.authorization.k8s.io v1 clusterrolebindings ClusterRoleBinding C - - - c
rbac.authorization.k8s.io v1 roles Role N - - - c
rbac.authorization.k8s.io v1 rolebindings RoleBinding N - - - c
apiextensions.k8s.io v1 customresourcedefinitions CustomResourceDefinition C crd,crds api-extensions status gsou
storage.k8s.io v1 storageclasses StorageClass C sc - - o
storage.k8s.io v1 csinodes CSINode C - - - o
storage.k8s.io v1 csidrivers CSIDriver C - - - go
storage.k8s.io v1 volumeattachments VolumeAttachment C - - status so
storage.k8s.io v1 csistoragecapacities CSIStorageCapacity N - - - o
scheduling.k8s.io v1 priorityclasses PriorityClass C pc - - g
node.k8s.io v1 runtimeclasses RuntimeClass C - - - -
networking.k8s.io v1 networkpolicies NetworkPolicy N netpol - - g
networking.k8s.io v1 ingresses Ingress N ing - status gs
networking.k8s.io v1 ingressclasses IngressClass C - - - g
autoscaling v2 horizontalpodautoscalers HorizontalPodAutoscaler N hpa all status s
admissionregistration.k8s.io v1 mutatingwebhookconfigurations MutatingWebhookConfiguration C - api-extensions - gu
admissionregistration.k8s.io v1 validatingwebhookconfigurations ValidatingWebhookConfiguration C - api-extensions - gu
`;
