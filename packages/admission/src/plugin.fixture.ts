import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { Authorizer } from '@keelson/auth'
import { formatGroupVersion } from '@keelson/apimachinery'
import type { GroupResource, KubeObject, RequestContext, RequestedAction } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import { createLoopbackClient, createSharedInformers } from '@keelson/loopback'
import type { LoopbackClient, LoopbackResource, SharedInformers } from '@keelson/loopback'
import { defineResource, Reinvocation } from '@keelson/registry'
import type { QuotaRules, VersionedObject } from '@keelson/registry'
import { openTestStore, testContext } from '@keelson/registry/testing'
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts'
import { createAdmissionChain } from './create-admission-chain.ts'

const kinds = {
  namespaces: ['', 'v1', 'Namespace', 'Cluster'],
  nodes: ['', 'v1', 'Node', 'Cluster'],
  pods: ['', 'v1', 'Pod', 'Namespaced'],
  serviceaccounts: ['', 'v1', 'ServiceAccount', 'Namespaced'],
  limitranges: ['', 'v1', 'LimitRange', 'Namespaced'],
  persistentvolumeclaims: ['', 'v1', 'PersistentVolumeClaim', 'Namespaced'],
  persistentvolumes: ['', 'v1', 'PersistentVolume', 'Cluster'],
  configmaps: ['', 'v1', 'ConfigMap', 'Namespaced'],
  services: ['', 'v1', 'Service', 'Namespaced'],
  events: ['', 'v1', 'Event', 'Namespaced'],
  resourcequotas: ['', 'v1', 'ResourceQuota', 'Namespaced'],
  resourceclaims: ['resource.k8s.io', 'v1', 'ResourceClaim', 'Namespaced'],
  deployments: ['apps', 'v1', 'Deployment', 'Namespaced'],
  leases: ['coordination.k8s.io', 'v1', 'Lease', 'Namespaced'],
  csidrivers: ['storage.k8s.io', 'v1', 'CSIDriver', 'Cluster'],
  csinodes: ['storage.k8s.io', 'v1', 'CSINode', 'Cluster'],
  resourceslices: ['resource.k8s.io', 'v1', 'ResourceSlice', 'Cluster'],
  certificatesigningrequests: ['certificates.k8s.io', 'v1', 'CertificateSigningRequest', 'Cluster'],
  clustertrustbundles: ['certificates.k8s.io', 'v1beta1', 'ClusterTrustBundle', 'Cluster'],
  ingresses: ['networking.k8s.io', 'v1', 'Ingress', 'Namespaced'],
  ingressclasses: ['networking.k8s.io', 'v1', 'IngressClass', 'Cluster'],
  cronjobs: ['batch', 'v1', 'CronJob', 'Namespaced'],
  priorityclasses: ['scheduling.k8s.io', 'v1', 'PriorityClass', 'Cluster'],
  runtimeclasses: ['node.k8s.io', 'v1', 'RuntimeClass', 'Cluster'],
  mutatingwebhookconfigurations: ['admissionregistration.k8s.io', 'v1', 'MutatingWebhookConfiguration', 'Cluster'],
  validatingwebhookconfigurations: ['admissionregistration.k8s.io', 'v1', 'ValidatingWebhookConfiguration', 'Cluster'],
  storageclasses: ['storage.k8s.io', 'v1', 'StorageClass', 'Cluster'],
  mutatingadmissionpolicies: ['admissionregistration.k8s.io', 'v1', 'MutatingAdmissionPolicy', 'Cluster'],
  mutatingadmissionpolicybindings: ['admissionregistration.k8s.io', 'v1', 'MutatingAdmissionPolicyBinding', 'Cluster'],
  validatingadmissionpolicies: ['admissionregistration.k8s.io', 'v1', 'ValidatingAdmissionPolicy', 'Cluster'],
  validatingadmissionpolicybindings: ['admissionregistration.k8s.io', 'v1', 'ValidatingAdmissionPolicyBinding', 'Cluster'],
} as const
export type Plural = keyof typeof kinds

/** A server for plugin tests: it has no HTTP and no strategies. */
export interface TestCluster extends AsyncDisposable {
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  /** Authorizer that allows the actions in `allowed`, in the format of `formatAction`. */
  readonly authorizer: Authorizer
  readonly allowed: Set<string>
  resource<T extends KubeObject>(plural: Plural): LoopbackResource<T>
  /** Creates an object. A namespaced object is created in namespace "ns". */
  create(plural: Plural, object: KubeObject): Promise<void>
  /** Stops serving a resource. */
  remove(plural: Plural): void
}

const everyKind = Object.keys(kinds) as readonly Plural[]

