import { setImmediate as waitForTurn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { HealthCheck } from './health.ts'

const blockedLogMs = 2 * 60_000
/** Duration of one turn of the event loop, in milliseconds, from which the server counts as stuck. Normal turns take less than 50 ms. */
const stuckTurnMs = 5000
/** Share of the heap's limit from which the process is about to run out of memory. */
const fullHeapShare = 0.95
const fullHeapMs = 60_000

export interface CheckedProcess {
  readonly now: () => number
  readonly log: { readonly writableNeedDrain: boolean }
  readonly heap: () => { readonly used_heap_size: number; readonly heap_size_limit: number }
  readonly waitForTurn: () => Promise<unknown>
}

const thisProcess: CheckedProcess = { now: () => performance.now(), log: process.stderr, heap: getHeapStatistics, waitForTurn }

export interface BasicChecks {
  healthz: HealthCheck[]
  livez: HealthCheck[]
  readyz: HealthCheck[]
}

/**
 * Creates the checks that every server has. Those of the process itself begin with `keelson/`, because kube-apiserver does not have them. They
 * fail after a turn of the event loop that took seconds, or while the heap is nearly full, and do not influence `/readyz`: a server under load stays ready.
 */
export function createBasicChecks(checked: CheckedProcess = thisProcess): BasicChecks {
  const ping = { name: 'ping', check: () => {} }
  const log = createLogCheck(checked)
  // The server calls itself in process, without a certificate that could expire.
  const certificate = { name: 'loopback-serving-certificate', check: () => {} }
  const ofProcess = [createEventLoopCheck(checked), createHeapCheck(checked)]
  return { healthz: [ping, log, certificate, ...ofProcess], livez: [ping, log, certificate, ...ofProcess], readyz: [ping, log] }
}

/** Fails if the reader of the log has blocked it for two minutes. */
function createLogCheck({ now, log }: CheckedProcess): HealthCheck {
  return {
    name: 'log',
    check: createLastingCheck({ now, milliseconds: blockedLogMs, isFailing: () => log.writableNeedDrain, message: 'logging blocked' }),
  }
}

function createEventLoopCheck({ now, waitForTurn: wait }: CheckedProcess): HealthCheck {
  return {
    name: 'keelson/event-loop',
    check: async () => {
      const began = now()
      await wait()
      const milliseconds = now() - began
      if (milliseconds > stuckTurnMs) throw new Error(`a turn of the event loop took ${Math.round(milliseconds)} ms`)
    },
  }
}

function createHeapCheck({ now, heap }: CheckedProcess): HealthCheck {
  const isFailing = (): boolean => {
    const { used_heap_size: used, heap_size_limit: limit } = heap()
    return used > fullHeapShare * limit
  }
  const message = `more than ${fullHeapShare * 100} % of the heap's limit is in use`
  return { name: 'keelson/heap', check: createLastingCheck({ now, milliseconds: fullHeapMs, isFailing, message }) }
}

interface LastingState {
  readonly now: () => number
  readonly milliseconds: number
  readonly isFailing: () => boolean
  readonly message: string
}

/** Creates a check that fails if all calls have found a state for some time. */
function createLastingCheck({ now, milliseconds, isFailing, message }: LastingState): () => void {
  let since: number | undefined
  return () => {
    if (!isFailing()) since = undefined
    else if (now() - (since ??= now()) >= milliseconds) throw new Error(message)
  }
}
