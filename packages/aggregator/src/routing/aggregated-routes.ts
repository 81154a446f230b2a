import type { Exchange, Route } from '@keelson/exchange'
import type { ServiceReference } from '@keelson/outbound'
import { isSameServer } from '../availability/availability-controller.ts'
import type { ApiServiceChange, ApiServiceRecord } from '../apiservices/api-service-index.ts'
import type { ProxyTarget, ProxyTransport } from '../target.ts'

/** The routes of the group versions that other servers serve. */
export class AggregatedRoutes {
  readonly #transport: ProxyTransport
  readonly #byName = new Map<string, AggregatedRoute>()
  /** Routes by group, and then by version. */
  readonly #groups = new Map<string, Map<string, AggregatedRoute>>()

  constructor(transport: ProxyTransport) {
    this.#transport = transport
  }

  /** Adds, changes or removes the route of an APIService. */
  apply({ name, record, old }: ApiServiceChange): void {
    const route = this.#byName.get(name)
    if (record?.service === undefined) return this.#remove(name)
    if (route !== undefined && old !== undefined && isSameServer(old, record)) route.target.isAvailable = isAvailable(record)
    else this.#put(record)
  }

  findRoute(group: string, version: string): Route | undefined {
    return this.#groups.size === 0 ? undefined : this.#groups.get(group)?.get(version)
  }

  get paths(): readonly string[] {
    return Array.from(this.#byName.values(), ({ target: { group, version } }) =>
      group === '' ? ['/api'] : [`/apis/${group}`, `/apis/${group}/${version}`],
    ).flat()
  }

  findTarget(name: string): ProxyTarget | undefined {
    return this.#byName.get(name)?.target
  }

  #put(record: ApiServiceRecord): void {
    const { name, group, version } = record
    this.#remove(name)
    const route = new AggregatedRoute(new Target(record), this.#transport)
    this.#byName.set(name, route)
    const versions = this.#groups.get(group) ?? new Map<string, AggregatedRoute>()
    versions.set(version, route)
    this.#groups.set(group, versions)
  }

  #remove(name: string): void {
    const route = this.#byName.get(name)
    if (route === undefined) return
    const { group, version } = route.target
    this.#byName.delete(name)
    const versions = this.#groups.get(group)!
    versions.delete(version)
    if (versions.size === 0) this.#groups.delete(group)
    this.#transport.release(route.target)
  }
}

function isAvailable({ available }: ApiServiceRecord): boolean {
  return available?.status === 'True'
}

class Target implements ProxyTarget {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly service: ServiceReference
  readonly caBundle?: Uint8Array
  readonly insecureSkipTLSVerify: boolean
  isAvailable: boolean

  constructor(record: ApiServiceRecord) {
    const { name, group, version, service, caBundle, insecureSkipTLSVerify } = record
    this.name = name
    this.group = group
    this.version = version
    this.service = service!
    if (caBundle !== '') this.caBundle = Buffer.from(caBundle, 'base64')
    this.insecureSkipTLSVerify = insecureSkipTLSVerify
    this.isAvailable = isAvailable(record)
  }
}

class AggregatedRoute implements Route {
  readonly namespaced = true
  readonly isJsonOnly = false
  readonly target: Target
  readonly #transport: ProxyTransport

  constructor(target: Target, transport: ProxyTransport) {
    this.target = target
    this.#transport = transport
  }

  serve(exchange: Exchange): Promise<void> {
    return this.#transport.proxyRequest(exchange, this.target)
  }
}
