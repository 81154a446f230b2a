import type { Service } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, newInternal, quote } from '@keelson/apimachinery'
import { isHeadless, noClusterIP, getSpec } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'
import { createInvalidServiceError } from './allocation.ts'
import type { Allocation } from './allocation.ts'
import type { Family } from './ip-range.ts'
import { keepsPreference } from './ip-families.ts'

const ipsPath = newFieldPath('spec', 'clusterIPs')

/** Allocates an address for each IP family of the service. If the service requests an address, that one is allocated. */
export async function allocateClusterIPs(service: Service, allocation: Allocation): Promise<void> {
  const spec = service.spec!
  if (spec.type === 'ExternalName' || spec.clusterIPs?.[0] === noClusterIP) return
  const clusterIPs = (spec.clusterIPs ??= [])
  const families = spec.ipFamilies ?? []
  while (clusterIPs.length < families.length) clusterIPs.push('')
  for (const i of families.keys()) await allocateOne(service, i, allocation)
  spec.clusterIP = clusterIPs[0] ?? ''
}

async function allocateOne(service: Service, i: number, allocation: Allocation): Promise<void> {
  const { clusterIPs = [], ipFamilies = [] } = service.spec!
  const allocator = allocation.allocators.ips.get(ipFamilies[i] as Family)
  if (allocator === undefined) throw new Error(`no address allocator for IP family ${ipFamilies[i]}`)
  const requested = clusterIPs[i]!
  if (requested !== '') {
    const error = await allocation.takeIP(allocator, requested)
    if (error === undefined) return
    throw createInvalidServiceError(service, fieldError.invalid(ipsPath, clusterIPs, `failed to allocate IP ${requested}: ${error}`))
  }
  const ip = await allocation.takeAnyIP(allocator)
  if (ip === undefined) {
    throw newInternal(`failed to allocate a serviceIP for Service ${quote(service.metadata.name ?? '')}: range is full`)
  }
  clusterIPs[i] = ip
}

/** Allocates or releases addresses after a change of the service's type or IP families. */
export async function updateClusterIPs(service: Service, old: ReadonlyService, allocation: Allocation): Promise<void> {
  const spec = service.spec!
  const oldSpec = getSpec(old)
  if (keepsPreference(spec, oldSpec)) return
  if (oldSpec.type === 'ExternalName' && spec.type !== 'ExternalName') return allocateClusterIPs(service, allocation)
  const { clusterIPs = [], ipFamilies = [] } = oldSpec
  if (isHeadless(oldSpec)) return
  if (oldSpec.type !== 'ExternalName' && spec.type === 'ExternalName') {
    for (const [i, ip] of clusterIPs.entries()) allocation.releaseIPLater(ipFamilies[i] ?? '', ip)
    return
  }
  const count = spec.ipFamilies?.length ?? 0
  if (ipFamilies.length === 1 && count === 2) {
    const newIPs = (spec.clusterIPs ??= [])
    if (newIPs.length < 2) newIPs.push('')
    if (newIPs.length === 2) await allocateOne(service, 1, allocation)
  }
  if (ipFamilies.length === 2 && count === 1) allocation.releaseIPLater(ipFamilies[1]!, clusterIPs[1] ?? '')
}
