import { setTimeout as wait } from 'node:timers/promises'
import { startServer } from '../http/server-process.ts'
import type { ServerProcess } from '../http/server-process.ts'
import { StallMeter } from '../http/stall-meter.ts'
import { fail } from '../scenarios/scenario.ts'
import type { ScenarioResult } from '../scenarios/scenario.ts'
import { DefinitionsClient } from './definitions-client.ts'
import type { Attempt } from './definitions-client.ts'
import { createWidgetDefinition } from './widget-definition.ts'

const megabyte = 2 ** 20
/** Maximum of the 99th percentile of reads in each phase, in milliseconds of processor time. */
const maxPercentileMs = 25
/** Maximum processor time for which a request delays a read, in milliseconds. Parsing a document of 3 MB cannot be divided. */
const maxStallMs = 150
/** Time in milliseconds after which the controllers have finished. */
const settleMs = 3000
/** Maximum memory that one request may allocate. */
const maxRequestBytes = 300 * megabyte

/** A server whose custom objects are read all the time. Adds the delays of these reads to a result. */
export class MeasuredServer implements AsyncDisposable {
  readonly server: ServerProcess
  readonly client: DefinitionsClient
  readonly result: ScenarioResult
  /** False in short forms, whose few reads give no percentile. The longest read is judged in any case. */
  judgesPercentiles = true
  readonly #meter: StallMeter

  constructor(server: ServerProcess, client: DefinitionsClient, result: ScenarioResult) {
    this.server = server
    this.client = client
    this.result = result
    this.#meter = new StallMeter(server, client.objectPath('steadies', 'a'))
  }

  static async start(directory: string, result: ScenarioResult, nodeFlags: readonly string[] = []): Promise<MeasuredServer> {
    const server = await startServer(directory, [], { nodeFlags })
    const client = new DefinitionsClient(server.port, server.token)
    await client.define(createWidgetDefinition('steady'))
    await client.create('steady', 'a', { size: 1 })
    return new MeasuredServer(server, client, result)
  }

  /** Runs a phase and judges how long it delayed reads. */
  async measurePhase(name: string, run: () => Promise<void>): Promise<void> {
    const { result, server } = this
    this.#meter.take()
    this.#meter.takePercentile(1)
    const startTime = performance.now()
    try {
      await run()
    } catch (error) {
      fail(result, `${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    const seconds = (performance.now() - startTime) / 1000
    const { milliseconds: percentile, count } = this.#meter.takePercentile(0.99)
    this.#judgeStall(name, this.#meter.take().milliseconds)
    result.notes.push(`${name}: reads took ${percentile.toFixed(1)} ms (p99 of ${count}), in ${seconds.toFixed(1)} s`)
    if (this.judgesPercentiles && percentile > maxPercentileMs)
      fail(result, `${name}: the 99th percentile of reads is ${percentile.toFixed(1)} ms`)
    if (!server.isRunning()) fail(result, `${name}: the server died: ${server.loggedErrors().slice(-2000)}`)
  }

  /** Sends a request, and judges the response, the delay of reads and the memory. Returns the status and the delay in milliseconds. */
  async measureRequest(about: string, send: () => Promise<Attempt>): Promise<Partial<Attempt> & { readonly milliseconds: number }> {
    const { result } = this
    this.#meter.take()
    const before = this.server.readMemory()
    result.operations++
    const attempt = await send().catch((error: unknown) => ({ status: undefined, problem: String(error) }))
    const { milliseconds, memory } = this.#meter.take()
    if (attempt.problem !== undefined) fail(result, `${about}: ${attempt.problem}`)
    if (memory - before > maxRequestBytes) fail(result, `${about}: allocated ${formatMegabytes(memory - before)}`)
    this.#judgeStall(about, milliseconds)
    return { ...(attempt.status !== undefined && { status: attempt.status }), milliseconds }
  }

  /** Returns the used heap in bytes. It does not contain the history of the store, which has a bound of its own. */
  async settledHeap(): Promise<number> {
    await wait(settleMs)
    return this.server.measureUsedHeap()
  }

  #judgeStall(about: string, milliseconds: number): void {
    if (milliseconds > maxStallMs) fail(this.result, `${about}: a read took ${milliseconds.toFixed(0)} ms of processor time`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#meter[Symbol.asyncDispose]()
    this.client[Symbol.dispose]()
    await this.server[Symbol.asyncDispose]()
  }
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`
}
