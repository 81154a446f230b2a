import { LinkedList } from './linked-list.ts'
import type { ListNode } from './linked-list.ts'

/** Maximum time that a loop may block the thread, in milliseconds. */
export const sliceMilliseconds = 5

export interface TimeSliceOptions {
  readonly owner?: string
  /** Length of the first slice in milliseconds. Use a short one if many loops may start in the same turn of the event loop. */
  readonly firstSlice?: number
}

/**
 * Divides a long loop into time slices. Other work can use the thread between two slices.
 *
 * @example
 * const slice = new TimeSlice()
 * for (const item of items) {
 *   handle(item)
 *   const pause = slice.pauseIfOver()
 *   if (pause) await pause
 * }
 */
export class TimeSlice {
  readonly #stepsPerCheck: number
  readonly #owner: string
  #end: number
  #steps = 0

  /**
   * Starts the first slice. `stepsPerCheck` is the number of steps between two reads of the clock. Use more than one if a step takes less than a
   * microsecond. `owner` is the user for whom the loop runs: see `waitForShare`.
   */
  constructor(stepsPerCheck = 1, { owner = '', firstSlice = sliceMilliseconds }: TimeSliceOptions = {}) {
    this.#stepsPerCheck = stepsPerCheck
    this.#owner = owner
    this.#end = performance.now() + firstSlice
  }

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Must be called after each step of the loop. If the slice is over, returns a promise to await before the next step; otherwise undefined. */
  pauseIfOver(): Promise<void> | undefined {
    if (++this.#steps < this.#stepsPerCheck) return undefined
    this.#steps = 0
    return this.isOver ? this.#pause() : undefined
  }

  /** Starts a new slice. Call it after the loop has awaited something else. */
  restart(): void {
    this.#end = performance.now() + sliceMilliseconds
  }

  async #pause(): Promise<void> {
    await waitForShare(this.#owner)
    this.restart()
  }
}

/**
 * Returns a promise to await between two steps of one request, so that other requests can continue. `began` is the start of the previous
 * step, as returned by `performance.now()`. If the step took less than a time slice, returns undefined. Otherwise, the promise resolves in a
 * later turn of the event loop.
 *
 * @example
 * const began = performance.now()
 * decode()
 * const pause = pauseIfLong(began)
 * if (pause !== undefined) await pause
 */
export function pauseIfLong(began: number): Promise<void> | undefined {
  return performance.now() - began < sliceMilliseconds ? undefined : waitTwoTurns()
}

/** Waits for two turns of the event loop. After only one turn, the requests that were read in that turn would not have run yet. */
async function waitTwoTurns(): Promise<void> {
  await waitForNextTurn()
  await waitForNextTurn()
}

/** Resolves in the next turn of the event loop, after pending input and output were handled. */
export function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Time in milliseconds for which waiting tasks are resumed in one turn. A small request takes several turns. */
const shareMilliseconds = 2

/** Tasks that wait for the thread, by owner. The first owner in the map is next. */
const waitingTasks = new Map<string, LinkedList<() => void>>()
let isDividing = false

/**
 * Resolves when a large task may use the thread for another slice. In each turn of the event loop, tasks are resumed for 2 ms altogether, so
 * small requests do not wait longer when there are more large tasks. The owners take turns: an owner with hundreds of tasks gets
 * the same share of the thread as an owner with one.
 */
export function waitForShare(owner: string): Promise<void> {
  return new Promise((resolve) => {
    const tasks = waitingTasks.get(owner)
    if (tasks !== undefined) tasks.add(resolve)
    else {
      const list = new LinkedList<() => void>()
      list.add(resolve)
      waitingTasks.set(owner, list)
    }
    if (isDividing) return
    isDividing = true
    setImmediate(divideTurn)
  })
}

/** Resumes tasks one after the other until their time is over. */
function divideTurn(): void {
  const end = performance.now() + shareMilliseconds
  const resumeNext = (): void => {
    if (waitingTasks.size === 0) isDividing = false
    else if (performance.now() >= end) setImmediate(divideTurn)
    else {
      takeNextTask()()
      // A tick that is requested by a microtask comes after all microtasks, so after the resumed task has reached its next wait.
      queueMicrotask(() => process.nextTick(resumeNext))
    }
  }
  resumeNext()
}

function takeNextTask(): () => void {
  const [owner, tasks] = waitingTasks.entries().next().value as [string, LinkedList<() => void>]
  const first = tasks.first as ListNode<() => void>
  tasks.remove(first)
  // The owner moves to the end.
  waitingTasks.delete(owner)
  if (tasks.first !== undefined) waitingTasks.set(owner, tasks)
  return first.value
}

let shared: Promise<void> | undefined

/**
 * Resolves in the next turn of the event loop, like `waitForNextTurn`, but returns one promise to all callers of a turn. All of them then continue
 * after this `await` before any reaches its next one. Code that runs for many requests in a row stays in the processor's cache. This saves a
 * third of the processor time of a create under load. A single request waits a few microseconds longer.
 */
export function waitForSharedTurn(): Promise<void> {
  shared ??= new Promise((resolve) => {
    setImmediate(() => {
      shared = undefined
      resolve()
    })
  })
  return shared
}

/**
 * Calls `next` with a value, or with the result of a promise. Calls it synchronously if the value is not a promise, because `await` would delay
 * the call.
 */
export function runAfter<T, Next>(value: T | Promise<T>, next: (value: T) => Next | Promise<Next>): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
