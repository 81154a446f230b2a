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
  /** Of service addresses, in order of preference. */
  readonly ranges: readonly IPRange[]
  /** undefined: the endpoints of the kubernetes service are left to others. */
  readonly leases: ServerLeases | undefined
  /** Where others reach this server; undefined when they cannot. */
  readonly address: string | undefined
  readonly clock?: Clock
  readonly log: (text: string) => void
  /** Default 10 s. */
  readonly intervalMs?: number
}

/** Keeps in being what every cluster has for its servers: the default range of service addresses, the kubernetes service and its endpoints. */
export class BootstrapController {
  readonly #options: BootstrapOptions
  readonly #clock: Clock
  readonly #stop = new AbortController()
  #endpoints: EndpointReconciler | undefined
  #port: number | undefined
  #started = false
  #running: Promise<void> = Promise.resolve()
  /** What was said last of each subject, so that it is not said at every round. */
  readonly #said = new Map<string, string>()

  constructor(options: BootstrapOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Services get no addresses before. */
  async syncRanges(): Promise<void> {
    const { client, ranges } = this.#options
    const log = (text: string): void => this.#say('range', text)
    await syncDefaultServiceCIDR(client, { cidrs: ranges.map(({ cidr }) => cidr), now: () => this.#clock.now(), log })
  }

  /** Resolves after the first round; from then on it is done again and again. */
  async start(): Promise<void> {
    this.#started = true
    await this.#publish()
    this.#running = this.#repeat()
  }

  /** The service and its endpoints need a port. A server that listens nowhere keeps the ranges alone. */
  async listenOn(port: number): Promise<void> {
    this.#port = port
    if (this.#started) await this.#publish()
  }

  async #publish(): Promise<void> {
    const { client, leases, address, log } = this.#options
    const port = this.#port
    if (port === undefined) return
    if (leases !== undefined) {
      if (address === undefined)
        log('this machine has no address by which others could reach the server: the kubernetes service has no endpoint')
      else this.#endpoints = new EndpointReconciler({ client, leases, address, port })
    }
    // What a server of this address left, which was killed: its port may have been another.
    await this.#attempt('endpoints', () => this.#endpoints?.remove())
    await this.#sync()
  }

  /** The endpoint goes before the server does. Waits for the store no longer than two rounds. */
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

  /** Failures are tried again at the next round. */
  async #attempt(subject: string, run: () => Promise<void> | undefined): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#say(subject, String(error))
    }
  }

  #say(subject: string, text: string): void {
    if (this.#said.get(subject) === text) return
    this.#said.set(subject, text)
    this.#options.log(`the kubernetes service: ${text}`)
  }
}
