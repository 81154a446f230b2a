import type { AllocatedDeviceStatus, AllocationResult, ResourceClaimStatus } from '@keelson/api/resource/v1'
import { fieldError, fieldPath, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, RequestContext, RequestedAction, UserInfo } from '@keelson/apimachinery'

type Status = DeepReadonly<ResourceClaimStatus>

/** Checks further permissions of the writer of a claim's status. */
export interface ClaimStatusAuthority {
  /** Returns the message of a 403 for the request with these members replaced; undefined if the user may send it. */
  refusal(
    context: RequestContext,
    replaced: Pick<RequestedAction, 'verb' | 'subresource' | 'namespace' | 'name'>,
  ): Promise<string | undefined>
  /** Returns the node of the pod whose service account the user is, if any. */
  nodeOf(user: UserInfo): string | undefined
}

/**
 * Checks the permissions to change parts of a claim's status. Allocating and reserving needs `resourceclaims/binding`. Reporting on devices
 * needs `resourceclaims/driver` with the name of each driver, and a verb that says whether the user runs on the node of the allocation.
 */
export async function checkStatusPermissions(
  authority: ClaimStatusAuthority,
  context: RequestContext,
  { status = {}, old = {} }: { readonly status: Status | undefined; readonly old: Status | undefined },
): Promise<FieldErrorList> {
  const errors = await checkBinding(authority, context, { status, old })
  if (status.allocation === undefined) return errors
  return [...errors, ...(await checkDevices(authority, context, { status, old }))]
}

interface Statuses {
  readonly status: Status
  readonly old: Status
}

async function checkBinding(authority: ClaimStatusAuthority, context: RequestContext, { status, old }: Statuses): Promise<FieldErrorList> {
  const isUnchanged = semanticEqual(status.allocation, old.allocation) && semanticEqual(status.reservedFor ?? [], old.reservedFor ?? [])
  if (isUnchanged) return []
  const { verb } = context.info
  const refusal = await authority.refusal(context, { verb, subresource: 'binding', namespace: '', name: '' })
  if (refusal === undefined) return []
  const needed = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`
  return [fieldError.forbidden(fieldPath('status', 'allocation'), `${needed}: ${refusal}`)]
}

async function checkDevices(authority: ClaimStatusAuthority, context: RequestContext, { status, old }: Statuses): Promise<FieldErrorList> {
  const drivers = changedDrivers(status.devices ?? [], old.devices ?? [])
  if (drivers.length === 0) return []
  const { verb, namespace } = context.info
  const node = allocatedNode(status.allocation)
  const prefixes =
    node !== undefined && authority.nodeOf(context.user) === node ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node']
  const verbs = prefixes.map((prefix) => `${prefix}:${verb}`)
  const errors: FieldErrorList = []
  for (const name of drivers) {
    const refusals: string[] = []
    for (const candidate of verbs) {
      const refusal = await authority.refusal(context, { verb: candidate, subresource: 'driver', namespace, name })
      if (refusal === undefined) break
      refusals.push(refusal)
    }
    if (refusals.length < verbs.length) continue
    const needed = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`
    errors.push(fieldError.forbidden(fieldPath('status', 'devices'), `${needed}: ${refusals[0]!}`))
  }
  return errors
}

type Device = DeepReadonly<AllocatedDeviceStatus>

/** Lists the drivers of devices that were added, removed or changed, sorted. */
function changedDrivers(devices: readonly Device[], old: readonly Device[]): string[] {
  const keyOf = ({ driver, pool, device, shareID = '' }: Device): string => JSON.stringify([driver, pool, device, shareID])
  const left = new Map(old.map((device) => [keyOf(device), device]))
  const drivers = new Set<string>()
  for (const device of devices) {
    const key = keyOf(device)
    if (!semanticEqual(device, left.get(key))) drivers.add(device.driver)
    left.delete(key)
  }
  for (const { driver } of left.values()) drivers.add(driver)
  return [...drivers].toSorted()
}

/** Returns the only node that an allocation is available on. */
function allocatedNode(allocation: DeepReadonly<AllocationResult> | undefined): string | undefined {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms ?? []
  const { matchExpressions = [], matchFields = [] } = terms[0] ?? {}
  if (terms.length !== 1 || matchExpressions.length > 0 || matchFields.length !== 1) return undefined
  const { key, operator, values = [] } = matchFields[0]!
  return key === 'metadata.name' && operator === 'In' && values.length === 1 ? values[0] : undefined
}
