import type { DeviceRequest, DeviceRequestAllocationResult, ResourceClaim, ResourceClaimTemplate } from '@keelson/api/resource/v1'
import { collectFieldErrors, fieldError, newFieldPath, newInvalid } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, KubeObject, RequestContext } from '@keelson/apimachinery'
import { validateInSlices } from '@keelson/registry'
import type { ResourceDefinition, RESTStorageExtensions, StoreHooks, SubresourceFactory } from '@keelson/registry'
import { resourceClaims } from './resourceclaims/index.ts'
import { checkStatusPermissions } from './resourceclaims/status-permissions.ts'
import type { ClaimStatusAuthorizer } from './resourceclaims/status-permissions.ts'
import { resourceClaimStatus } from './resourceclaims/status.ts'
import { resourceClaimTemplates } from './resourceclaimtemplates/index.ts'

const label = 'resource.kubernetes.io/admin-access'

/** Returns the labels of a namespace; undefined if the namespace does not exist. */
export type NamespaceLabels = (namespace: string) => Promise<Readonly<Record<string, string>> | undefined>

type Requests = readonly DeepReadonly<DeviceRequest>[] | null

/** Services of the server that the group uses. */
export interface ClaimServices {
  readonly namespaceLabels: NamespaceLabels
  readonly claimStatusAuthorizer: ClaimStatusAuthorizer
}

/**
 * Returns the rules of claims that depend on other objects. Admin access, which ignores other claims of the same devices, is only allowed
 * in namespaces with a certain label. Changes of some status fields need further permissions.
 */
export function createClaimRules({ namespaceLabels: labelsOf, claimStatusAuthorizer }: ClaimServices): RESTStorageExtensions {
  const claims = createClaimHooks<ResourceClaim>(resourceClaims, labelsOf, ({ spec }) => spec.devices.requests)
  const templates = createClaimHooks<ResourceClaimTemplate>(resourceClaimTemplates, labelsOf, ({ spec }) => spec.spec.devices.requests)
  return {
    hooks: { resourceclaims: () => claims, resourceclaimtemplates: () => templates },
    // The factory is only called with the store of claims.
    subresources: { resourceclaims: { status: claimStatusFactory(labelsOf, claimStatusAuthorizer) as unknown as SubresourceFactory } },
  }
}

function createClaimHooks<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  labelsOf: NamespaceLabels,
  listRequests: (object: DeepReadonly<T>) => Requests,
): StoreHooks<T> {
  const { group, kind, strategy } = definition
  return {
    async beginCreate(context, object) {
      const readonly = object as DeepReadonly<T>
      const index = (listRequests(readonly) ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true)
      const errors =
        index < 0 ? [] : await validateNamespaceLabel(context, labelsOf, newFieldPath('spec', 'devices', 'requests').index(index))
      if (errors.length === 0) return () => {}
      const validationErrors = await validateInSlices(context, (steps) =>
        collectFieldErrors(() => strategy.validateCreate?.(context, readonly, steps) ?? []),
      )
      throw newInvalid({ group, kind }, object.metadata.name ?? '', [...errors, ...validationErrors])
    },
  }
}

/**
 * Creates the status subresource of claims with these rules. A claim that already has a device with admin access is not checked for it
 * again.
 */
function claimStatusFactory(labelsOf: NamespaceLabels, authority: ClaimStatusAuthorizer): SubresourceFactory<ResourceClaim> {
  return (store) =>
    store.subresource({
      ...resourceClaimStatus,
      async checkUpdate(context, claim, old) {
        const index = indexOfAdminResult(claim)
        const results = newFieldPath('status', 'allocation', 'devices', 'results')
        const isAllowed = index < 0 || indexOfAdminResult(old) >= 0
        const errors = [
          ...(isAllowed ? [] : await validateNamespaceLabel(context, labelsOf, results.index(index))),
          ...(await checkStatusPermissions(authority, context, { status: claim.status, old: old.status })),
        ]
        if (errors.length > 0) throw newInvalid({ group: 'resource.k8s.io', kind: 'ResourceClaim' }, claim.metadata.name ?? '', errors)
      },
    })
}

function indexOfAdminResult({ status }: DeepReadonly<ResourceClaim>): number {
  const results: readonly DeepReadonly<DeviceRequestAllocationResult>[] = status?.allocation?.devices?.results ?? []
  return results.findIndex(({ adminAccess }) => adminAccess === true)
}

async function validateNamespaceLabel(
  { namespace }: RequestContext,
  labelsOf: NamespaceLabels,
  parent: FieldPath,
): Promise<FieldErrorList> {
  if ((await labelsOf(namespace))?.[label] === 'true') return []
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`
  return [fieldError.forbidden(parent.child('adminAccess'), detail)]
}
