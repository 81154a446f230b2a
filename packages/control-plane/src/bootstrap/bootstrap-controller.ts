import { pause, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { IPRange } from '@keelson/core-services'
import type { LoopbackClient } from '@keelson/loopback'
import { syncDefaultServiceCIDR } from './default-service-cidr.ts'
import { EndpointReconciler } from './endpoint-reconciler.ts'
import { createKubernetesService } from './kubernetes-service.ts'
import type { ServerLeases } from './server-leases.ts'

export interface BootstrapOptions {
  readonly client: LoopbackClient
  /** CIDR ranges of service addresses, in order of preference. */
  readonly ranges: readonly IPRange[]
  /** Leases of the servers on the store. Undefined if another component manages the endpoints of the kubernetes service. */
  readonly leases: ServerLeases | undefined
  /** Address by which other machines reach this server. Undefined if there is none. */
  readonly address: string | undefined
  readonly clock?: Clock
  readonly log: (text: string) => void
  /** Interval between reconciliations. Default 10 s. */
  readonly intervalMs?: number
}

/** Creates and maintains the default ServiceCIDR, the kubernetes service and its endpoints. */
export class BootstrapController {
  readonly #options: BootstrapOptions
  readonly #clock: Clock
  readonly #stop = new AbortController()
  #endpoints: EndpointReconciler | undefined
  #port: number | undefined
  #started = false
  #running: Promise<void> = Promise.resolve()
  /** Last log message of each step. A repeated message is not logged again. */
  readonly #lastMessages = new Map<string, string>()

  constructor(options: BootstrapOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Creates the default ServiceCIDR. Service addresses cannot be allocated without it. */
  async syncRanges(): Promise<void> {
    const { client, ranges } = this.#options
    const log = (text: string): void => this.#logOnce('range', text)
    await syncDefaultServiceCIDR(client, { cidrs: ranges.map(({ cidr }) => cidr), now: () => this.#clock.now(), log })
  }

  /** Reconciles immediately and then periodically. Resolves after the first reconciliation. */
  async start(): Promise<void> {
    this.#started = true
    await this.#publish()
    this.#running = this.#repeat()
  }

  /** Publishes the kubernetes service and its endpoints at `port`. A server that does not listen maintains only the ServiceCIDRs. */
  async listenOn(port: number): Promise<void> {
    this.#port = port
    if (this.#started) await this.#publish()
  }

  async #publish(): Promise<void> {
    const { client, leases, address, log } = this.#options
    const port = this.#port
    if (port === undefined) return
    if (leases !== undefined) {
      if (address === undefined) log('the kubernetes service has no endpoint: this machine has no external address')
      else this.#endpoints = new EndpointReconciler({ client, leases, address, port })
    }
    // Removes the endpoint that a crashed server may have left at this address, because its port may differ.
    await this.#attempt('endpoints', () => this.#endpoints?.remove())
    await this.#sync()
  }

  /** Removes this server's endpoint before the server stops. Waits for the store for at most two intervals. */
  async stop(): Promise<void> {
    this.#stop.abort()
    const removed = this.#running.then(() => this.#attempt('endpoints', () => this.#endpoints?.remove()))
    await Promise.race([removed, pause(this.#clock, 2 * this.#interval)])
  }

  get #interval(): number {
    return this.#options.intervalMs ?? 10_000
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stop
    for (;;) {
      await pause(this.#clock, this.#interval, { signal })
      if (signal.aborted) return
      await this.#attempt('range', () => this.syncRanges())
      await this.#sync()
    }
  }

  async #sync(): Promise<void> {
    const { client, ranges } = this.#options
    const port = this.#port
    if (port === undefined) return
    await this.#attempt('service', () => createKubernetesService(client, { clusterIP: ranges[0]!.address(0), port }))
    await this.#attempt('endpoints', () => this.#endpoints?.reconcile())
  }

  /** Runs one step of a reconciliation and logs its failure. The next reconciliation retries it. */
  async #attempt(subject: string, run: () => Promise<void> | undefined): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#logOnce(subject, String(error))
    }
  }

  #logOnce(subject: string, text: string): void {
    if (this.#lastMessages.get(subject) === text) return
    this.#lastMessages.set(subject, text)
    this.#options.log(`the kubernetes service: ${text}`)
  }
}
