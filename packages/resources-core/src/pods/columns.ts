import type { DeepReadonly } from '@keelson/apimachinery'
import { formatHumanDuration } from '@keelson/registry'
import type { ColumnGroup, TableCell } from '@keelson/registry'
import type { Container, Pod, PodCondition } from '@keelson/api/core/v1'
import { isSidecar } from '../pod-spec/visit-containers.ts'

type ReadonlyPod = DeepReadonly<Pod>

/** The columns Ready, Status and Restarts of `kubectl get pods`. Visits the containers only once. */
export const summaryColumns: ColumnGroup<Pod> = {
  columns: [
    { name: 'Ready', description: 'Number of ready containers.' },
    { name: 'Status', description: 'State of the pod and its containers.' },
    { name: 'Restarts', description: 'Number of container restarts and time since the last one.' },
  ],
  row: summarize,
}

function summarize(pod: ReadonlyPod, now: number): readonly TableCell[] {
  const init = new Map((pod.spec?.initContainers ?? []).map((container) => [container.name, container]))
  const sidecars = [...init.values()].filter(isSidecar)
  const total = (pod.spec?.containers ?? []).length + sidecars.length
  const phase = initPhase(pod, init)
  let { reason, ready, restarts, lastRestart } = phase
  const conditions = pod.status?.conditions ?? []
  if (!phase.initializing || isTrue(conditions, 'Initialized')) {
    restarts = phase.sidecarRestarts
    lastRestart = phase.lastSidecarRestart
    let running = false
    let failure = ''
    for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
      restarts += status.restartCount
      lastRestart = pickLater(lastRestart, status.lastState?.terminated?.finishedAt)
      const terminated = status.state?.terminated
      const waiting = status.state?.waiting?.reason ?? ''
      if (waiting !== '') reason = waiting
      else if (terminated !== undefined) {
        reason = terminated.reason || (terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`)
        if (terminated.exitCode !== 0) failure = reason
      } else if (status.ready && status.state?.running !== undefined) {
        running = true
        ready += 1
      }
    }
    if (reason === 'Completed')
      if (running && isTrue(conditions, 'Ready')) reason = 'Running'
      else if (failure !== '') reason = failure
      else if (running) reason = 'NotReady'
  }
  if (pod.metadata.deletionTimestamp !== undefined)
    if (pod.status?.reason === 'NodeLost') reason = 'Unknown'
    else if (pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded') reason = 'Terminating'
  const ago = restarts !== 0 && lastRestart !== '' ? ` (${formatHumanDuration(now - Date.parse(lastRestart))} ago)` : ''
  return [`${ready}/${total}`, reason, `${restarts}${ago}`]
}

interface InitPhase {
  reason: string
  readonly initializing: boolean
  readonly ready: number
  readonly restarts: number
  readonly lastRestart: string
  readonly sidecarRestarts: number
  readonly lastSidecarRestart: string
}

/** Returns the status that a pod shows while it is initializing. Visits the init containers up to the first that has not finished. */
function initPhase(pod: ReadonlyPod, init: ReadonlyMap<string, DeepReadonly<Container>>): InitPhase {
  const isGated = (pod.status?.conditions ?? []).some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated')
  let reason = isGated ? 'SchedulingGated' : pod.status?.reason || (pod.status?.phase ?? '')
  let initializing = false
  let ready = 0
  let restarts = 0
  let lastRestart = ''
  let sidecarRestarts = 0
  let lastSidecarRestart = ''
  const statuses = pod.status?.initContainerStatuses ?? []
  for (const [index, status] of statuses.entries()) {
    const sidecar = isSidecar(init.get(status.name))
    const finished = status.lastState?.terminated?.finishedAt
    restarts += status.restartCount
    lastRestart = pickLater(lastRestart, finished)
    if (sidecar) {
      sidecarRestarts += status.restartCount
      lastSidecarRestart = pickLater(lastSidecarRestart, finished)
    }
    const terminated = status.state?.terminated
    if (terminated?.exitCode === 0) continue
    if (sidecar && status.started === true) {
      if (status.ready) ready += 1
      continue
    }
    const waiting = status.state?.waiting?.reason ?? ''
    if (terminated !== undefined)
      reason = `Init:${terminated.reason || (terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') reason = `Init:${waiting}`
    else reason = `Init:${index}/${(pod.spec?.initContainers ?? []).length}`
    initializing = true
    break
  }
  return { reason, initializing, ready, restarts, lastRestart, sidecarRestarts, lastSidecarRestart }
}

function isTrue(conditions: readonly DeepReadonly<PodCondition>[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True')
}

function pickLater(a: string, b: string | null | undefined): string {
  return b !== undefined && b !== null && (a === '' || Date.parse(b) > Date.parse(a)) ? b : a
}

/** Formats how many readiness gates of a pod are true, like "1/2". */
export function formatReadinessGates(pod: ReadonlyPod): string {
  const gates = pod.spec?.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  // If several conditions have the same type, the first one applies.
  const conditions = new Map((pod.status?.conditions ?? []).toReversed().map(({ type, status }) => [type, status]))
  const fulfilled = gates.filter(({ conditionType }) => conditions.get(conditionType) === 'True')
  return `${fulfilled.length}/${gates.length}`
}
