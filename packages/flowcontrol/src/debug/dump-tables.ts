import { formatDuration } from '@keelson/apimachinery'
import type { PriorityLevel } from '../configuration/priority-level.ts'
import type { RequestDump } from '../fair-queuing/dump.ts'

export type DumpedTable = 'dump_priority_levels' | 'dump_queues' | 'dump_requests'

export interface DumpOptions {
  /** Whether requests have columns for the user and the URL. */
  readonly includeRequestDetails?: boolean
}

type Level = Pick<PriorityLevel, 'name' | 'queues' | 'isQuiescing'>
type Row = readonly (string | number | boolean)[]

/** Returns the state of priority levels as a table, in kube-apiserver's format. */
export function dumpTable(table: DumpedTable, levels: Iterable<Level>, { includeRequestDetails = false }: DumpOptions = {}): string {
  const sorted = Array.from(levels).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (table === 'dump_priority_levels') return formatTable([levelHeaders, ...sorted.map(describeLevel)])
  if (table === 'dump_queues') return formatTable([queueHeaders, ...sorted.flatMap(describeQueues)])
  const headers = includeRequestDetails ? [...requestHeaders, ...detailHeaders] : requestHeaders
  return formatTable([headers, ...sorted.flatMap((level) => describeRequests(level, includeRequestDetails))])
}

const levelHeaders: Row = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
]

function describeLevel({ name, queues, isQuiescing }: Level): Row {
  const { waitingRequests, executingRequests, dispatched, rejected, cancelled } = queues.counts
  const activeQueues = queues.dump().queues.filter(({ waiting }) => waiting.length > 0).length
  // kube-apiserver counts a request that waits too long as cancelled, and none as timed out.
  return [name, activeQueues, queues.isIdle, isQuiescing, waitingRequests, executingRequests, dispatched, rejected, 0, cancelled]
}

const queueHeaders: Row = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
]

function describeQueues({ name, queues }: Level): Row[] {
  return queues.dump().queues.map(({ waiting, executing, seatsInUse, nextDispatch, initialSeats, maxSeats, totalWork }, i) => {
    return [name, i, waiting.length, executing.length, seatsInUse, nextDispatch, initialSeats, maxSeats, totalWork]
  })
}

const requestHeaders: Row = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // kube-apiserver writes the name like this.
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
]
const detailHeaders: Row = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource']

function describeRequests({ name, queues }: Level, hasDetails: boolean): Row[] {
  const describe = (request: RequestDump, queue: number, index: number): Row => [
    name,
    request.schema,
    queue,
    index,
    request.distinguisher,
    formatNanoTime(request.arrivedAt),
    request.initialSeats,
    request.finalSeats,
    formatDuration(BigInt(Math.round(request.additionalLatency * 1e6))),
    request.startedAt === undefined ? '0001-01-01T00:00:00Z' : formatNanoTime(request.startedAt),
    ...(hasDetails ? describeDetails(request) : []),
  ]
  const dump = queues.dump()
  return [
    ...dump.queues.flatMap(({ waiting, executing }, queue) => [
      ...waiting.map((request, i) => describe(request, queue, i)),
      ...executing.map((request) => describe(request, queue, -1)),
    ]),
    ...dump.queuelessRequests.map((request) => describe(request, -1, -1)),
  ]
}

function describeDetails({ user, attributes }: RequestDump): Row {
  const { verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = attributes
  return [user.name, verb, path, namespace, name, apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`, resource, subresource]
}

/** Formats a time in milliseconds since 1970 with nanoseconds, without trailing zeros. */
function formatNanoTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  const nanoseconds = Math.floor((milliseconds - seconds * 1000) * 1e6)
  let fraction = String(nanoseconds).padStart(9, '0')
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction && `.${fraction}`}Z`
}

/** Aligns the columns of rows with the same number of cells, as Go's tabwriter does. The last column is not padded. */
function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => row.map((value, i) => (i < row.length - 1 ? `${value},` : String(value))))
  const widths = cells[0]!.map((_, column) => cells.reduce((width, row) => Math.max(width, [...row[column]!].length + 1), 8))
  return cells
    .map((row) => row.map((cell, i) => (i < row.length - 1 ? cell + ' '.repeat(widths[i]! - [...cell].length) : cell)).join(''))
    .map((line) => `${line}\n`)
    .join('')
}
