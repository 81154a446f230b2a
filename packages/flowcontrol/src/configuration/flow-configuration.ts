import type { FlowSchema, PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import type { Clock, DeepReadonly, RequestedAction, UserInfo } from '@keelson/apimachinery'
import { bootstrapFlowSchemas, bootstrapPriorityLevels } from '@keelson/resources'
import { validateQueuing } from '../fair-queuing/queuing.ts'
import type { FlowControlMetrics } from '../metrics/flow-control-metrics.ts'
import { adjustSeats } from './adjust-seats.ts'
import { comparePrecedence, compileSchemas } from './compile-schemas.ts'
import type { Classifier } from './compile-schemas.ts'
import { FlowTarget } from './flow-target.ts'
import { PriorityLevel } from './priority-level.ts'
import { readQueuing, readShares } from './seat-limits.ts'

export interface FlowConfigurationOptions {
  /** The number of seats of the server, which all priority levels share. */
  readonly serverSeats: number
  readonly clock: Clock
  readonly metrics: FlowControlMetrics
  /** Called when a deleted priority level has become idle, so that the next `digest` removes it. */
  readonly onUnused: () => void
  /** Called with problems that validation should have prevented. */
  readonly onProblem: (message: string) => void
}

/** The priority level and the flow schema that are used while their object does not exist. */
const mandatoryNames = ['exempt', 'catch-all'] as const
const mandatoryLevels = new Map(mandatoryNames.map((name) => [name, findNamed(bootstrapPriorityLevels, name)]))
const mandatorySchemas = new Map(mandatoryNames.map((name) => [name, findNamed(bootstrapFlowSchemas, name)]))

/**
 * The flow schemas and priority levels in use. All objects are digested together, because they depend on each other: a level's seats depend
 * on the shares of all levels, and schemas whose level does not exist are ignored.
 */
export class FlowConfiguration {
  readonly #options: FlowConfigurationOptions
  #levels = new Map<string, PriorityLevel>()
  #classify!: Classifier<FlowTarget>

  /** Starts with the mandatory objects only. */
  constructor(options: FlowConfigurationOptions) {
    this.#options = options
    this.digest([], [])
  }

  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels
  }

  /** Returns the flow schema and the priority level of a request. */
  classify(action: RequestedAction, user: UserInfo): FlowTarget {
    return this.#classify(action, user)
  }

  /**
   * Replaces the configuration. Requests that wait or run keep their level until they have ended. Returns the names of the levels that flow
   * schemas may refer to.
   */
  digest(
    levelObjects: readonly DeepReadonly<PriorityLevelConfiguration>[],
    schemaObjects: readonly DeepReadonly<FlowSchema>[],
  ): ReadonlySet<string> {
    const levels = new Map<string, PriorityLevel>()
    for (const object of levelObjects) this.#digestLevel(levels, object)
    const usable = new Set(levels.keys())
    const schemas = schemaObjects.filter(({ spec }) => levels.has(spec?.priorityLevelConfiguration.name ?? '')).toSorted(comparePrecedence)
    this.#keepBusyLevels(levels)
    for (const name of mandatoryNames) if (!levels.has(name)) this.#digestLevel(levels, mandatoryLevels.get(name)!)
    this.#levels = levels
    this.#compile(schemas)
    this.#limit()
    this.adjust()
    return usable
  }

  /** Distributes the seats by the demand since the last call. */
  adjust(): void {
    const { serverSeats, metrics, onProblem } = this.#options
    const report = (error: unknown): void => onProblem(`seats cannot be distributed: ${(error as Error).message}`)
    metrics.recordAdjustment(adjustSeats(this.#levels.values(), serverSeats, report))
  }

  #digestLevel(levels: Map<string, PriorityLevel>, object: DeepReadonly<PriorityLevelConfiguration>): void {
    const { clock, metrics, onUnused, onProblem } = this.#options
    const name = object.metadata.name!
    const queuing = readQueuing(object)
    const problem = typeof queuing === 'string' ? queuing : validateQueuing(queuing)
    if (problem !== undefined || typeof queuing === 'string') {
      onProblem(`PriorityLevelConfiguration ${name} is ignored: ${problem}`)
      return
    }
    const present = this.#levels.get(name)
    if (present === undefined) {
      const onIdle = (level: PriorityLevel): void => {
        if (level.isQuiescing) onUnused()
      }
      levels.set(name, new PriorityLevel(object, queuing, { clock, metrics, onIdle }))
      return
    }
    present.configuration = object
    present.queuing = queuing
    present.isQuiescing = false
    levels.set(name, present)
  }

  /** Keeps levels without an object if they are mandatory or have requests. Removes the other ones. */
  #keepBusyLevels(levels: Map<string, PriorityLevel>): void {
    for (const [name, level] of this.#levels) {
      if (levels.has(name)) continue
      const isMandatory = mandatoryLevels.has(name as (typeof mandatoryNames)[number])
      if (!isMandatory && level.queues.isIdle) {
        level.close()
        continue
      }
      level.isQuiescing = !isMandatory
      levels.set(name, level)
    }
  }

  #compile(schemas: readonly DeepReadonly<FlowSchema>[]): void {
    const names = new Set(schemas.map(({ metadata }) => metadata.name))
    const inUse = [...schemas]
    if (!names.has('exempt')) inUse.unshift(mandatorySchemas.get('exempt')!)
    if (!names.has('catch-all')) inUse.push(mandatorySchemas.get('catch-all')!)
    const targets = inUse.map((schema) => ({
      schema,
      target: new FlowTarget(schema, this.#levels.get(schema.spec!.priorityLevelConfiguration.name)!),
    }))
    const catchAll = targets.find(({ target }) => target.schemaName === 'catch-all')!
    this.#classify = compileSchemas(targets, catchAll.target)
    for (const level of this.#levels.values()) {
      level.keepSeries(new Set(targets.flatMap(({ target }) => (target.level === level ? target.schemaName : []))))
    }
  }

  #limit(): void {
    const { serverSeats, metrics } = this.#options
    const levels = [...this.#levels.values()]
    const totalShares = levels.reduce((sum, { configuration }) => sum + readShares(configuration.spec!), 0)
    for (const level of levels) level.limit(serverSeats, totalShares)
    const waiting = levels.reduce((sum, { queuing }) => sum + (queuing.type === 'queue' ? queuing.queues * queuing.queueLengthLimit : 0), 0)
    metrics.setLimits({ waiting, executing: levels.reduce((sum, { limits }) => sum + limits.nominal, 0) })
  }
}

function findNamed<T extends { readonly metadata: { readonly name?: string } }>(objects: readonly T[], name: string): T {
  return objects.find(({ metadata }) => metadata.name === name)!
}
