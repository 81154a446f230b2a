import type { AllocatedDeviceStatus, AllocationResult, ResourceClaimStatus } from '@keelson/api/resource/v1'
import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, RequestContext, RequestedAction, UserInfo } from '@keelson/apimachinery'

type Status = DeepReadonly<ResourceClaimStatus>

/** Checks additional permissions of a user who writes a claim's status. */
export interface ClaimStatusAuthorizer {
  /** Authorizes the request with some attributes replaced. Returns the message of a 403; undefined if the user is allowed. */
  findRefusal(
    context: RequestContext,
    replaced: Pick<RequestedAction, 'verb' | 'subresource' | 'namespace' | 'name'>,
  ): Promise<string | undefined>
  /** Returns the node of the pod to which the user's token is bound; undefined for other users. */
  findNode(user: UserInfo): string | undefined
}

/**
 * Checks the permissions to change a claim's status. Changes of the allocation and of reservations need `resourceclaims/binding`. Changes
 * of device status need `resourceclaims/driver` with the name of each driver. The verb depends on whether the user runs on the node of the
 * allocation.
 */
export async function checkStatusPermissions(
  authority: ClaimStatusAuthorizer,
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

async function checkBinding(authority: ClaimStatusAuthorizer, context: RequestContext, { status, old }: Statuses): Promise<FieldErrorList> {
  const isUnchanged =
    equalsSemantically(status.allocation, old.allocation) && equalsSemantically(status.reservedFor ?? [], old.reservedFor ?? [])
  if (isUnchanged) return []
  const { verb } = context.attributes
  const refusal = await authority.findRefusal(context, { verb, subresource: 'binding', namespace: '', name: '' })
  if (refusal === undefined) return []
  const needed = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission`
  return [fieldError.forbidden(newFieldPath('status', 'allocation'), `${needed}: ${refusal}`)]
}

async function checkDevices(authority: ClaimStatusAuthorizer, context: RequestContext, { status, old }: Statuses): Promise<FieldErrorList> {
  const drivers = findChangedDrivers(status.devices ?? [], old.devices ?? [])
  if (drivers.length === 0) return []
  const { verb, namespace } = context.attributes
  const node = findAllocatedNode(status.allocation)
  const prefixes =
    node !== undefined && authority.findNode(context.user) === node ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node']
  const verbs = prefixes.map((prefix) => `${prefix}:${verb}`)
  const errors: FieldErrorList = []
  for (const name of drivers) {
    const refusals: string[] = []
    for (const candidate of verbs) {
      const refusal = await authority.findRefusal(context, { verb: candidate, subresource: 'driver', namespace, name })
      if (refusal === undefined) break
      refusals.push(refusal)
    }
    if (refusals.length < verbs.length) continue
    const needed = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`
    errors.push(fieldError.forbidden(newFieldPath('status', 'devices'), `${needed}: ${refusals[0]!}`))
  }
  return errors
}

type Device = DeepReadonly<AllocatedDeviceStatus>

/** Returns the sorted names of drivers whose devices were added, removed or changed. */
function findChangedDrivers(devices: readonly Device[], old: readonly Device[]): string[] {
  const formatDeviceKey = ({ driver, pool, device, shareID = '' }: Device): string => JSON.stringify([driver, pool, device, shareID])
  const removed = new Map(old.map((device) => [formatDeviceKey(device), device]))
  const drivers = new Set<string>()
  for (const device of devices) {
    const key = formatDeviceKey(device)
    if (!equalsSemantically(device, removed.get(key))) drivers.add(device.driver)
    removed.delete(key)
  }
  for (const { driver } of removed.values()) drivers.add(driver)
  return [...drivers].toSorted()
}

/** Returns the node of an allocation; undefined if the allocation is available on several nodes. */
function findAllocatedNode(allocation: DeepReadonly<AllocationResult> | undefined): string | undefined {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms ?? []
  const { matchExpressions = [], matchFields = [] } = terms[0] ?? {}
  if (terms.length !== 1 || matchExpressions.length > 0 || matchFields.length !== 1) return undefined
  const { key, operator, values = [] } = matchFields[0]!
  return key === 'metadata.name' && operator === 'In' && values.length === 1 ? values[0] : undefined
}
