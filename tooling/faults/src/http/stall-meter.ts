import { HostileClient } from './hostile-client.ts'
import type { ServerProcess } from './server-process.ts'

const pauseMs = 2

/** What others noticed of what was sent since the last look. */
export interface Stall {
  /** Time on a processor that the server's thread took while somebody waited for a health check. */
  readonly milliseconds: number
  /** The most memory, in bytes. */
  readonly memory: number
}

/**
 * Asks a server for its health again and again on a connection of its own. What counts is the processor time of its thread between question and
 * answer, not the time on the clock: so nothing else that runs on the machine is counted.
 */
export class StallMeter implements AsyncDisposable {
  readonly #server: ServerProcess
  readonly #client: HostileClient
  readonly #done: Promise<void>
  #ends = false
  #asked: number | undefined
  #milliseconds = 0
  #memory = 0

  constructor(server: ServerProcess) {
    this.#server = server
    this.#client = new HostileClient(server.port, server.token)
    this.#done = this.#run()
  }

  /** Since the last call. What is being waited for counts for both. */
  take(): Stall {
    this.#look()
    const stall = { milliseconds: this.#milliseconds, memory: this.#memory }
    this.#milliseconds = 0
    this.#memory = 0
    return stall
  }

  async #run(): Promise<void> {
    while (!this.#ends && this.#server.running()) {
      this.#asked = this.#server.threadMilliseconds()
      await this.#client.send({ method: 'GET', path: '/livez', headers: {}, body: undefined }).catch(() => undefined)
      this.#look()
      this.#asked = undefined
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  #look(): void {
    if (!this.#server.running()) return
    this.#memory = Math.max(this.#memory, this.#server.rss())
    if (this.#asked !== undefined) this.#milliseconds = Math.max(this.#milliseconds, this.#server.threadMilliseconds() - this.#asked)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ends = true
    await this.#done
    this.#client[Symbol.dispose]()
  }
}
