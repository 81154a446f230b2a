import type { FlowSchema, FlowSchemaCondition, PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import { equalsSemantically, formatTime, isApiError, quote } from '@keelson/apimachinery'
import type { Clock, DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { RetryAfter, WorkQueue } from '@keelson/loopback'
import type { Informer, InformerEvent, LoopbackClient, SharedInformers, WorkQueueMetrics } from '@keelson/loopback'
import type { FlowConfiguration } from './flow-configuration.ts'

export interface ConfigControllerOptions {
  readonly configuration: Pick<FlowConfiguration, 'digest' | 'adjust'>
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  readonly clock: Clock
  readonly metrics?: WorkQueueMetrics
  readonly onError: (error: unknown) => void
  /** Returns random numbers from 0 to 1. Default: Math.random. */
  readonly random?: () => number
}

const group = 'flowcontrol.apiserver.k8s.io'
const fieldManager = 'api-priority-and-fairness-config-consumer-v1'
const key = 'configuration'
const adjustmentMs = 10_000
const minuteMs = 60_000
const mostUpdatesPerMinute = 5

type WithConditions = KubeObject & { spec?: object; status?: object }

/**
 * Keeps the configuration equal to the FlowSchemas and PriorityLevelConfigurations of the server. Writes into the status of each FlowSchema
 * whether its priority level exists. Distributes the seats every 10 seconds.
 */
export class ConfigController implements AsyncDisposable {
  readonly #options: ConfigControllerOptions
  readonly #queue: WorkQueue
  /** The times of the latest status updates, by name of the flow schema. Entries are at most a minute old. */
  readonly #updates = new Map<string, number[]>()
  /** The last written message of each flow schema, with the object that it was based on. The informer reports the result later. */
  readonly #written = new Map<string, { readonly schema: DeepReadonly<FlowSchema>; readonly message: string }>()
  readonly #stops: (() => void)[] = []
  #levels: Informer<PriorityLevelConfiguration> | undefined
  #schemas: Informer<FlowSchema> | undefined
  #isStopped = false

  constructor(options: ConfigControllerOptions) {
    this.#options = options
    const { clock, metrics, onError } = options
    this.#queue = new WorkQueue({
      name: 'priority_and_fairness_config_queue',
      clock,
      workers: 1,
      // Starts with a long delay, because conflicts are with other servers and take some time to end.
      firstRetry: 200,
      longestRetry: 8 * 60 * minuteMs,
      ...(metrics && { metrics }),
      onError: (_key, error) => onError(error),
      process: () => this.#sync(),
    })
  }

  /** Starts to follow the objects. Resolves when the configuration has all of them, and their status is written. */
  async start(): Promise<void> {
    const { informers, onError } = this.#options
    this.#levels = informers.of<PriorityLevelConfiguration>({ group, resource: 'prioritylevelconfigurations' })
    this.#schemas = informers.of<FlowSchema>({ group, resource: 'flowschemas' })
    if (this.#levels === undefined || this.#schemas === undefined) return
    await Promise.all([this.#levels.synced, this.#schemas.synced])
    if (this.#isStopped) return
    this.#scheduleAdjustment()
    // Retries a failed status update in the background.
    await this.#sync().catch((error: unknown) => onError(error))
    if (this.#isStopped) return
    this.#stops.push(this.#levels.subscribe((event) => this.#onChange(event, ['spec'])))
    // Other servers may write another status. The status must be that of this server, so its changes matter too.
    this.#stops.push(this.#schemas.subscribe((event) => this.#onChange(event, ['spec', 'status'])))
  }

  /** Reads the objects again, because a deleted priority level has become idle. */
  refresh(): void {
    if (this.#levels !== undefined) this.#queue.add(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    for (const stop of this.#stops.splice(0)) stop()
    await this.#queue[Symbol.asyncDispose]()
  }

  #onChange<T extends WithConditions>(event: InformerEvent<T>, members: readonly ('spec' | 'status')[]): void {
    if (event.type === 'updated') {
      const { object, old } = event as { object: DeepReadonly<WithConditions>; old: DeepReadonly<WithConditions> }
      if (members.every((member) => equalsSemantically(object[member], old[member]))) return
    }
    this.#queue.add(key)
  }

  #scheduleAdjustment(): void {
    const cancel = this.#options.clock.after(adjustmentMs, () => {
      this.#stops.splice(this.#stops.indexOf(cancel), 1)
      this.#options.configuration.adjust()
      this.#scheduleAdjustment()
    })
    this.#stops.push(cancel)
  }

  async #sync(): Promise<void> {
    const schemas = this.#schemas!.list()
    const levels = this.#options.configuration.digest(this.#levels!.list(), schemas)
    const names = new Set(schemas.map(({ metadata }) => metadata.name))
    for (const name of this.#written.keys()) if (!names.has(name)) this.#written.delete(name)
    let mustWait = false
    const writes: Promise<void>[] = []
    for (const schema of schemas) {
      const condition = this.#findOutdated(schema, levels)
      if (condition === undefined) continue
      if (this.#isUpdatedTooOften(schema.metadata.name!)) mustWait = true
      else writes.push(this.#writeCondition(schema, condition))
    }
    await Promise.all(writes)
    const { random = Math.random } = this.#options
    if (mustWait) throw new RetryAfter((30 + Math.floor(45 * random())) * 1000, 'the status of a FlowSchema changes too often')
  }

  /** Returns the condition that a schema should have. Returns undefined if it has that condition. */
  #findOutdated(schema: DeepReadonly<FlowSchema>, levels: ReadonlySet<string>): FlowSchemaCondition | undefined {
    const { metadata, spec, status } = schema
    const wantedCondition = createDanglingCondition(spec?.priorityLevelConfiguration.name ?? '', levels)
    const present = status?.conditions?.find(({ type }) => type === wantedCondition.type)
    const isCurrent =
      present !== undefined &&
      present.status === wantedCondition.status &&
      present.reason === wantedCondition.reason &&
      present.message === wantedCondition.message
    const written = this.#written.get(metadata.name!)
    const isWritten = written?.schema === schema && written.message === wantedCondition.message
    return isCurrent || isWritten ? undefined : { ...wantedCondition, lastTransitionTime: formatTime(this.#options.clock.now()) }
  }

  async #writeCondition(schema: DeepReadonly<FlowSchema>, condition: FlowSchemaCondition): Promise<void> {
    const { client, clock } = this.#options
    const name = schema.metadata.name!
    this.#updates.set(name, [clock.now(), ...(this.#updates.get(name) ?? [])])
    const config: FlowSchema = { metadata: { name }, status: { conditions: [condition] } }
    try {
      const schemas = client.resource<FlowSchema>({ group, resource: 'flowschemas' })
      await schemas?.apply('', config, { fieldManager, subresource: 'status' })
      this.#written.set(name, { schema, message: condition.message! })
    } catch (error) {
      // The informer is about to report that the schema was deleted.
      if (!isApiError(error, 'NotFound')) throw error
    }
  }

  /** Returns whether the status of a schema was updated too often within the last minute. Two servers may disagree about it. */
  #isUpdatedTooOften(name: string): boolean {
    const since = this.#options.clock.now() - minuteMs
    for (const [schema, times] of this.#updates) {
      const recent = times.filter((time) => time >= since)
      if (recent.length === 0) this.#updates.delete(schema)
      else this.#updates.set(schema, recent)
    }
    return (this.#updates.get(name)?.length ?? 0) > mostUpdatesPerMinute
  }
}

function createDanglingCondition(level: string, levels: ReadonlySet<string>): FlowSchemaCondition {
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${quote(level)}`
  return levels.has(level)
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${subject} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${subject} but there is no such object` }
}
