import { newApplyConflict } from '../api-errors.ts'
import type { ApiError } from '../api-error.ts'
import { quote } from '../go-text.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { pathsOf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { showPath } from './path-element.ts'
import type { PathElement } from './path-element.ts'
import type { ManagerIdentity } from './managed.ts'
import { maxMessageLength } from './typed-error.ts'

export interface Conflict {
  readonly identity: ManagerIdentity
  /** The sort key of managers. */
  readonly id: string
  readonly path: readonly PathElement[]
}

/** Fields that an applier would change and others own. */
export class ApplyConflicts extends Error {
  override readonly name = 'ApplyConflicts'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('apply conflicts')
    this.conflicts = conflicts.toSorted((a, b) => compareUtf8(a.id, b.id))
  }
}

export function conflictsOver(id: string, identity: ManagerIdentity, set: FieldSet): Conflict[] {
  return pathsOf(set).map((path) => ({ id, identity, path }))
}

/** Builds the 409 with a cause for each field, within the response's size limit. */
export function newFieldManagerConflict({ conflicts }: ApplyConflicts): ApiError {
  const causes: { reason: string; message: string; field: string }[] = []
  const lines: string[] = []
  let last: string | undefined
  let length = 0
  for (const { id, identity, path } of conflicts) {
    const field = showPath(path)
    causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${nameOf(identity)}`, field })
    if (id !== last) lines.push(`conflicts with ${nameOf(identity)}:`)
    last = id
    lines.push(`- ${field}`)
    length += field.length
    if (length > maxMessageLength) break
  }
  const [only] = causes
  const message =
    conflicts.length === 1
      ? `Apply failed with 1 conflict: ${only!.message}: ${only!.field}`
      : `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
  return newApplyConflict(causes, message)
}

function nameOf({ manager, subresource, operation, apiVersion }: ManagerIdentity): string {
  const name = subresource === '' ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}
