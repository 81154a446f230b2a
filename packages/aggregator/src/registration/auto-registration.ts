import type { APIService } from '@keelson/api/apiregistration/v1'
import { isApiError } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { DiscoveryRegistry } from '@keelson/http-installer'
import { WorkQueue } from '@keelson/loopback'
import type { LoopbackResource, WorkQueueMetrics } from '@keelson/loopback'
import { apiServicesResource } from '../apiservices/index.ts'
import { managedLabel } from '../apiservices/api-service-index.ts'
import type { ApiServiceIndex, ApiServiceRecord } from '../apiservices/api-service-index.ts'
import { findBuiltinPriorities, createPriorities } from './priorities.ts'
import type { Priorities } from './priorities.ts'

/** A local APIService that should exist. */
interface WantedApiService {
  readonly group: string
  readonly version: string
  readonly priorities: Priorities
  /** "onstart": created and updated once. "true": kept as it is while the group version is installed. */
  readonly managed: 'onstart' | 'true'
}

export interface AutoRegistrationOptions {
  readonly resource: LoopbackResource<APIService>
  readonly index: ApiServiceIndex
  /** The installed groups. */
  readonly discovery: DiscoveryRegistry
  readonly clock: Clock
  readonly metrics: WorkQueueMetrics
  readonly onError: (error: unknown) => void
}

/** Number of APIServices that are written at the same time. Their writes share a flush of the store. */
const workers = 50

/**
 * Creates a local APIService for each installed group version and deletes it when the version is removed. As in kube-apiserver, those of
 * built-in groups are written only once, at the start, so that administrators can change them.
 */
export class AutoRegistration implements AsyncDisposable {
  /** Resolves when all APIServices of built-in groups exist. */
  readonly completed: Promise<void>
  readonly #options: AutoRegistrationOptions
  readonly #wantedServices = new Map<string, WantedApiService>()
  /** Names of the wanted APIServices, by group. */
  readonly #namesByGroup = new Map<string, Set<string>>()
  /** Names of APIServices that were in the store at the start. */
  readonly #presentAtStart = new Set<string>()
  /** Names of APIServices that were processed without an error. */
  readonly #processed = new Set<string>()
  /** Changed groups that are read again in the next turn, after the groups that replace them are installed. */
  readonly #changedGroups = new Set<string>()
  readonly #queue: WorkQueue
  readonly #unsubscribe: () => void
  /** Names of APIServices of the start that have not been available yet. */
  readonly #unavailable: Set<string>
  /** Names of APIServices of the start that are not in the index yet. */
  readonly #absent: Set<string>
  #markCompleted: () => void = () => {}

