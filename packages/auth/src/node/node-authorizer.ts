import type { PolicyRule } from '@keelson/api/rbac/v1'
import type { DeepReadonly, RequestedAction } from '@keelson/apimachinery'
import { createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { noOpinion, noRules } from '../authorizer.ts'
import type { AuthorizerAttributes, Decision, InformedAuthorizer, ObjectSources, Rules } from '../authorizer.ts'
import { RuleIndex } from '../rbac/rule-index.ts'
import { getNodeIdentity } from '../well-known-user-names.ts'
import { NodeGraph } from './node-graph.ts'
import type { RelatedResource } from './node-graph.ts'
import { populateGraph } from './populate-graph.ts'
import type { GraphObserver } from './populate-graph.ts'

export interface NodeAuthorizerOptions {
  /** Rules for resources that the graph does not cover. kube-apiserver uses those of the cluster role `system:node`. */
  readonly rules: readonly DeepReadonly<PolicyRule>[]
  /** Called for every failed watch. Default: errors are ignored. */
  readonly onError?: (error: unknown) => void
  /** Registry for kube-apiserver's metrics of the graph. Default: the metrics are not exported. */
  readonly metrics?: MetricsRegistry
}

/**
 * Creates the node authorizer. A kubelet may read the objects that its pods use, and write its own objects. A graph relates objects to
 * nodes; it is updated by watches of pods, volumes, attachments and slices. `rules` allow other requests.
 */
export function createNodeAuthorizer({ rules, onError, metrics }: NodeAuthorizerOptions): InformedAuthorizer & AsyncDisposable {
  const graph = new NodeGraph()
  const policy: NodePolicy = { graph, rules: new RuleIndex(rules) }
  const observe = metrics && createGraphObserver(metrics)
  const stop = new AbortController()
  let populating: Promise<void> | undefined
  return {
    authorize: (attributes) => authorizeNode(policy, attributes),
    rulesFor: (user) => (getNodeIdentity(user) === undefined ? noRules : unknownRules),
    readFrom({ client }: ObjectSources) {
      populating = populateGraph(graph, client, { signal: stop.signal, ...(onError && { onError }), observe })
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await populating
    },
  }
}

/** Histogram buckets from 0.1 ms to 0.2 s. Each is twice the previous one. */
const buckets = Array.from({ length: 12 }, (_, i) => 2 ** i / 10_000)

function createGraphObserver(registry: MetricsRegistry): GraphObserver {
  const help = '[ALPHA] Duration of changes of the graph of the Node authorizer, in seconds.'
  const durations = registry.register(createHistogram('node_authorizer_graph_actions_duration_seconds', help, buckets))
  return (operation, seconds) => durations.with({ operation }).observe(seconds)
}

const unknownRules: Rules = { ...noRules, incomplete: true, error: 'node authorizer does not support user rule resolution' }
const allow: Decision = { decision: 'allow', reason: '' }

export interface NodePolicy {
  readonly graph: NodeGraph
  readonly rules: RuleIndex
}

/** Decides about a kubelet's request by a given graph. Exported for tests that fill the graph without watches. */
export function authorizeNode({ graph, rules }: NodePolicy, { user, action }: AuthorizerAttributes): Decision {
  const node = getNodeIdentity(user)
  if (node === undefined) return noOpinion
  if (node === '') return refuse(`unknown node for user ${JSON.stringify(user.name)}`)
  const check = action.isResourceRequest ? checks.get(`${action.apiGroup}/${action.resource}`) : undefined
  if (check === undefined) return rules.allows(action) ? allow : noOpinion
  return check({ graph, node, action })
}

interface NodeRequest {
  readonly graph: NodeGraph
  readonly node: string
  readonly action: RequestedAction
}
type Check = (request: NodeRequest) => Decision

/** Checks by group and resource. Other resources are decided by the rules that all nodes share. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['/secrets', (request) => checkRead(request, 'secrets')],
  ['/configmaps', (request) => checkRead(request, 'configmaps')],
  ['/persistentvolumeclaims', checkClaim],
  ['/persistentvolumes', (request) => checkGet(request, 'persistentvolumes')],
  ['/serviceaccounts', checkServiceAccount],
  ['/nodes', checkNodeObject],
  ['/pods', checkPod],
  ['resource.k8s.io/resourceclaims', (request) => checkGet(request, 'resourceclaims')],
  ['resource.k8s.io/resourceslices', checkSlice],
  ['storage.k8s.io/volumeattachments', (request) => checkGet(request, 'volumeattachments')],
  ['storage.k8s.io/csinodes', checkCSINode],
  ['coordination.k8s.io/leases', checkLease],
  // No opinion: the feature gate PodCertificateRequest is off by default.
  ['certificates.k8s.io/podcertificaterequests', () => noOpinion],
])

function refuse(reason: string): Decision {
  return { decision: 'noOpinion', reason }
}

function checkRelation({ graph, node, action }: NodeRequest, resource: RelatedResource): Decision {
  if (action.name === '') return refuse('No Object name found')
  return graph.isRelated(resource, action, node) ? allow : refuse(`no relationship found between node '${node}' and this object`)
}

function checkGet(request: NodeRequest, resource: RelatedResource): Decision {
  const { verb, subresource } = request.action
  if (verb !== 'get') return refuse('can only get individual resources of this type')
  if (subresource !== '') return refuse('cannot get subresource')
  return checkRelation(request, resource)
}

function checkRead(request: NodeRequest, resource: RelatedResource): Decision {
  const { verb, subresource, namespace } = request.action
  if (!isRead(verb)) return refuse('can only read resources of this type')
  if (subresource !== '') return refuse('cannot read subresource')
  if (namespace === '') return refuse('can only read namespaced object of this type')
  return checkRelation(request, resource)
}

function checkClaim(request: NodeRequest): Decision {
  const { verb, subresource } = request.action
  if (subresource !== 'status') return checkGet(request, 'persistentvolumeclaims')
  if (verb !== 'update' && verb !== 'patch') return refuse('can only get/update/patch this type')
  return checkRelation(request, 'persistentvolumeclaims')
}

function checkServiceAccount(request: NodeRequest): Decision {
  const { verb, subresource, name } = request.action
  if (verb === 'get' && subresource === '') return checkRead(request, 'serviceaccounts')
  if (verb !== 'create' || name === '') return refuse('can only create tokens for individual service accounts')
  if (subresource !== 'token') return refuse('can only create token subresource of serviceaccount')
  return checkRelation(request, 'serviceaccounts')
}

/** Checks a request for a node's Lease. The name is unknown on create, so the admission plugin NodeRestriction checks it. */
function checkLease({ node, action: { verb, namespace, name } }: NodeRequest): Decision {
  if (!isOwnObjectVerb(verb)) return refuse('can only get, create, update, patch, or delete a node lease')
  if (namespace !== 'kube-node-lease') return refuse('can only access leases in the "kube-node-lease" system namespace')
  if (verb !== 'create' && name !== node) return refuse('can only access node lease with the same name as the requesting node')
  return allow
}

function checkCSINode({ node, action: { verb, subresource, name } }: NodeRequest): Decision {
  if (!isOwnObjectVerb(verb)) return refuse('can only get, create, update, patch, or delete a CSINode')
  if (subresource !== '') return refuse('cannot authorize CSINode subresources')
  if (verb !== 'create' && name !== node) return refuse('can only access CSINode with the same name as the requesting node')
  return allow
}

/**
 * Checks a request for ResourceSlices. The admission plugin NodeRestriction checks `spec.nodeName` on create and for each object of
 * deletecollection.
 */
function checkSlice(request: NodeRequest): Decision {
  const { verb, subresource } = request.action
  if (subresource !== '') return refuse('cannot authorize ResourceSlice subresources')
  switch (verb) {
    case 'create':
      return allow
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return checkRelation(request, 'resourceslices')
    case 'watch':
    case 'list':
    case 'deletecollection':
      if (selectsNode(request)) return allow
      return refuse('can only list/watch/deletecollection resourceslices with nodeName field selector')
    default:
      return refuse(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      )
  }
}

/**
 * Checks a request for a Node by its name. The graph is not used, because a kubelet reads its Node before creating it. NodeRestriction
 * limits writes to the kubelet's own Node.
 */
function checkNodeObject({ node, action: { verb, subresource, name } }: NodeRequest): Decision {
  const isUpdate = verb === 'update' || verb === 'patch'
  if (subresource === 'status') return isUpdate ? allow : noOpinion
  if (subresource !== '') return noOpinion
  if (isUpdate || verb === 'create') return allow
  if (!isRead(verb)) return noOpinion
  if (name === node) return allow
  return refuse(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  )
}

/** Checks a request for pods. NodeRestriction limits writes to pods of the kubelet's own node. */
function checkPod(request: NodeRequest): Decision {
  const { verb, subresource, name } = request.action
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion
  if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion
  if (subresource !== '') return noOpinion
  switch (verb) {
    case 'get':
      return checkGet(request, 'pods')
    case 'list':
    case 'watch':
      if (selectsNode(request)) return allow
      return name === '' ? refuse('can only list/watch pods with spec.nodeName field selector') : checkRelation(request, 'pods')
    case 'create':
    case 'delete':
      return allow
    default:
      return noOpinion
  }
}

function selectsNode({ node, action: { fieldSelector = [] } }: NodeRequest): boolean {
  return fieldSelector.some(({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node)
}

function isRead(verb: string): boolean {
  return verb === 'get' || verb === 'list' || verb === 'watch'
}

function isOwnObjectVerb(verb: string): boolean {
  return verb === 'get' || verb === 'create' || verb === 'update' || verb === 'patch' || verb === 'delete'
}
