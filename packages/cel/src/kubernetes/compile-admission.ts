import { listType, formatResultType, equalsType, createStructType, types } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { buildAdmissionEnvironment } from './admission-environment.ts'
import type { AdmissionScope } from './admission-environment.ts'
import { compileFor } from './compile-for.ts'
import type { Compilation } from './compile-for.ts'

/** The field of an admission policy or webhook that contains an expression. */
export type AdmissionPurpose = 'condition' | 'message' | 'annotation' | 'variable' | 'applyConfiguration' | 'jsonPatch'

/** Allowed result types by purpose. An empty list allows all types. */
const results: Readonly<Record<AdmissionPurpose, readonly Type[]>> = {
  condition: [types.bool],
  message: [types.string],
  annotation: [types.string, types.null],
  variable: [],
  applyConfiguration: [createStructType('Object')],
  jsonPatch: [listType(createStructType('JSONPatch'))],
}

export function compileAdmission(text: string, purpose: AdmissionPurpose, scope: AdmissionScope): Compilation {
  const allowed = results[purpose]
  return compileFor(text, buildAdmissionEnvironment(scope), ({ type }) => {
    if (allowed.length === 0 || allowed.some((result) => equalsType(result, type))) return undefined
    const names = allowed.map(formatResultType)
    return `must evaluate to ${names.length === 1 ? names[0] : `one of [${names.join(' ')}]`} but got ${formatResultType(type)}`
  })
}
