import { selectEverything, selectField, isApiError } from '@keelson/apimachinery'
import { createInformer, WorkQueue } from '@keelson/loopback'
import { disposeAll, waitUntilSynced } from '../controller.ts'
import type { ControllerContext } from '../controller.ts'
import { isNamespaceGoing } from '../namespace-causes.ts'

const name = 'default'

/** Starts the controller that keeps a service account `default` in every active namespace. Pods use it unless they name another account. */
export function startServiceAccountController(context: ControllerContext): AsyncDisposable | undefined {
  const { client, clock, namespaces, metrics } = context
  const resource = client.resource({ group: '', resource: 'serviceaccounts' })
  if (resource === undefined) return undefined
  const onError = (error: unknown): void => context.onError('serviceaccount-controller', error)
  const predicate = { labels: selectEverything(), fields: selectField('metadata.name', name) }
  const accounts = createInformer(resource, { predicate, clock, onError })
  const queue = new WorkQueue({
    name: 'serviceaccount',
    metrics,
    async process(namespace, signal) {
      if (!(await waitUntilSynced(signal, accounts, namespaces))) return
      if (namespaces.get('', namespace)?.status?.phase !== 'Active' || accounts.get(namespace, name) !== undefined) return
      try {
        await resource.create(namespace, { metadata: { name, namespace } })
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists') && !isNamespaceGoing(error)) throw error
      }
    },
    clock,
    onError: (_namespace, error) => onError(error),
  })
  const fromNamespaces = namespaces.subscribe(({ type, object }) => {
    if (type !== 'deleted') queue.add(object.metadata.name ?? '')
  })
  const fromAccounts = accounts.subscribe(({ type, object }) => {
    if (type === 'deleted') queue.add(object.metadata.namespace ?? '')
  })
  return disposeAll(accounts, queue, fromNamespaces, fromAccounts)
}
