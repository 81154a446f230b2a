import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { validateSigningRequest } from './validate.ts'
import type { ReadonlyRequest } from './validate.ts'

/** The changes that the written subresource may make. */
export interface UpdatePermissions {
  readonly mayApprove?: boolean
  readonly mayIssue?: boolean
}

const conditionsPath = newFieldPath('status', 'conditions')
const certificatePath = newFieldPath('status', 'certificate')

/** Rejects removed conditions and a replaced certificate: approval, denial and issuance are final. */
export function validateSigningRequestUpdate(
  request: ReadonlyRequest,
  old: ReadonlyRequest,
  { mayApprove = false, mayIssue = false }: UpdatePermissions,
): FieldErrorList {
  const errors = validateSigningRequest(request, old)
  const forbid = (detail: string): void => void errors.push(fieldError.forbidden(conditionsPath, detail))
  const count = (from: ReadonlyRequest, type: string): number => filterConditions(from, type).length
  for (const type of ['Approved', 'Denied', 'Failed']) {
    if (count(request, type) < count(old, type)) forbid(`updates may not remove a condition of type "${type}"`)
  }
  for (const type of mayApprove ? [] : ['Approved', 'Denied']) {
    const added = count(request, type) - count(old, type)
    if (added > 0) forbid(`updates may not add a condition of type "${type}"`)
    else if (added === 0 && !equalsSemantically(filterConditions(request, type), filterConditions(old, type))) {
      forbid(`updates may not modify a condition of type "${type}"`)
    }
  }
  const { certificate = '' } = request.status ?? {}
  const { certificate: issued = '' } = old.status ?? {}
  if (certificate === issued) return errors
  if (!mayIssue) errors.push(fieldError.forbidden(certificatePath, 'updates may not set certificate content'))
  else if (issued !== '') errors.push(fieldError.forbidden(certificatePath, 'updates may not modify existing certificate content'))
  return errors
}

type Conditions = NonNullable<NonNullable<ReadonlyRequest['status']>['conditions']>

function filterConditions({ status }: ReadonlyRequest, conditionType: string): Conditions {
  return (status?.conditions ?? []).filter(({ type }) => type === conditionType)
}
