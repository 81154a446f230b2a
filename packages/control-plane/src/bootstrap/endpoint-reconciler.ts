import type { EndpointPort, Endpoints } from '@keelson/api/core/v1'
import type { EndpointSlice } from '@keelson/api/discovery/v1'
import { isApiError, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { toEndpointSlice } from './endpoint-slice-of.ts'
import { kubernetesService } from './kubernetes-service.ts'
import type { ServerLeases } from './server-leases.ts'

export interface EndpointReconcilerOptions {
  readonly client: LoopbackClient
  readonly leases: ServerLeases
  /** Address by which other machines reach this server. */
  readonly address: string
  readonly port: number
}

const namespace = 'default'
const skipMirror = 'endpointslice.kubernetes.io/skip-mirror'

/**
 * Sets the endpoints of the kubernetes service to the addresses of all servers with a valid lease. Each server writes the endpoints of all
 * servers.
 */
export class EndpointReconciler {
  readonly #options: EndpointReconcilerOptions
  readonly #ports: EndpointPort[]

  constructor(options: EndpointReconcilerOptions) {
    this.#options = options
    this.#ports = [{ name: 'https', port: options.port, protocol: 'TCP' }]
  }

  /**
   * Renews the lease of this server and then writes the endpoints. The lease comes first: if a later step fails, the other servers still
   * add this server's endpoint.
   */
  async reconcile(): Promise<void> {
    const { leases, address } = this.#options
    await leases.renew(address, { subsets: [{ addresses: [{ ip: address }] }] })
    const addresses = await this.#listAddresses()
    if (addresses.length === 0) throw new Error('the store has no server leases; the endpoints of the kubernetes service are unchanged')
    await this.#write(addresses)
  }

  /** Removes the lease and the endpoint of this server when it stops. Otherwise clients would use the endpoint until the lease expires. */
  async remove(): Promise<void> {
    const { leases, address } = this.#options
    await leases.remove(address)
    await this.#write(await this.#listAddresses())
  }

  async #listAddresses(): Promise<readonly string[]> {
    return (await this.#options.leases.list()).flatMap(({ subsets }) => subsets?.[0]?.addresses?.[0]?.ip ?? [])
  }

  async #write(addresses: readonly string[]): Promise<void> {
    const endpoints = this.#options.client.resource<Endpoints>({ group: '', resource: 'endpoints' })
    if (endpoints === undefined) return
    const current = await endpoints.get(namespace, kubernetesService, { resourceVersion: '' })
    const written = current === undefined ? await this.#create(endpoints, addresses) : await this.#update(endpoints, current, addresses)
    if (written !== undefined) await this.#writeSlice(toEndpointSlice(written))
  }

  async #create(endpoints: LoopbackResource<Endpoints>, addresses: readonly string[]): Promise<DeepReadonly<Endpoints> | undefined> {
    if (addresses.length === 0) return undefined
    try {
      const created = await endpoints.create(namespace, {
        metadata: { name: kubernetesService, namespace, labels: { [skipMirror]: 'true' } },
        subsets: this.#subsets(addresses),
      })
      return created.getObject()
    } catch (error) {
      // Another server created the object first. The next reconciliation reads it.
      if (isApiError(error, 'AlreadyExists')) return undefined
      throw error
    }
  }

  /** Updates the addresses and labels of the Endpoints object, but not the ports. */
  async #update(
    endpoints: LoopbackResource<Endpoints>,
    current: DeepReadonly<Endpoints>,
    addresses: readonly string[],
  ): Promise<DeepReadonly<Endpoints>> {
    const [subset, ...otherSubsets] = current.subsets ?? []
    const currentAddresses = (subset?.addresses ?? []).map(({ ip }) => ip).toSorted()
    const isCurrent = subset !== undefined && otherSubsets.length === 0 && equalsSemantically(currentAddresses, addresses.toSorted())
    if (isCurrent && current.metadata.labels?.[skipMirror] === 'true') return current
    const updated = await endpoints.update(namespace, kubernetesService, (object) => {
      object.metadata.labels = { ...object.metadata.labels, [skipMirror]: 'true' }
      const keptPorts = object.subsets?.length === 1 ? object.subsets[0]!.ports : undefined
      object.subsets = this.#subsets(addresses, keptPorts)
      return object
    })
    return updated.getObject()
  }

  #subsets(addresses: readonly string[], ports: EndpointPort[] = this.#ports): NonNullable<Endpoints['subsets']> {
    return addresses.length === 0 ? [] : [{ addresses: addresses.toSorted().map((ip) => ({ ip })), ports }]
  }

  async #writeSlice(slice: EndpointSlice): Promise<void> {
    const slices = this.#options.client.resource<EndpointSlice>({ group: 'discovery.k8s.io', resource: 'endpointslices' })
    if (slices === undefined) return
    const current = await slices.get(namespace, kubernetesService, { resourceVersion: '' })
    if (current !== undefined && current.addressType === slice.addressType) {
      const isCurrent = (['endpoints', 'ports'] as const).every((member) => equalsSemantically(current[member] ?? [], slice[member] ?? []))
      if (isCurrent && equalsSemantically(current.metadata.labels, slice.metadata.labels)) return
      await slices.update(namespace, kubernetesService, (object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { ...slice.metadata.labels } },
        endpoints: slice.endpoints,
        ports: slice.ports,
      }))
      return
    }
    // `addressType` is immutable.
    if (current !== undefined) await slices.delete(namespace, kubernetesService)
    await slices.create(namespace, slice)
  }
}