  /** Starts the registration. All stored definitions must be served by then, and the index must be synced. */
  constructor(options: AutoRegistrationOptions) {
    const { index, discovery, clock, metrics, onError } = (this.#options = options)
    for (const { name } of index.listRecords()) this.#presentAtStart.add(name)
    this.#queue = new WorkQueue({
      name: 'autoregister',
      workers,
      clock,
      metrics,
      process: (name) => this.#sync(name),
      onError: (_name, error) => onError(error),
      longestRetry: 1_000_000,
    })
    for (const { name } of discovery.groups('name')) this.#readGroup(name, 'onstart')
    this.#unavailable = new Set(this.#wantedServices.keys())
    this.#absent = new Set(this.#wantedServices.keys().filter((name) => index.get(name) === undefined))
    this.completed = this.#absent.size === 0 ? Promise.resolve() : new Promise((resolve) => (this.#markCompleted = resolve))
    for (const name of new Set([...this.#wantedServices.keys(), ...this.#presentAtStart])) this.#queue.add(name)
    index.subscribe(({ name }) => {
      this.#queue.add(name)
      if (this.#absent.delete(name) && this.#absent.size === 0) this.#markCompleted()
    })
    this.#unsubscribe = discovery.subscribe((group) => this.#readGroupLater(group))
  }

  /** Names of the APIServices that the start creates and that have not been available yet. */
  get pending(): readonly string[] {
    for (const name of this.#unavailable) {
      if (this.#options.index.get(name)?.available?.status === 'True') this.#unavailable.delete(name)
    }
    return [...this.#unavailable].toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    this.#markCompleted()
    await this.#queue[Symbol.asyncDispose]()
  }

  #readGroupLater(group: string): void {
    if (this.#changedGroups.size === 0) {
      setImmediate(() => {
        const changed = [...this.#changedGroups]
        this.#changedGroups.clear()
        for (const name of changed) for (const apiService of this.#readGroup(name, 'true')) this.#queue.add(apiService)
      })
    }
    this.#changedGroups.add(group)
  }

  /** Determines the wanted APIServices of a group. Returns the names of those that changed. */
  #readGroup(group: string, managed: WantedApiService['managed']): string[] {
    const names = this.#namesByGroup.get(group) ?? new Set<string>()
    const removed = new Set(names)
    const changed: string[] = []
    if (group !== apiServicesResource.group) {
      const { versions = [], priority = 0 } = this.#options.discovery.group(group) ?? {}
      for (const [index, { version, isCustom = false }] of versions.entries()) {
        const name = `${version}.${group}`
        removed.delete(name)
        if (names.has(name)) continue
        const builtin = findBuiltinPriorities(group, version)
        const priorities = builtin ?? createPriorities(priority, { isCustom, index })
        this.#wantedServices.set(name, { group, version, priorities, managed: builtin === undefined ? 'true' : managed })
        names.add(name)
        changed.push(name)
      }
    }
    for (const name of removed) {
      names.delete(name)
      this.#wantedServices.delete(name)
      changed.push(name)
    }
    if (names.size === 0) this.#namesByGroup.delete(group)
    else this.#namesByGroup.set(group, names)
    return changed
  }

  async #sync(name: string): Promise<void> {
    const isFirst = !this.#processed.has(name)
    await this.#reconcile(name, isFirst)
    this.#processed.add(name)
  }

  async #reconcile(name: string, isFirst: boolean): Promise<void> {
    const { index, resource } = this.#options
    const wantedService = this.#wantedServices.get(name)
    const present = index.get(name)
    if (wantedService?.managed === 'onstart' && !isFirst) return
    if (present === undefined) {
      if (wantedService !== undefined) await ignoreRejection(resource.create('', createApiService(wantedService)), ['AlreadyExists'])
      return
    }
    const isManaged = present.managed === 'true' || (present.managed === 'onstart' && isFirst && this.#presentAtStart.has(name))
    if (!isManaged) return
    if (wantedService === undefined) {
      await ignoreRejection(resource.delete('', name, { preconditions: { uid: present.uid } }), ['NotFound', 'Conflict'])
    } else if (!hasSpec(present, wantedService)) {
      const { spec } = createApiService(wantedService)
      await ignoreRejection(
        resource.update('', name, (apiService) => ({ ...apiService, spec: spec! })),
        ['NotFound', 'Conflict'],
      )
    }
  }
}

/** Waits for a write. Ignores errors with these reasons: another writer was faster, and the index will show its result. */
async function ignoreRejection(write: Promise<unknown>, reasons: readonly ('AlreadyExists' | 'NotFound' | 'Conflict')[]): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!reasons.some((reason) => isApiError(error, reason))) throw error
  }
}

function createApiService({ group, version, priorities, managed }: WantedApiService): APIService {
  return {
    metadata: { name: `${version}.${group}`, labels: { [managedLabel]: managed } },
    spec: {
      ...(group !== '' && { group }),
      version,
      groupPriorityMinimum: priorities.group,
      versionPriority: priorities.version,
    },
  }
}

function hasSpec(present: ApiServiceRecord, { group, version, priorities }: WantedApiService): boolean {
  const { service, caBundle, insecureSkipTLSVerify, groupPriority, versionPriority } = present
  if (service !== undefined || caBundle !== '' || insecureSkipTLSVerify) return false
  if (present.group !== group || present.version !== version) return false
  return groupPriority === priorities.group && versionPriority === priorities.version
}
