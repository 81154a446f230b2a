import type { JsonObject } from '@keelson/apimachinery'

const labels = { app: 'replayed' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const workload = { selector: { matchLabels: labels }, template }
const event = { type: 'Normal', reason: 'Replayed' }

/** PKCS #10 certificate request for O=samples, CN=sample with a P-256 key. Its private key is not needed. */
const signingRequest = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----\n${[
    'MIHeMIGFAgEAMCMxDzANBgNVBAMMBnNhbXBsZTEQMA4GA1UECgwHc2FtcGxlczBZ',
    'MBMGByqGSM49AgEGCCqGSM49AwEHA0IABBTCSCUqFNukVmWzwlkQUc7q3P5VdCyQ',
    'h9uTn6RsGmkkcKzNEwiEUEalGTamJ+ShvRb8Ftm7nh3t45F8UvQfRLegADAKBggq',
    'hkjOPQQDAgNIADBFAiEA33tCjAB5OHXGdZHZ16F2T1P8BVybJViQEqZkyadIx14C',
    'IG5Pre4qBm8Gb3I0gY+wJICutwbE8WmeNo0J3vgPTE8X',
  ].join('\n')}\n-----END CERTIFICATE REQUEST-----\n`,
).toString('base64')
const policyMatch = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }] }
const webhook = {
  name: 'hook.example.com',
  clientConfig: { url: 'https://hook.example.com/' },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}

export interface Sample {
  readonly kind: string
  readonly body: JsonObject
}

function sample(kind: string, body: JsonObject = {}): Sample {
  return { kind, body }
}

/** Smallest valid objects by group and plural. A function gets the namespace and returns the object. */
const samples: Readonly<Record<string, Sample | ((namespace: string) => Sample)>> = {
  '/configmaps': sample('ConfigMap', { data: { a: 'b' } }),
  '/endpoints': sample('Endpoints'),
  '/events': (namespace) => sample('Event', { ...event, involvedObject: { kind: 'Pod', name: 'p', namespace } }),
  '/limitranges': sample('LimitRange', { spec: { limits: [] } }),
  '/namespaces': sample('Namespace'),
  '/nodes': sample('Node'),
  '/persistentvolumes': sample('PersistentVolume', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/a' } },
  }),
  '/persistentvolumeclaims': sample('PersistentVolumeClaim', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  '/pods': sample('Pod', { metadata: { labels }, spec: template.spec }),
  '/podtemplates': sample('PodTemplate', { template }),
  '/replicationcontrollers': sample('ReplicationController', { spec: { selector: labels, template } }),
  '/resourcequotas': sample('ResourceQuota', { spec: { hard: { 'count/leases.coordination.k8s.io': '1000' } } }),
  '/secrets': sample('Secret', { data: { a: 'Yg==' } }),
  '/serviceaccounts': sample('ServiceAccount'),
  '/services': sample('Service', { spec: { ports: [{ port: 80 }] } }),
  'admissionregistration.k8s.io/mutatingadmissionpolicies': sample('MutatingAdmissionPolicy', {
    spec: {
      matchConstraints: policyMatch,
      reinvocationPolicy: 'Never',
      mutations: [
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' } },
      ],
    },
  }),
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': sample('MutatingAdmissionPolicyBinding', { spec: { policyName: 'p' } }),
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': sample('MutatingWebhookConfiguration', { webhooks: [webhook] }),
  'admissionregistration.k8s.io/validatingadmissionpolicies': sample('ValidatingAdmissionPolicy', {
    spec: { matchConstraints: policyMatch, validations: [{ expression: 'object.data.size() < 10', message: 'too many' }] },
  }),
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': sample('ValidatingAdmissionPolicyBinding', {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  }),
  'admissionregistration.k8s.io/validatingwebhookconfigurations': sample('ValidatingWebhookConfiguration', { webhooks: [webhook] }),
  'apps/controllerrevisions': sample('ControllerRevision', { revision: 1, data: { a: 'b' } }),
  'apps/daemonsets': sample('DaemonSet', { spec: workload }),
  'apps/deployments': sample('Deployment', { spec: workload }),
  'apps/replicasets': sample('ReplicaSet', { spec: workload }),
  'apps/statefulsets': sample('StatefulSet', { spec: { ...workload, serviceName: 's' } }),
  'autoscaling/horizontalpodautoscalers': sample('HorizontalPodAutoscaler', {
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }),
  'batch/cronjobs': sample('CronJob', {
    spec: {
      schedule: '0 0 * * *',
      jobTemplate: { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
  }),
  'batch/jobs': sample('Job', { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } }),
  'certificates.k8s.io/certificatesigningrequests': sample('CertificateSigningRequest', {
    spec: { request: signingRequest, signerName: 'example.com/signer', usages: ['digital signature', 'client auth'] },
  }),
  'coordination.k8s.io/leases': sample('Lease', { spec: { holderIdentity: 'me' } }),
  'discovery.k8s.io/endpointslices': sample('EndpointSlice', { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }], ports: [] }),
  'events.k8s.io/events': (namespace) =>
    sample('Event', {
      ...event,
      eventTime: '2024-01-01T00:00:00.000000Z',
      action: 'Replay',
      reportingController: 'example.com/replay',
      reportingInstance: 'r',
      regarding: { kind: 'Pod', name: 'p', namespace },
    }),
  'flowcontrol.apiserver.k8s.io/flowschemas': sample('FlowSchema', {
    spec: {
      priorityLevelConfiguration: { name: 'global-default' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
        },
      ],
    },
  }),
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': sample('PriorityLevelConfiguration', {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
  }),
  'networking.k8s.io/ingressclasses': sample('IngressClass', { spec: { controller: 'example.com/ingress' } }),
  'networking.k8s.io/ingresses': sample('Ingress', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
  'networking.k8s.io/networkpolicies': sample('NetworkPolicy', { spec: { podSelector: {} } }),
  'networking.k8s.io/servicecidrs': sample('ServiceCIDR', { spec: { cidrs: ['10.99.0.0/24'] } }),
  'node.k8s.io/runtimeclasses': sample('RuntimeClass', { handler: 'h' }),
  'policy/poddisruptionbudgets': sample('PodDisruptionBudget', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'other' } } } }),
  'rbac.authorization.k8s.io/clusterrolebindings': sample('ClusterRoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
  }),
  'rbac.authorization.k8s.io/clusterroles': sample('ClusterRole', { rules: [] }),
  'rbac.authorization.k8s.io/rolebindings': sample('RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  }),
  'rbac.authorization.k8s.io/roles': sample('Role', { rules: [] }),
  'resource.k8s.io/deviceclasses': sample('DeviceClass', {
    spec: { selectors: [{ cel: { expression: 'device.driver == "d.example.com"' } }] },
  }),
  'resource.k8s.io/resourceclaims': sample('ResourceClaim', {
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
  }),
  'resource.k8s.io/resourceclaimtemplates': sample('ResourceClaimTemplate', {
    spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
  }),
  'resource.k8s.io/resourceslices': sample('ResourceSlice', {
    spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'n', devices: [{ name: 'a' }] },
  }),
  'scheduling.k8s.io/priorityclasses': sample('PriorityClass', { value: 10 }),
  'storage.k8s.io/csidrivers': sample('CSIDriver', { spec: {} }),
  'storage.k8s.io/csinodes': sample('CSINode', { spec: { drivers: [] } }),
  'storage.k8s.io/csistoragecapacities': sample('CSIStorageCapacity', { storageClassName: 's' }),
  'storage.k8s.io/storageclasses': sample('StorageClass', { provisioner: 'example.com/disk' }),
  'storage.k8s.io/volumeattachments': sample('VolumeAttachment', {
    spec: { attacher: 'example.com/disk', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  }),
  'storage.k8s.io/volumeattributesclasses': sample('VolumeAttributesClass', { driverName: 'example.com/disk', parameters: { a: 'b' } }),
}

/** Bodies of POST requests to subresources. */
const posted: Readonly<Record<string, Sample & { readonly apiVersion: string }>> = {
  'pods/binding': { apiVersion: 'v1', ...sample('Binding', { target: { kind: 'Node', name: 'n' } }) },
  'pods/eviction': { apiVersion: 'policy/v1', ...sample('Eviction') },
  'serviceaccounts/token': { apiVersion: 'authentication.k8s.io/v1', ...sample('TokenRequest', { spec: { audiences: [] } }) },
}

/** Status patches by resource. Patches of other resources set an annotation. */
const statuses: Readonly<Record<string, JsonObject>> = {
  pods: { phase: 'Running' },
  nodes: { conditions: [{ type: 'Ready', status: 'True' }] },
}

export interface Placed {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly name: string
  readonly namespace?: string
}

export function sampleObject({ group, version, plural, name, namespace }: Placed): JsonObject {
  const found = samples[`${group}/${plural}`]
  if (found === undefined) throw new Error(`no sample of ${group}/${plural}`)
  const { kind, body } = typeof found === 'function' ? found(namespace ?? '') : found
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    ...body,
    metadata: { ...(body['metadata'] as JsonObject | undefined), name, ...(namespace === undefined ? {} : { namespace }) },
  }
}

export function samplePosted({ plural, name, namespace }: Placed, subresource: string): JsonObject {
  const found = posted[`${plural}/${subresource}`]
  if (found === undefined) throw new Error(`no body for POST to ${plural}/${subresource}`)
  const { apiVersion, kind, body } = found
  return { apiVersion, kind, ...body, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }
}

export function samplePatch({ plural }: Placed, subresource: string | undefined): JsonObject {
  if (subresource === 'scale') return { spec: { replicas: 2 } }
  const status = subresource === 'status' ? statuses[plural] : undefined
  return status === undefined ? { metadata: { annotations: { replayed: 'yes' } } } : { status }
}