/** Opens the test server. `findQuota` returns the quota rules of a resource. By default, quotas count the objects of each resource. */
export function openTestCluster(
  served: readonly Plural[] = everyKind,
  findQuota: (plural: string) => QuotaRules | 'none' | undefined = () => undefined,
): TestCluster {
  const backend = openMemory()
  const client = createLoopbackClient()
  const removals = new Map<Plural, () => void>()
  const stores = served.map((plural) => {
    const [group, version, kind, scope] = kinds[plural]
    const quota = findQuota(plural)
    const definition = { group, version, kind, plural, scope, strategy: {}, subresources: { status: { update: {} } } }
    const test = openTestStore(defineResource({ ...definition, ...(quota && { quota }) }), { backend })
    removals.set(plural, client.add({ group, version }, test.paths))
    return test
  })
  const informers = createSharedInformers(client)
  const getResource = <T extends KubeObject>(plural: Plural): LoopbackResource<T> => client.resource<T>(groupResource(plural))!
  const allowed = new Set<string>()
  const authorizer: Authorizer = {
    authorize: ({ action }) => ({ decision: allowed.has(formatAction(action)) ? 'allow' : 'noOpinion', reason: 'not listed' }),
  }
  return {
    client,
    informers,
    authorizer,
    allowed,
    resource: getResource,
    async create(plural, object) {
      await getResource(plural).create(selectNamespace(plural), object)
    },
    remove: (plural) => removals.get(plural)?.(),
    async [Symbol.asyncDispose]() {
      await informers[Symbol.asyncDispose]()
      for (const store of stores) await store[Symbol.asyncDispose]()
      await backend[Symbol.asyncDispose]()
    },
  }
}

/** Formats an action as text, such as "update apps/deployments/finalizers d in ns". */
function formatAction({ verb, apiGroup, resource, subresource, name, namespace }: RequestedAction): string {
  const path = [apiGroup, resource, subresource].filter((part) => part !== '').join('/')
  return [verb, path, name, namespace && `in ${namespace}`].filter((part) => part !== '').join(' ')
}

const types = createApiTypes([coreV1])

export interface TestWrite extends AdmissionAttributes {
  readonly warnings: readonly string[]
}

/** Creates the attributes of a write in namespace "ns". By default, the write is a create. */
export function write(plural: Plural, object: KubeObject | undefined, overrides: Partial<AdmissionAttributes> = {}): TestWrite {
  const [group, version, kind] = kinds[plural]
  const namespace = plural === 'namespaces' ? (object?.metadata.name ?? '') : selectNamespace(plural)
  const warnings: string[] = []
  const context: RequestContext = { ...testContext(namespace), warn: (text) => void warnings.push(text) }
  return {
    context,
    operation: 'CREATE',
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    subresource: '',
    namespace,
    name: object?.metadata.name ?? '',
    object,
    oldObject: undefined,
    dryRun: false,
    options: {},
    equivalents: [],
    reinvocation: new Reinvocation(),
    as: (groupVersion) => {
      const typed = { kind, apiVersion: formatGroupVersion(groupVersion) }
      const { oldObject } = overrides
      return {
        kind: { ...groupVersion, kind },
        object: object && { ...typed, ...object },
        oldObject: oldObject && { ...typed, ...oldObject },
      }
    },
    decode: (groupVersion, document) => ({
      ...(document as unknown as VersionedObject),
      apiVersion: formatGroupVersion(groupVersion),
      kind,
    }),
    schemaOf: (groupVersion) => types.kind({ ...groupVersion, kind }),
    replace({ kind: _kind, apiVersion: _apiVersion, ...members }) {
      for (const member of Object.keys(object!)) delete (object as unknown as Record<string, unknown>)[member]
      Object.assign(object!, members)
    },
    annotate() {},
    ...overrides,
    warnings,
  }
}

/** Creates the attributes of an update. */
export function update(plural: Plural, oldObject: KubeObject, object: KubeObject, overrides: Partial<AdmissionAttributes> = {}): TestWrite {
  return write(plural, object, { operation: 'UPDATE', oldObject, ...overrides })
}

/** Runs both phases of an admission chain that has only this plugin. Returns the admitted object. */
export async function admitObject<T extends KubeObject = KubeObject>(plugin: AdmissionPlugin, attributes: AdmissionAttributes): Promise<T> {
  const chain = createAdmissionChain([plugin])
  await chain.admit(attributes)
  await chain.validate(attributes)
  return attributes.object as T
}

function groupResource(plural: Plural): GroupResource {
  return { group: kinds[plural][0], resource: plural }
}

function selectNamespace(plural: Plural): string {
  return kinds[plural][3] === 'Namespaced' ? 'ns' : ''
}
