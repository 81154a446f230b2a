import type { ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { WorkQueue } from '@keelson/loopback'
import { disposeAll, waitUntilSynced } from '../controller.ts'
import type { ControllerContext } from '../controller.ts'

const controllerName = 'validatingadmissionpolicy-status-controller'
const fieldManager = 'validatingadmissionpolicy-status'

/**
 * Starts the controller that checks the types of expressions in validating admission policies. It writes warnings about wrong types to the
 * status of each new or changed policy by server-side apply.
 */
export function startPolicyStatusController(context: ControllerContext): AsyncDisposable | undefined {
  const { client, clock, informers, metrics, types } = context
  const policies = { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' }
  const resource = client.resource<ValidatingAdmissionPolicy>(policies)
  const informer = informers.of<ValidatingAdmissionPolicy>(policies)
  if (resource === undefined || informer === undefined || types === undefined) return undefined
  const queue = new WorkQueue({
    name: fieldManager,
    metrics,
    async process(name, signal) {
      if (!(await waitUntilSynced(signal, informer))) return
      const policy = informer.get('', name)
      const { generation = 0 } = policy?.metadata ?? {}
      if (policy === undefined || generation <= (policy.status?.observedGeneration ?? 0)) return
      // Loaded with the first policy, because the compiler is large and most servers have no policies.
      const { PolicyTypeChecker } = await import('./type-checker.ts')
      const expressionWarnings = await new PolicyTypeChecker(client, types).check(policy)
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings }
      const status = { observedGeneration: generation, typeChecking }
      await resource.apply('', { metadata: { name }, status }, { fieldManager, subresource: 'status' })
    },
    clock,
    onError: (_name, error) => context.onError(controllerName, error),
  })
  const fromPolicies = informer.subscribe(({ type, object }) => {
    if (type !== 'deleted') queue.add(object.metadata.name ?? '')
  })
  return disposeAll(queue, fromPolicies)
}
