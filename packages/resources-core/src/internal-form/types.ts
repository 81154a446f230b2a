/**
 * The original's internal types, as far as errors print them: members in order, `Name=jsonName:type`, where the JSON name is left out when it is
 * the name with a small first letter, and the type when it is a string. `^Type` is a struct whose members stand among the others.
 */
export const internalTypes = {
  AWSElasticBlockStoreVolumeSource: 'VolumeID;FSType=fsType;Partition:int;ReadOnly:bool',
  Affinity: 'NodeAffinity:*NodeAffinity;PodAffinity:*PodAffinity;PodAntiAffinity:*PodAntiAffinity',
  AppArmorProfile: 'Type;LocalhostProfile:*string',
  AzureDiskVolumeSource: 'DiskName;DataDiskURI=diskURI;CachingMode:*string;FSType=fsType:*string;ReadOnly:*bool;Kind:*string',
  AzureFilePersistentVolumeSource: 'SecretName;ShareName;ReadOnly:bool;SecretNamespace:*string',
  AzureFileVolumeSource: 'SecretName;ShareName;ReadOnly:bool',
  CSIPersistentVolumeSource:
    'Driver;VolumeHandle;ReadOnly:bool;FSType=fsType;VolumeAttributes:{}string;ControllerPublishSecretRef:*SecretReference;NodeStageSecretRef:*SecretReference;NodePublishSecretRef:*SecretReference;ControllerExpandSecretRef:*SecretReference;NodeExpandSecretRef:*SecretReference',
  CSIVolumeSource: 'Driver;ReadOnly:*bool;FSType=fsType:*string;VolumeAttributes:{}string;NodePublishSecretRef:*LocalObjectReference',
  Capabilities: 'Add:[]string;Drop:[]string',
  CephFSPersistentVolumeSource: 'Monitors:[]string;Path;User;SecretFile;SecretRef:*SecretReference;ReadOnly:bool',
  CephFSVolumeSource: 'Monitors:[]string;Path;User;SecretFile;SecretRef:*LocalObjectReference;ReadOnly:bool',
  CinderPersistentVolumeSource: 'VolumeID;FSType=fsType;ReadOnly:bool;SecretRef:*SecretReference',
  CinderVolumeSource: 'VolumeID;FSType=fsType;ReadOnly:bool;SecretRef:*LocalObjectReference',
  ClusterTrustBundleProjection: 'Name:*string;SignerName:*string;LabelSelector:*json;Optional:*bool;Path',
  ConfigMapEnvSource: '^LocalObjectReference;Optional:*bool',
  ConfigMapKeySelector: '^LocalObjectReference;Key;Optional:*bool',
  ConfigMapProjection: '^LocalObjectReference;Items:[]KeyToPath;Optional:*bool',
  ConfigMapVolumeSource: '^LocalObjectReference;Items:[]KeyToPath;DefaultMode:*int;Optional:*bool',
  Container:
    'Name;Image;Command:[]string;Args:[]string;WorkingDir;Ports:[]ContainerPort;EnvFrom:[]EnvFromSource;Env:[]EnvVar;Resources:ResourceRequirements;ResizePolicy:[]ContainerResizePolicy;RestartPolicy:*string;RestartPolicyRules:[]ContainerRestartRule;VolumeMounts:[]VolumeMount;VolumeDevices:[]VolumeDevice;LivenessProbe:*Probe;ReadinessProbe:*Probe;StartupProbe:*Probe;Lifecycle:*Lifecycle;TerminationMessagePath;TerminationMessagePolicy;ImagePullPolicy;SecurityContext:*SecurityContext;Stdin:bool;StdinOnce:bool;TTY=tty:bool',
  ContainerPort: 'Name;HostPort:int;ContainerPort:int;Protocol;HostIP',
  ContainerResizePolicy: 'ResourceName;RestartPolicy',
  ContainerRestartRule: 'Action;ExitCodes:*ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'Operator;Values:[]int',
  DownwardAPIProjection: 'Items:[]DownwardAPIVolumeFile',
  DownwardAPIVolumeFile: 'Path;FieldRef:*ObjectFieldSelector;ResourceFieldRef:*ResourceFieldSelector;Mode:*int',
  DownwardAPIVolumeSource: 'Items:[]DownwardAPIVolumeFile;DefaultMode:*int',
  EmptyDirVolumeSource: 'Medium;SizeLimit:*quantity',
  EnvFromSource: 'Prefix;ConfigMapRef:*ConfigMapEnvSource;SecretRef:*SecretEnvSource',
  EnvVar: 'Name;Value;ValueFrom:*EnvVarSource',
  EnvVarSource:
    'FieldRef:*ObjectFieldSelector;ResourceFieldRef:*ResourceFieldSelector;ConfigMapKeyRef:*ConfigMapKeySelector;SecretKeyRef:*SecretKeySelector;FileKeyRef:*FileKeySelector',
  EphemeralContainer: '^EphemeralContainerCommon;TargetContainerName',
  EphemeralContainerCommon:
    'Name;Image;Command:[]string;Args:[]string;WorkingDir;Ports:[]ContainerPort;EnvFrom:[]EnvFromSource;Env:[]EnvVar;Resources:ResourceRequirements;ResizePolicy:[]ContainerResizePolicy;RestartPolicy:*string;RestartPolicyRules:[]ContainerRestartRule;VolumeMounts:[]VolumeMount;VolumeDevices:[]VolumeDevice;LivenessProbe:*Probe;ReadinessProbe:*Probe;StartupProbe:*Probe;Lifecycle:*Lifecycle;TerminationMessagePath;TerminationMessagePolicy;ImagePullPolicy;SecurityContext:*SecurityContext;Stdin:bool;StdinOnce:bool;TTY=tty:bool',
  EphemeralVolumeSource: 'VolumeClaimTemplate:*PersistentVolumeClaimTemplate',
  ExecAction: 'Command:[]string',
  FCVolumeSource: 'TargetWWNs:[]string;Lun:*int;FSType=fsType;ReadOnly:bool;WWIDs=wwids:[]string',
  FileKeySelector: 'VolumeName;Path;Key;Optional:*bool',
  FlexPersistentVolumeSource: 'Driver;FSType=fsType;SecretRef:*SecretReference;ReadOnly:bool;Options:{}string',
  FlexVolumeSource: 'Driver;FSType=fsType;SecretRef:*LocalObjectReference;ReadOnly:bool;Options:{}string',
  FlockerVolumeSource: 'DatasetName;DatasetUUID',
  GCEPersistentDiskVolumeSource: 'PDName=pdName;FSType=fsType;Partition:int;ReadOnly:bool',
  GRPCAction: 'Port:int;Service:*string',
  GitRepoVolumeSource: 'Repository;Revision;Directory',
  GlusterfsPersistentVolumeSource: 'EndpointsName=endpoints;Path;ReadOnly:bool;EndpointsNamespace:*string',
  GlusterfsVolumeSource: 'EndpointsName=endpoints;Path;ReadOnly:bool',
  HTTPGetAction: 'Path;Port:intOrString;Host;Scheme;HTTPHeaders=httpHeaders:[]HTTPHeader',
  HTTPHeader: 'Name;Value',
  HostAlias: 'IP=ip;Hostnames:[]string',
  HostPathVolumeSource: 'Path;Type:*string',
  ISCSIPersistentVolumeSource:
    'TargetPortal;IQN=iqn;Lun:int;ISCSIInterface=iscsiInterface;FSType=fsType;ReadOnly:bool;Portals:[]string;DiscoveryCHAPAuth=chapAuthDiscovery:bool;SessionCHAPAuth=chapAuthSession:bool;SecretRef:*SecretReference;InitiatorName:*string',
  ISCSIVolumeSource:
    'TargetPortal;IQN=iqn;Lun:int;ISCSIInterface=iscsiInterface;FSType=fsType;ReadOnly:bool;Portals:[]string;DiscoveryCHAPAuth=chapAuthDiscovery:bool;SessionCHAPAuth=chapAuthSession:bool;SecretRef:*LocalObjectReference;InitiatorName:*string',
  ImageVolumeSource: 'Reference;PullPolicy',
  KeyToPath: 'Key;Path;Mode:*int',
  Lifecycle: 'PostStart:*LifecycleHandler;PreStop:*LifecycleHandler;StopSignal:*string',
  LifecycleHandler: 'Exec:*ExecAction;HTTPGet=httpGet:*HTTPGetAction;TCPSocket=tcpSocket:*TCPSocketAction;Sleep:*SleepAction',
  LocalObjectReference: 'Name',
  LocalVolumeSource: 'Path;FSType=fsType:*string',
  NFSVolumeSource: 'Server;Path;ReadOnly:bool',
  NodeAddress: 'Type;Address',
  NodeAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector;PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm',
  NodeSelector: 'NodeSelectorTerms:[]NodeSelectorTerm',
  NodeSelectorRequirement: 'Key;Operator;Values:[]string',
  NodeSelectorTerm: 'MatchExpressions:[]NodeSelectorRequirement;MatchFields:[]NodeSelectorRequirement',
  ObjectFieldSelector: 'APIVersion=apiVersion;FieldPath',
  ObjectReference: 'Kind;Namespace;Name;UID=uid;APIVersion=apiVersion;ResourceVersion;FieldPath',
  PersistentVolumeClaimSpec:
    'AccessModes:[]string;Selector:*json;Resources:VolumeResourceRequirements;VolumeName;StorageClassName:*string;VolumeMode:*string;DataSource:*TypedLocalObjectReference;DataSourceRef:*TypedObjectReference;VolumeAttributesClassName:*string',
  PersistentVolumeClaimTemplate: '^metadata;Spec:PersistentVolumeClaimSpec',
  PersistentVolumeClaimVolumeSource: 'ClaimName;ReadOnly:bool',
  PersistentVolumeSource:
    'GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource;AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource;HostPath:*HostPathVolumeSource;Glusterfs:*GlusterfsPersistentVolumeSource;NFS=nfs:*NFSVolumeSource;RBD=rbd:*RBDPersistentVolumeSource;Quobyte:*QuobyteVolumeSource;ISCSI=iscsi:*ISCSIPersistentVolumeSource;FlexVolume:*FlexPersistentVolumeSource;Cinder:*CinderPersistentVolumeSource;CephFS=cephfs:*CephFSPersistentVolumeSource;FC=fc:*FCVolumeSource;Flocker:*FlockerVolumeSource;AzureFile:*AzureFilePersistentVolumeSource;VsphereVolume:*VsphereVirtualDiskVolumeSource;AzureDisk:*AzureDiskVolumeSource;PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource;PortworxVolume:*PortworxVolumeSource;ScaleIO:*ScaleIOPersistentVolumeSource;Local:*LocalVolumeSource;StorageOS=storageos:*StorageOSPersistentVolumeSource;CSI=csi:*CSIPersistentVolumeSource',
  PhotonPersistentDiskVolumeSource: 'PdID;FSType=fsType',
  PodAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm;PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm',
  PodAffinityTerm:
    'LabelSelector:*json;Namespaces:[]string;TopologyKey;NamespaceSelector:*json;MatchLabelKeys:[]string;MismatchLabelKeys:[]string',
  PodAntiAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm;PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm',
  PodCertificateProjection:
    'SignerName;KeyType;MaxExpirationSeconds:*int;CredentialBundlePath;KeyPath;CertificateChainPath;UserAnnotations:{}string',
  ParentReference: 'Group;Resource;Namespace;Name',
  PodDNSConfig: 'Nameservers:[]string;Searches:[]string;Options:[]PodDNSConfigOption',
  PodDNSConfigOption: 'Name;Value:*string',
  PodOS: 'Name',
  PodDisruptionBudgetSpec: 'MinAvailable:*intOrString;Selector:*json;MaxUnavailable:*intOrString;UnhealthyPodEvictionPolicy:*string',
  PodReadinessGate: 'ConditionType',
  PodResourceClaim: 'Name;ResourceClaimName:*string;ResourceClaimTemplateName:*string',
  PodSchedulingGate: 'Name',
  PodSchedulingGroup: 'PodGroupName:*string',
  PodSecurityContext:
    'HostNetwork:bool;HostPID:bool;HostIPC:bool;ShareProcessNamespace:*bool;HostUsers:*bool;SELinuxOptions=seLinuxOptions:*SELinuxOptions;WindowsOptions:*WindowsSecurityContextOptions;RunAsUser:*int;RunAsGroup:*int;RunAsNonRoot:*bool;SupplementalGroups:[]int;SupplementalGroupsPolicy:*string;FSGroup=fsGroup:*int;FSGroupChangePolicy=fsGroupChangePolicy:*string;Sysctls:[]Sysctl;SeccompProfile:*SeccompProfile;AppArmorProfile:*AppArmorProfile;SELinuxChangePolicy=seLinuxChangePolicy:*string',
  PodSpec:
    'Volumes:[]Volume;InitContainers:[]Container;Containers:[]Container;EphemeralContainers:[]EphemeralContainer;RestartPolicy;TerminationGracePeriodSeconds:*int;ActiveDeadlineSeconds:*int;DNSPolicy=dnsPolicy;NodeSelector:{}string;ServiceAccountName;AutomountServiceAccountToken:*bool;NodeName;SecurityContext:*PodSecurityContext;ImagePullSecrets:[]LocalObjectReference;Hostname;Subdomain;SetHostnameAsFQDN:*bool;Affinity:*Affinity;SchedulerName;Tolerations:[]Toleration;HostAliases:[]HostAlias;PriorityClassName;Priority:*int;PreemptionPolicy:*string;DNSConfig=dnsConfig:*PodDNSConfig;ReadinessGates:[]PodReadinessGate;RuntimeClassName:*string;Overhead:{}quantity;EnableServiceLinks:*bool;TopologySpreadConstraints:[]TopologySpreadConstraint;OS=os:*PodOS;SchedulingGates:[]PodSchedulingGate;ResourceClaims:[]PodResourceClaim;Resources:*ResourceRequirements;HostnameOverride:*string;SchedulingGroup:*PodSchedulingGroup',
  PodTemplateSpec: '^metadata;Spec:PodSpec',
  PortworxVolumeSource: 'VolumeID;FSType=fsType;ReadOnly:bool',
  PreferredSchedulingTerm: 'Weight:int;Preference:NodeSelectorTerm',
  Probe:
    '^ProbeHandler;InitialDelaySeconds:int;TimeoutSeconds:int;PeriodSeconds:int;SuccessThreshold:int;FailureThreshold:int;TerminationGracePeriodSeconds:*int',
  ProbeHandler: 'Exec:*ExecAction;HTTPGet=httpGet:*HTTPGetAction;TCPSocket=tcpSocket:*TCPSocketAction;GRPC=grpc:*GRPCAction',
  ProjectedVolumeSource: 'Sources:[]VolumeProjection;DefaultMode:*int',
  QuobyteVolumeSource: 'Registry;Volume;ReadOnly:bool;User;Group;Tenant',
  RBDPersistentVolumeSource:
    'CephMonitors=monitors:[]string;RBDImage=image;FSType=fsType;RBDPool=pool;RadosUser=user;Keyring;SecretRef:*SecretReference;ReadOnly:bool',
  RBDVolumeSource:
    'CephMonitors=monitors:[]string;RBDImage=image;FSType=fsType;RBDPool=pool;RadosUser=user;Keyring;SecretRef:*LocalObjectReference;ReadOnly:bool',
  ResourceClaim: 'Name;Request',
  ResourceFieldSelector: 'ContainerName;Resource;Divisor:quantity',
  ResourceRequirements: 'Limits:{}quantity;Requests:{}quantity;Claims:[]ResourceClaim',
  SELinuxOptions: 'User;Role;Type;Level',
  ScaleIOPersistentVolumeSource:
    'Gateway;System;SecretRef:*SecretReference;SSLEnabled=sslEnabled:bool;ProtectionDomain;StoragePool;StorageMode;VolumeName;FSType=fsType;ReadOnly:bool',
  ScaleIOVolumeSource:
    'Gateway;System;SecretRef:*LocalObjectReference;SSLEnabled=sslEnabled:bool;ProtectionDomain;StoragePool;StorageMode;VolumeName;FSType=fsType;ReadOnly:bool',
  ScopeSelector: 'MatchExpressions:[]ScopedResourceSelectorRequirement',
  ScopedResourceSelectorRequirement: 'ScopeName;Operator;Values:[]string',
  SeccompProfile: 'Type;LocalhostProfile:*string',
  SecretEnvSource: '^LocalObjectReference;Optional:*bool',
  SecretKeySelector: '^LocalObjectReference;Key;Optional:*bool',
  SecretProjection: '^LocalObjectReference;Items:[]KeyToPath;Optional:*bool',
  SecretReference: 'Name;Namespace',
  SecretVolumeSource: 'SecretName;Items:[]KeyToPath;DefaultMode:*int;Optional:*bool',
  SecurityContext:
    'Capabilities:*Capabilities;Privileged:*bool;SELinuxOptions=seLinuxOptions:*SELinuxOptions;WindowsOptions:*WindowsSecurityContextOptions;RunAsUser:*int;RunAsGroup:*int;RunAsNonRoot:*bool;ReadOnlyRootFilesystem:*bool;AllowPrivilegeEscalation:*bool;ProcMount:*string;SeccompProfile:*SeccompProfile;AppArmorProfile:*AppArmorProfile',
  ServiceAccountTokenProjection: 'Audience;ExpirationSeconds:int;Path',
  SleepAction: 'Seconds:int',
  StorageOSPersistentVolumeSource: 'VolumeName;VolumeNamespace;FSType=fsType;ReadOnly:bool;SecretRef:*ObjectReference',
  StorageOSVolumeSource: 'VolumeName;VolumeNamespace;FSType=fsType;ReadOnly:bool;SecretRef:*LocalObjectReference',
  Sysctl: 'Name;Value',
  TCPSocketAction: 'Port:intOrString;Host',
  Taint: 'Key;Value;Effect;TimeAdded:*time',
  Toleration: 'Key;Operator;Value;Effect;TolerationSeconds:*int',
  TopologySpreadConstraint:
    'MaxSkew:int;TopologyKey;WhenUnsatisfiable;LabelSelector:*json;MinDomains:*int;NodeAffinityPolicy:*string;NodeTaintsPolicy:*string;MatchLabelKeys:[]string',
  TypedLocalObjectReference: 'APIGroup=apiGroup:*string;Kind;Name',
  TypedObjectReference: 'APIGroup=apiGroup:*string;Kind;Name;Namespace:*string',
  Volume: 'Name;^VolumeSource',
  VolumeDevice: 'Name;DevicePath',
  VolumeMount: 'Name;ReadOnly:bool;RecursiveReadOnly:*string;MountPath;SubPath;MountPropagation:*string;SubPathExpr',
  VolumeNodeAffinity: 'Required:*NodeSelector',
  VolumeProjection:
    'Secret:*SecretProjection;DownwardAPI:*DownwardAPIProjection;ConfigMap:*ConfigMapProjection;ServiceAccountToken:*ServiceAccountTokenProjection;ClusterTrustBundle:*ClusterTrustBundleProjection;PodCertificate:*PodCertificateProjection',
  VolumeResourceRequirements: 'Limits:{}quantity;Requests:{}quantity',
  VolumeSource:
    'HostPath:*HostPathVolumeSource;EmptyDir:*EmptyDirVolumeSource;GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource;AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource;GitRepo:*GitRepoVolumeSource;Secret:*SecretVolumeSource;NFS=nfs:*NFSVolumeSource;ISCSI=iscsi:*ISCSIVolumeSource;Glusterfs:*GlusterfsVolumeSource;PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource;RBD=rbd:*RBDVolumeSource;Quobyte:*QuobyteVolumeSource;FlexVolume:*FlexVolumeSource;Cinder:*CinderVolumeSource;CephFS=cephfs:*CephFSVolumeSource;Flocker:*FlockerVolumeSource;DownwardAPI:*DownwardAPIVolumeSource;FC=fc:*FCVolumeSource;AzureFile:*AzureFileVolumeSource;ConfigMap:*ConfigMapVolumeSource;VsphereVolume:*VsphereVirtualDiskVolumeSource;AzureDisk:*AzureDiskVolumeSource;PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource;Projected:*ProjectedVolumeSource;PortworxVolume:*PortworxVolumeSource;ScaleIO:*ScaleIOVolumeSource;StorageOS=storageos:*StorageOSVolumeSource;CSI=csi:*CSIVolumeSource;Ephemeral:*EphemeralVolumeSource;Image:*ImageVolumeSource',
  VsphereVirtualDiskVolumeSource: 'VolumePath;FSType=fsType;StoragePolicyName;StoragePolicyID',
  WeightedPodAffinityTerm: 'Weight:int;PodAffinityTerm:PodAffinityTerm',
  WindowsSecurityContextOptions:
    'GMSACredentialSpecName=gmsaCredentialSpecName:*string;GMSACredentialSpec=gmsaCredentialSpec:*string;RunAsUserName:*string;HostProcess:*bool',
} as const satisfies Readonly<Record<string, string>>

export type InternalType = keyof typeof internalTypes
