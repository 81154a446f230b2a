import type { ClientRequest } from './client-requests.ts'
import { parseTarget } from './client-requests.ts'

/** The user that sends a request. If its permissions are limited to one object name, also the name and the namespace of that object. */
export interface Sender {
  readonly user: string
  readonly groups?: readonly string[]
  readonly namespace?: string
  readonly name?: string
}

const controllerManager: Sender = { user: 'system:kube-controller-manager' }
const scheduler: Sender = { user: 'system:kube-scheduler' }
const authenticationInfo = { namespace: 'kube-system', name: 'extension-apiserver-authentication' }

/** Returns the sender for the service account of a controller. */
function createAccountSender(name: string): Sender {
  return { user: `system:serviceaccount:kube-system:${name}` }
}

/**
 * Senders of the controller manager's requests with `--use-service-account-credentials`. A pattern is METHOD RESOURCE/SUBRESOURCE, with `*`
 * for all. The first matching entry applies. `metadata` matches requests that accept only metadata or send JSON, like the metadata client.
 */
const controllers: readonly (readonly [shapes: string, clients: 'any' | 'metadata', sender: Sender])[] = [
  ['LIST *', 'metadata', createAccountSender('namespace-controller')],
  ['DELETECOLLECTION *', 'any', createAccountSender('namespace-controller')],
  ['GET namespaces, PUT namespaces/finalize, PUT namespaces/status, LIST pods', 'any', createAccountSender('namespace-controller')],
  ['GET *, PATCH *, DELETE *', 'metadata', createAccountSender('generic-garbage-collector')],
  ['POST configmaps', 'any', createAccountSender('root-ca-cert-publisher')],
  ['POST endpoints, PUT endpoints, DELETE endpoints', 'any', createAccountSender('endpoint-controller')],
  ['POST events, PATCH events', 'any', createAccountSender('deployment-controller')],
  ['POST persistentvolumeclaims', 'any', createAccountSender('statefulset-controller')],
  ['PUT persistentvolumeclaims', 'any', createAccountSender('pvc-protection-controller')],
  ['POST pods, DELETE pods', 'any', createAccountSender('replicaset-controller')],
  ['PATCH pods', 'any', createAccountSender('job-controller')],
  ['PUT resourcequotas/status', 'any', createAccountSender('resourcequota-controller')],
  ['POST serviceaccounts', 'any', createAccountSender('service-account-controller')],
  ['LIST nodes, GET nodes, PATCH nodes', 'any', createAccountSender('node-controller')],
  ['POST controllerrevisions, PUT daemonsets/status', 'any', createAccountSender('daemon-set-controller')],
  ['GET deployments/scale, PUT horizontalpodautoscalers/status', 'any', createAccountSender('horizontal-pod-autoscaler')],
  ['PUT deployments/status, POST replicasets, PUT replicasets', 'any', createAccountSender('deployment-controller')],
  ['GET replicasets, PUT replicasets/status', 'any', createAccountSender('replicaset-controller')],
  ['PUT statefulsets/status', 'any', createAccountSender('statefulset-controller')],
  ['PUT cronjobs/status, POST jobs', 'any', createAccountSender('cronjob-controller')],
  ['PUT jobs/status', 'any', createAccountSender('job-controller')],
  ['POST endpointslices, PUT endpointslices', 'any', createAccountSender('endpointslice-controller')],
  ['PUT poddisruptionbudgets/status', 'any', createAccountSender('disruption-controller')],
  ['GET leases, PUT leases', 'any', { ...controllerManager, namespace: 'kube-system', name: 'kube-controller-manager' }],
  // The informers of all controllers use the user of the controller manager.
  ['WATCH *', 'any', controllerManager],
]

/**
 * Returns the sender of a recorded request. Returns undefined for administrators. `node` is the name of the node whose kubelet sends the
 * request.
 */
export function findSender(shape: ClientRequest, node: string): Sender | undefined {
  const target = parseTarget(shape)
  switch (shape.client) {
    case 'kubectl':
      return undefined
    case 'hollow-kubelet': {
      const kubelet = { user: `system:node:${node}`, groups: ['system:nodes'], name: node }
      return target?.plural === 'leases' ? { ...kubelet, namespace: 'kube-node-lease' } : kubelet
    }
    case 'kube-scheduler':
      return readsAuthenticationInfo(shape) ? { ...scheduler, ...authenticationInfo } : scheduler
    case 'kube-controller-manager': {
      if (readsAuthenticationInfo(shape)) return { ...controllerManager, ...authenticationInfo }
      if (target === undefined) return controllerManager
      if (target.group === 'metrics.k8s.io') return createAccountSender('horizontal-pod-autoscaler')
      // The token cleaner reads the start of token tracking from a ConfigMap.
      if (target.plural === 'configmaps' && shape.method === 'GET' && target.isNamed) {
        return {
          ...createAccountSender('legacy-service-account-token-cleaner'),
          namespace: 'kube-system',
          name: 'kube-apiserver-legacy-service-account-token-tracking',
        }
      }
      return findController(shape)
    }
    default:
      throw new Error(`unknown client ${shape.client}`)
  }
}

/**
 * Returns whether a request reads the ConfigMap extension-apiserver-authentication. Both the controller manager and the scheduler watch it.
 */
function readsAuthenticationInfo(shape: ClientRequest): boolean {
  return shape.path.startsWith('/api/v1/namespaces/{ns}/configmaps') && shape.method === 'GET' && isMetadataClient(shape)
}

function isMetadataClient({ accept }: ClientRequest): boolean {
  return accept.includes('PartialObjectMetadata') || accept === 'application/vnd.kubernetes.protobuf,application/json'
}

function findController(shape: ClientRequest): Sender {
  const { plural, subresource, isNamed } = parseTarget(shape)!
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`
  const verb =
    isNamed || shape.method === 'POST' ? shape.method : shape.query.includes('watch=true') ? 'WATCH' : decideCollectionVerb(shape)
  const found = controllers.find(
    ([shapes, clients]) =>
      (clients === 'any' || isMetadataClient(shape)) &&
      shapes.split(', ').some((text) => text === `${verb} *` || text === `${verb} ${resource}`),
  )
  if (found === undefined) throw new Error(`no controller sends ${verb} ${resource}`)
  return found[2]
}

function decideCollectionVerb({ method }: ClientRequest): string {
  return method === 'GET' ? 'LIST' : 'DELETECOLLECTION'
}
