import type { FlowSchema } from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly, RequestedAction, UserInfo } from '@keelson/apimachinery'
import { createFlow } from '../fair-queuing/flow.ts'
import type { Flow } from '../fair-queuing/flow.ts'
import type { SchemaSeries } from '../metrics/flow-control-metrics.ts'
import type { EstimatingLevel } from '../width/estimate-work.ts'
import type { PriorityLevel } from './priority-level.ts'

/** The number of flows of a schema that are kept. Computing a flow takes a few microseconds. */
const keptFlows = 2000

/** A flow schema that is in use, and the priority level of its requests. */
export class FlowTarget implements EstimatingLevel {
  readonly schemaName: string
  readonly level: PriorityLevel
  readonly series: SchemaSeries
  /** The headers of responses, as alternating names and values. They name uids, because names could show users which priority they have. */
  readonly headers: readonly string[]
  readonly #distinguisher: 'ByUser' | 'ByNamespace' | undefined
  readonly #flows = new Map<string, Flow>()

  constructor({ metadata, spec }: DeepReadonly<FlowSchema>, level: PriorityLevel) {
    this.schemaName = metadata.name!
    this.level = level
    this.series = level.getSeries(this.schemaName)
    const levelUid = level.configuration.metadata.uid ?? ''
    this.headers = ['X-Kubernetes-Pf-Flowschema-Uid', metadata.uid ?? '', 'X-Kubernetes-Pf-Prioritylevel-Uid', levelUid]
    // Flows matter only if there are several queues to choose from.
    const hasQueues = level.queuing.type === 'queue' && level.queuing.queues > 1
    this.#distinguisher = hasQueues ? (spec?.distinguisherMethod?.type as 'ByUser' | 'ByNamespace' | undefined) : undefined
  }

  get levelName(): string {
    return this.level.name
  }

  get mostSeats(): number {
    return this.level.mostSeats
  }

  observeWatches(count: number): void {
    this.series.watchCount.observe(count)
  }

  /** Returns the flow of a request: those of its schema, by the same user or in the same namespace if the schema distinguishes them. */
  identifyFlow(action: RequestedAction, user: UserInfo): Flow {
    const distinguisher = this.#distinguisher === undefined ? '' : this.#distinguisher === 'ByUser' ? user.name : action.namespace
    let flow = this.#flows.get(distinguisher)
    if (flow !== undefined) return flow
    if (this.#flows.size >= keptFlows) this.#flows.clear()
    flow = createFlow(this.series, distinguisher)
    this.#flows.set(distinguisher, flow)
    return flow
  }
}
