import { HostileClient } from './hostile-client.ts'
import type { ServerProcess } from './server-process.ts'
import { findPercentile } from '../load/percentile.ts'

const pauseMs = 2

/** Effects of requests on other clients, since the last call of `take`. */
export interface Stall {
  /** Longest processor time of the server's thread while a health check was pending. */
  readonly milliseconds: number
  /** Highest memory in bytes. */
  readonly memory: number
}

/**
 * Measures how long a server delays other clients. Sends health checks or other reads on a separate connection. Measures the processor time of the
 * server's thread from request to response. Elapsed time would depend on other processes.
 */
export class StallMeter implements AsyncDisposable {
  readonly #server: ServerProcess
  readonly #client: HostileClient
  readonly #done: Promise<void>
  #ends = false
  #requestTime: number | undefined
  #milliseconds = 0
  #memory = 0
  readonly #path: string
  /** Processor times of completed requests since the last call of `takePercentile`. */
  #times: number[] = []

  constructor(server: ServerProcess, path: string = '/livez') {
    this.#server = server
    this.#path = path
    this.#client = new HostileClient(server.port, server.token)
    this.#done = this.#run()
  }

  /** Returns the highest values since the last call. A pending health check counts both before and after the call. */
  take(): Stall {
    this.#look()
    const stall = { milliseconds: this.#milliseconds, memory: this.#memory }
    this.#milliseconds = 0
    this.#memory = 0
    return stall
  }

  /**
   * Returns a percentile of the processor times of all requests since the last call, in milliseconds, and their number. `share` is for example
   * 0.99.
   */
  takePercentile(share: number): { readonly milliseconds: number; readonly count: number } {
    const times = this.#times
    this.#times = []
    return { milliseconds: findPercentile(times, share), count: times.length }
  }

  async #run(): Promise<void> {
    while (!this.#ends && this.#server.isRunning()) {
      this.#requestTime = this.#server.readThreadTime()
      await this.#client.send({ method: 'GET', path: this.#path, headers: {}, body: undefined }).catch(() => undefined)
      this.#look()
      if (this.#server.isRunning()) this.#times.push(this.#server.readThreadTime() - this.#requestTime)
      this.#requestTime = undefined
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  #look(): void {
    if (!this.#server.isRunning()) return
    this.#memory = Math.max(this.#memory, this.#server.readMemory())
    if (this.#requestTime !== undefined)
      this.#milliseconds = Math.max(this.#milliseconds, this.#server.readThreadTime() - this.#requestTime)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ends = true
    await this.#done
    this.#client[Symbol.dispose]()
  }
}
