import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@keelson/api/certificates/v1'
import { copyObject, requestTime } from '@keelson/apimachinery'
import type { DeepReadonly, RequestContext, UserInfo } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { validateSigningRequestUpdate } from './validate-update.ts'
import { validateSigningRequest } from './validate.ts'

type ReadonlyRequest = DeepReadonly<CertificateSigningRequest>

export const signingRequestStrategy: Strategy<CertificateSigningRequest> = {
  resetFields: withoutFields('spec', 'status'),
  prepareForCreate({ user }, request) {
    setRequestor(request.spec, user)
    request.status = {}
  },
  prepareForUpdate(_context, request, old) {
    keepMember(request, old, 'spec')
    keepMember(request, old, 'status')
  },
  validateCreate: (_context, request) => validateSigningRequest(request),
  validateUpdate: (_context, request, old) => validateSigningRequestUpdate(request, old, {}),
}

/** The strategy of the status subresource. Signers set the certificate or the condition Failed. */
export const signingRequestStatus: SubresourceStrategy<CertificateSigningRequest> = {
  update: {
    resetFields: withoutFields('spec', 'status.conditions'),
    prepareForUpdate(context, request, old) {
      keepMember(request, old, 'spec')
      keepConditions(request, old, 'Approved')
      keepConditions(request, old, 'Denied')
      setTimes(context, request, old)
    },
    validateUpdate: (_context, request, old) => validateSigningRequestUpdate(request, old, { mayIssue: true }),
  },
}

/** The strategy of the approval subresource. Approvers set the condition Approved or Denied. */
export const signingRequestApproval: SubresourceStrategy<CertificateSigningRequest> = {
  update: {
    resetFields: withoutFields('spec', 'status.certificate'),
    prepareForUpdate(context, request, old) {
      setTimes(context, request, old)
      const { conditions } = request.status ?? {}
      keepMember(request, old, 'spec')
      keepMember(request, old, 'status')
      const { conditions: _stored, ...rest } = request.status ?? {}
      request.status = { ...rest, ...(conditions && { conditions }) }
    },
    validateUpdate: (_context, request, old) => validateSigningRequestUpdate(request, old, { mayApprove: true }),
  },
  tabled: false,
}

/** Sets the requesting user to the authenticated user, so that nobody can request a certificate in another user's name. */
function setRequestor(spec: CertificateSigningRequest['spec'], { name, uid = '', groups, extra = {} }: UserInfo): void {
  for (const member of ['username', 'uid', 'groups', 'extra'] as const) delete spec[member]
  if (name !== '') spec.username = name
  if (uid !== '') spec.uid = uid
  if (groups.length > 0) spec.groups = [...groups]
  const entries: [string, string[]][] = Object.entries(extra).map(([key, values]) => [key, [...values]])
  if (entries.length > 0) spec.extra = Object.fromEntries(entries)
}

/** Restores the stored conditions of a type unless their number has changed. */
function keepConditions({ status }: CertificateSigningRequest, old: ReadonlyRequest, type: string): void {
  const stored = (old.status?.conditions ?? []).filter((condition) => condition.type === type)
  const conditions = status?.conditions ?? []
  const indexes = conditions.flatMap((condition, i) => (condition.type === type ? [i] : []))
  if (indexes.length !== stored.length) return
  for (const [i, index] of indexes.entries()) conditions[index] = copyObject(stored[i]!) as CertificateSigningRequestCondition
}

function setTimes(context: RequestContext, { status }: CertificateSigningRequest, old: ReadonlyRequest): void {
  const now = requestTime(context)
  for (const condition of status?.conditions ?? []) {
    condition.lastUpdateTime ??= now
    if (condition.lastTransitionTime) continue
    const stored = (old.status?.conditions ?? []).find(
      ({ type, status: value, lastTransitionTime }) => type === condition.type && value === condition.status && lastTransitionTime,
    )
    condition.lastTransitionTime = stored?.lastTransitionTime ?? now
  }
}
