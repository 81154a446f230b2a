import type { Pod } from '@keelson/api/core/v1'
import type { Eviction, PodDisruptionBudget } from '@keelson/api/policy/v1'
import {
  copyObject,
  fieldError,
  newFieldPath,
  isApiError,
  labelSelectorAsSelector,
  newBadRequest,
  newConflict,
  newInvalid,
  newUnknownError,
  systemClock,
} from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, GroupVersionKind, KubeObject, RequestContext, Status } from '@keelson/apimachinery'
import { readResult, describeRESTStorage } from '@keelson/registry'
import type { CreateRequest, NamedCreater, RESTStorage, Store, SubresourceFactory, Updater } from '@keelson/registry'
import { podStatus } from '../status-strategy.ts'
import { newBudgetInProcessError, isOutsideBudgets, mayEvictUnhealthy, takeDisruption } from './check-budget.ts'
import { setPodCondition } from './pod-condition.ts'
import { createSuccessStatus } from './success.ts'

const evictionKind: GroupVersionKind = { group: 'policy', version: 'v1', kind: 'Eviction' }

/** Access to the disruption budgets of the cluster. */
export interface DisruptionBudgets {
  /** Lists the disruption budgets of a namespace. Reads from the store, so the list is never stale. */
  list(namespace: string): Promise<readonly DeepReadonly<PodDisruptionBudget>[]>
  /** Updates the status of a budget and retries on conflicts. Rejects with the error that `change` throws. */
  updateStatus(namespace: string, name: string, change: (budget: PodDisruptionBudget) => PodDisruptionBudget): Promise<void>
}

export interface EvictionOptions {
  /** Disruption budgets of the cluster. By default, pods have no budgets. */
  readonly budgets?: DisruptionBudgets
  readonly now?: () => number
}

/** Serves POST pods/NAME/eviction, which deletes a pod if its disruption budget allows that. */
export function createEvictionSubresource({ budgets, now = systemClock.now }: EvictionOptions): SubresourceFactory<Pod> {
  return (store): RESTStorage & NamedCreater => ({
    ...describeRESTStorage(evictionKind, { alsoAccepts: [{ group: 'policy', version: 'v1beta1' }] }),
    async createNamed(context, name, object, request) {
      const eviction = object as Eviction
      if (eviction.metadata.name !== name) throw newBadRequest('name in URL does not match name in Eviction object')
      const options = mergeDeleteOptions(eviction, request)
      await request.validate?.(copyObject(eviction), undefined)
      return new PodEviction({ store, context, name, options, budgets, now }).run()
    },
  })
}

/**
 * Merges the dry-run options of the request and the body. Throws if they differ. As in kube-apiserver, delete options in the body get a dry
 * run of the request, so that validating admission sees it.
 */
function mergeDeleteOptions({ metadata, deleteOptions }: Eviction, { dryRun }: CreateRequest): DeleteOptions {
  const options = deleteOptions ?? {}
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const path = newFieldPath('deleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential')
    const error = fieldError.invalid(path, true, 'can not be set for pod eviction, try after removing the option')
    throw newInvalid(evictionKind, metadata.name ?? '', [error])
  }
  const bodyDryRun = options.dryRun ?? []
  if (bodyDryRun.length === 0 && dryRun) options.dryRun = ['All']
  else if (dryRun && (bodyDryRun.length !== 1 || bodyDryRun[0] !== 'All')) {
    throw newUnknownError(`Non-matching dry-run options in request and content: [All] and [${bodyDryRun.join(' ')}]`)
  }
  return copyObject(options)
}

interface EvictionDependencies {
  readonly store: Store<Pod>
  readonly context: RequestContext
  readonly name: string
  readonly options: DeleteOptions
  readonly budgets: DisruptionBudgets | undefined
  readonly now: () => number
}

/** Maximum number of attempts when updates conflict. */
const maxAttempts = 20

class PodEviction {
  readonly #dependencies: EvictionDependencies
  readonly #status: Updater
  readonly #dryRun: boolean

  constructor(dependencies: EvictionDependencies) {
    this.#dependencies = dependencies
    this.#status = dependencies.store.subresource(podStatus)
    this.#dryRun = (dependencies.options.dryRun ?? []).length > 0
  }

  async run(): Promise<KubeObject> {
    const pod = await this.#removeOutsideBudgets()
    return pod === undefined ? createSuccessStatus() : this.#removeWithinBudget(pod)
  }

