import type { JsonObject } from '@keelson/apimachinery'

const labels = { app: 'replayed' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const workload = { selector: { matchLabels: labels }, template }
const event = { type: 'Normal', reason: 'Replayed' }

export interface Sample {
  readonly kind: string
  readonly body: JsonObject
}

function sample(kind: string, body: JsonObject = {}): Sample {
  return { kind, body }
}

/** The least that is accepted, by group and plural; what needs to know its namespace is a function of it. */
const samples: Readonly<Record<string, Sample | ((namespace: string) => Sample)>> = {
  '/configmaps': sample('ConfigMap', { data: { a: 'b' } }),
  '/endpoints': sample('Endpoints'),
  '/events': (namespace) => sample('Event', { ...event, involvedObject: { kind: 'Pod', name: 'p', namespace } }),
  '/limitranges': sample('LimitRange', { spec: { limits: [] } }),
  '/namespaces': sample('Namespace'),
  '/nodes': sample('Node'),
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
  'networking.k8s.io/ingresses': sample('Ingress', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
  'networking.k8s.io/networkpolicies': sample('NetworkPolicy', { spec: { podSelector: {} } }),
  'policy/poddisruptionbudgets': sample('PodDisruptionBudget', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'other' } } } }),
  'rbac.authorization.k8s.io/rolebindings': sample('RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  }),
  'rbac.authorization.k8s.io/roles': sample('Role', { rules: [] }),
  'resource.k8s.io/resourceclaims': sample('ResourceClaim', {
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
  }),
  'resource.k8s.io/resourceclaimtemplates': sample('ResourceClaimTemplate', {
    spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
  }),
  'storage.k8s.io/csinodes': sample('CSINode', { spec: { drivers: [] } }),
  'storage.k8s.io/csistoragecapacities': sample('CSIStorageCapacity', { storageClassName: 's' }),
}

/** What is posted to a subresource. */
const posted: Readonly<Record<string, Sample & { readonly apiVersion: string }>> = {
  'pods/binding': { apiVersion: 'v1', ...sample('Binding', { target: { kind: 'Node', name: 'n' } }) },
  'pods/eviction': { apiVersion: 'policy/v1', ...sample('Eviction') },
  'serviceaccounts/token': { apiVersion: 'authentication.k8s.io/v1', ...sample('TokenRequest', { spec: { audiences: [] } }) },
}

/** What patches say of a status; the rest are annotated. */
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
  if (found === undefined) throw new Error(`nothing to post to ${plural}/${subresource}`)
  const { apiVersion, kind, body } = found
  return { apiVersion, kind, ...body, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }
}

export function samplePatch({ plural }: Placed, subresource: string | undefined): JsonObject {
  if (subresource === 'scale') return { spec: { replicas: 2 } }
  const status = subresource === 'status' ? statuses[plural] : undefined
  return status === undefined ? { metadata: { annotations: { replayed: 'yes' } } } : { status }
}
