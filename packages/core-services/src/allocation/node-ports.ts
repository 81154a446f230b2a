import type { Service, ServicePort } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, newInternal, newUnknownError } from '@keelson/apimachinery'
import { allocatesNodePorts, needsHealthCheck, getNodePorts, opensNodePorts, getSpec } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'
import { createInvalidServiceError } from './allocation.ts'
import type { Allocation } from './allocation.ts'

export async function allocateNodePorts(service: Service, allocation: Allocation): Promise<void> {
  const spec = service.spec!
  if (opensNodePorts(spec)) await allocateForPorts(service, allocation)
  if (needsHealthCheck(spec)) await allocateHealthCheckPort(service, allocation)
}

/** Allocates node ports. Ports with the same number and different protocols share a node port, unless they request different ones. */
async function allocateForPorts(service: Service, allocation: Allocation): Promise<void> {
  const ports = service.spec?.ports ?? []
  const requestedPorts = new Map<number, number>()
  for (const { port, nodePort } of ports) if (nodePort && !requestedPorts.has(port)) requestedPorts.set(port, nodePort)
  const shared = new Map<number, number>()
  for (const [i, port] of ports.entries()) {
    const requested = port.nodePort ?? 0
    if (requested === 0 && !allocatesNodePorts(service.spec!)) continue
    const sharedPort = shared.get(port.port)
    if (sharedPort === undefined) {
      const sharedRequest = requestedPorts.get(port.port)
      const nodePort = sharedRequest === undefined ? await takeAny(allocation) : await takeRequested(service, i, sharedRequest, allocation)
      port.nodePort = nodePort
      shared.set(port.port, nodePort)
    } else if (requested === 0) port.nodePort = sharedPort
    else if (requested !== sharedPort) await takeRequested(service, i, requested, allocation)
  }
}

async function takeRequested(service: Service, i: number, port: number, allocation: Allocation): Promise<number> {
  const error = await allocation.takePort(port)
  if (error === undefined) return port
  throw createInvalidServiceError(service, fieldError.invalid(newFieldPath('spec', 'ports').index(i).child('nodePort'), port, error))
}

async function takeAny(allocation: Allocation): Promise<number> {
  let message = 'range is full'
  const port = await allocation.takeAnyPort().catch((error: unknown) => void (message = (error as Error).message))
  if (port === undefined) throw newInternal(`failed to allocate a nodePort: ${message}`)
  return port
}

async function allocateHealthCheckPort(service: Service, allocation: Allocation): Promise<void> {
  const { healthCheckNodePort: requested = 0 } = service.spec!
  if (requested === 0) {
    const port = await allocation.takeAnyPort()
    if (port === undefined) throw newInternal('failed to allocate a HealthCheck NodePort 0: range is full')
    service.spec!.healthCheckNodePort = port
    return
  }
  const error = await allocation.takePort(requested)
  if (error !== undefined) throw newInternal(`failed to allocate requested HealthCheck NodePort ${requested}: ${error}`)
}

export async function updateNodePorts(service: Service, old: ReadonlyService, allocation: Allocation): Promise<void> {
  const spec = service.spec!
  const oldSpec = getSpec(old)
  const oldPorts = getNodePorts(oldSpec)
  if (opensNodePorts(oldSpec) && (spec.type === 'ExternalName' || spec.type === 'ClusterIP')) {
    for (const port of oldPorts) allocation.releasePortLater(port)
  }
  if (opensNodePorts(spec)) {
    await reallocate(service, oldPorts, allocation)
    const keptPorts = new Set(getNodePorts(spec))
    for (const port of oldPorts) if (!keptPorts.has(port)) allocation.releasePortLater(port)
  }
  const needed = needsHealthCheck(oldSpec)
  if (!needed && needsHealthCheck(spec)) await allocateHealthCheckPort(service, allocation)
  if (needed && !needsHealthCheck(spec)) allocation.releasePortLater(oldSpec.healthCheckNodePort ?? 0)
}

async function reallocate(service: Service, oldPorts: readonly number[], allocation: Allocation): Promise<void> {
  const takenPorts = new Set<number>(oldPorts)
  const requestedPorts = new Set<string>()
  for (const [i, port] of (service.spec?.ports ?? []).entries()) {
    const requested = port.nodePort ?? 0
    if (requested === 0 && !allocatesNodePorts(service.spec!)) continue
    if (requested === 0) port.nodePort = await takeAny(allocation)
    else if (!takenPorts.has(requested)) takenPorts.add(await takeRequested(service, i, requested, allocation))
    refuseRepeated(port, requestedPorts)
  }
}

function refuseRepeated({ protocol = '', nodePort = 0 }: ServicePort, visited: Set<string>): void {
  const key = `{${protocol} ${nodePort}}`
  if (visited.has(key)) throw newUnknownError(`duplicate nodePort: ${key}`)
  visited.add(key)
}