  /** Deletes the pod if disruption budgets ignore it. Otherwise returns the pod. */
  async #removeOutsideBudgets(): Promise<DeepReadonly<Pod> | undefined> {
    const { options } = this.#dependencies
    const hasResourceVersion = options.preconditions?.resourceVersion !== undefined
    for (let attempt = 1; ; attempt++) {
      const pod = await this.#read()
      if (!isOutsideBudgets(pod)) return pod
      try {
        // A pending pod may start to run, and budgets then count it. A terminated pod stays terminated.
        const mayChange = pod.status?.phase === 'Pending' && pod.metadata.deletionTimestamp === undefined
        await this.#remove(mayChange && !hasResourceVersion ? withResourceVersion(pod, options) : options)
        return undefined
      } catch (error) {
        if (hasResourceVersion || attempt === maxAttempts || !isApiError(error, 'Conflict')) throw error
      }
    }
  }

  async #removeWithinBudget(pod: DeepReadonly<Pod>): Promise<KubeObject> {
    const { budgets, options, now } = this.#dependencies
    const { namespace = '', name = '' } = pod.metadata
    const [budget, ...others] = findMatchingBudgets(pod, (await budgets?.list(namespace)) ?? [])
    if (others.length > 0) return createTooManyBudgetsStatus()
    if (budgets === undefined || budget === undefined) {
      await this.#remove(options)
      return createSuccessStatus()
    }
    const budgetName = budget.metadata.name ?? ''
    if (!mayEvictUnhealthy(pod, budget)) {
      const take = (current: PodDisruptionBudget): PodDisruptionBudget => {
        takeDisruption(current, name, now())
        return current
      }
      if (this.#dryRun) take(copyObject(budget) as PodDisruptionBudget)
      else await budgets.updateStatus(namespace, budgetName, take)
      await this.#remove(options)
      return createSuccessStatus()
    }
    try {
      await this.#remove(withResourceVersion(pod, options))
    } catch (error) {
      // A conflict means that the pod has changed, so it may be healthy now.
      if (isApiError(error, 'Conflict') && options.preconditions?.resourceVersion === undefined) throw newBudgetInProcessError(budgetName)
      throw error
    }
    return createSuccessStatus()
  }

  async #read(): Promise<DeepReadonly<Pod>> {
    const { store, context, name } = this.#dependencies
    return readResult(await store.get(context, name, {}))
  }

  /** Sets the condition DisruptionTarget of the pod, then deletes the pod. */
  async #remove(options: DeleteOptions): Promise<void> {
    const { store, context, name } = this.#dependencies
    let deleteOptions = options
    if (!this.#dryRun) {
      const edit = (current: KubeObject | undefined): KubeObject => {
        const pod = current as Pod
        checkVersion(pod, options)
        setPodCondition(context, pod, {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        })
        return pod
      }
      const { object } = await this.#status.update(context, name, { change: { kind: 'edit', edit }, dryRun: false })
      // The update of the condition has changed the resource version, so the precondition must be updated too.
      if (options.preconditions?.resourceVersion !== undefined) deleteOptions = withResourceVersion(readResult<Pod>(object), options)
    }
    await store.delete(context, name, { options: deleteOptions, dryRun: this.#dryRun })
  }
}

function withResourceVersion({ metadata }: DeepReadonly<Pod>, options: DeleteOptions): DeleteOptions {
  const { resourceVersion = '' } = metadata
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } }
}

function findMatchingBudgets(
  { metadata }: DeepReadonly<Pod>,
  budgets: readonly DeepReadonly<PodDisruptionBudget>[],
): DeepReadonly<PodDisruptionBudget>[] {
  return budgets.filter(({ spec }) => {
    try {
      return labelSelectorAsSelector(spec?.selector).matches(metadata.labels ?? {})
    } catch {
      // An invalid selector matches nothing.
      return false
    }
  })
}

/** Creates the Status for a pod with several disruption budgets. Like in kube-apiserver, it is sent with response code 201. */
function createTooManyBudgetsStatus(): KubeObject {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 }
  return status
}

/** Checks the preconditions of a delete. Throws Conflict if the pod does not match. */
function checkVersion({ metadata }: Pod, { preconditions = {} }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions
  const refuse = (field: string, expected: string, actual: string, cause: string): never => {
    const reason = `the ${field} in the precondition (${expected}) does not match the ${field} in record (${actual}). The object might have been ${cause}`
    throw newConflict({ group: '', resource: 'Pod' }, metadata.name ?? '', reason)
  }
  if (uid && uid !== metadata.uid) refuse('UID', uid, metadata.uid ?? '', 'deleted and then recreated')
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    refuse('ResourceVersion', resourceVersion, metadata.resourceVersion ?? '', 'modified')
  }
}
