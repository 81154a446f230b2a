import { setTimeout as pause } from 'node:timers/promises'
import type { YamlOutcome } from './yaml-worker.ts'

/** Parses one text in a new thread. Terminates the thread when the signal aborts. */
export type ReadInThread = (text: string, signal: AbortSignal) => Promise<YamlOutcome>

interface Waiting {
  readonly length: number
  readonly begin: (thread: Thread) => void
}

/** A slot for one running thread. */
interface Thread {
  readonly choose: (waiting: readonly Waiting[]) => Waiting | undefined
  busy: boolean
}

/** Maximum length of texts for the first thread. Longer texts always wait for the second thread. */
const maxShortLength = 256 * 1024
/**
 * Minimum time budget of a text in milliseconds. On an idle machine, parsing takes about a second per megabyte, and starting a thread takes half
 * a second on Node 22. The rest is a margin.
 */
const minBudget = 4_000
const budgetPerMegabyte = 5_000

/**
 * Parses texts in two threads, so that long texts do not delay short ones. The first thread takes the shortest waiting text, but no long one. The
 * second thread takes the text that has waited longest, so that no text waits forever. A text that exceeds its time budget is rejected.
 */
export class ReadingThreads {
  readonly #read: ReadInThread
  readonly #delay: typeof pause
  readonly #waiting: Waiting[] = []
  readonly #threads: readonly Thread[] = [
    { choose: findShortest, busy: false },
    { choose: ([oldest]) => oldest, busy: false },
  ]

  /** Creates the threads on demand. `delay` waits like `setTimeout` of `node:timers/promises`; tests replace it. */
  constructor(read: ReadInThread, delay: typeof pause = pause) {
    this.#read = read
    this.#delay = delay
  }

  /** Parses a text as soon as a thread is free. Rejects with the signal's reason when aborted. */
  async read(text: string, signal: AbortSignal): Promise<YamlOutcome> {
    const thread = await this.#freeThread(text.length, signal)
    try {
      return await this.#readWithinBudget(text, signal)
    } finally {
      thread.busy = false
      this.#begin()
    }
  }

  #freeThread(length: number, signal: AbortSignal): Promise<Thread> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1)
        reject(signal.reason as Error)
      }
      const entry: Waiting = {
        length,
        begin: (thread) => {
          signal.removeEventListener('abort', leave)
          resolve(thread)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(entry)
      this.#begin()
    })
  }

  #begin(): void {
    for (const thread of this.#threads) {
      const next = thread.busy ? undefined : thread.choose(this.#waiting)
      if (next === undefined) continue
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      thread.busy = true
      next.begin(thread)
    }
  }

  async #readWithinBudget(text: string, signal: AbortSignal): Promise<YamlOutcome> {
    signal.throwIfAborted()
    const budget = minBudget + Math.round((text.length / 2 ** 20) * budgetPerMegabyte)
    const done = new AbortController()
    const late = this.#delay(budget, undefined, { signal: done.signal }).then(
      () => true,
      () => false,
    )
    const leave = (): void => done.abort(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      const outcome = await Promise.race([this.#read(text, done.signal), late])
      if (typeof outcome !== 'boolean') return outcome
      signal.throwIfAborted()
      return { name: 'YamlError', message: `the document takes too long to read: more than ${budget / 1000} s` }
    } finally {
      signal.removeEventListener('abort', leave)
      done.abort()
    }
  }
}

function findShortest(waiting: readonly Waiting[]): Waiting | undefined {
  let foundWaiting: Waiting | undefined
  for (const entry of waiting) if (entry.length <= maxShortLength && entry.length < (foundWaiting?.length ?? Infinity)) foundWaiting = entry
  return foundWaiting
}
