import { selectEverything, selectField, isApiError } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { createInformer, WorkQueue } from '@keelson/loopback'
import { disposeAll, waitUntilSynced } from '../controller.ts'
import type { ControllerContext } from '../controller.ts'
import { isNamespaceGoing } from '../namespace-causes.ts'

interface ConfigMap extends KubeObject {
  data?: Record<string, string>
  binaryData?: Record<string, string>
}

const name = 'kube-root-ca.crt'
const descriptionAnnotation = 'kubernetes.io/description'
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/**
 * Starts the controller that publishes the CA certificate. It keeps a ConfigMap with the certificate in every namespace, so that pods can
 * verify the server.
 */
export function startRootCAPublisher(context: ControllerContext): AsyncDisposable | undefined {
  const { client, clock, namespaces, rootCA, metrics } = context
  const resource = client.resource<ConfigMap>({ group: '', resource: 'configmaps' })
  if (resource === undefined || rootCA === undefined || rootCA === '') return undefined
  const onError = (error: unknown): void => context.onError('root-ca-certificate-publisher-controller', error)
  const predicate = { labels: selectEverything(), fields: selectField('metadata.name', name) }
  const published = createInformer(resource, { predicate, clock, onError })
  const data = { 'ca.crt': rootCA }
  const queue = new WorkQueue({
    name: 'root_ca_cert_publisher',
    metrics,
    async process(namespace, signal) {
      if (!(await waitUntilSynced(signal, published, namespaces))) return
      if (namespaces.get('', namespace)?.metadata.deletionTimestamp !== undefined) return
      const present = published.get(namespace, name)
      if (present !== undefined && isRight(present, rootCA)) return
      try {
        if (present === undefined) {
          await resource.create(namespace, { metadata: { name, namespace, annotations: { [descriptionAnnotation]: description } }, data })
        } else await resource.update(namespace, name, (object) => restoreData(object, data))
      } catch (error) {
        // The ConfigMap exists, but the informer does not have it yet. Its event will trigger another check.
        if (!isNamespaceGoing(error) && !isApiError(error, 'AlreadyExists')) throw error
      }
    },
    clock,
    onError: (_namespace, error) => onError(error),
  })
  const fromNamespaces = namespaces.subscribe(({ type, object }) => {
    if (type === 'added' || (type === 'updated' && object.status?.phase === 'Active')) queue.add(object.metadata.name ?? '')
  })
  const fromPublished = published.subscribe(({ object }) => queue.add(object.metadata.namespace ?? ''))
  return disposeAll(published, queue, fromNamespaces, fromPublished)
}

function isRight({ metadata, data = {} }: DeepReadonly<ConfigMap>, rootCA: string): boolean {
  return Object.keys(data).length === 1 && data['ca.crt'] === rootCA && (metadata.annotations?.[descriptionAnnotation] ?? '') !== ''
}

function restoreData(object: ConfigMap, data: Record<string, string>): ConfigMap {
  const annotations = { ...object.metadata.annotations, [descriptionAnnotation]: description }
  return { ...object, metadata: { ...object.metadata, annotations }, data }
}
