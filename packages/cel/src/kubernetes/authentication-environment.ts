import { declareStructs } from '../declarations/structs.ts'
import type { Environment } from '../environment.ts'
import { baseEnvironment } from '../libraries.ts'
import { mapType, createStructType, types } from '../types/type.ts'
import { requestTypes } from './admission-types.ts'
import { compileFor } from './compile-for.ts'
import type { Compilation } from './compile-for.ts'

/** The environment of expressions over a token's claims. The variable is `claims`. */
export const claimsEnvironment: Environment = baseEnvironment.extend({ variables: { claims: mapType(types.string, types.any) } })

/** The environment of expressions over the authenticated user. The variable is `user`. */
export const userEnvironment: Environment = baseEnvironment.extend({
  structs: [declareStructs({ 'kubernetes.UserInfo': requestTypes['kubernetes.UserInfo']! })],
  variables: { user: createStructType('kubernetes.UserInfo') },
})

/** The field of an authentication configuration that contains an expression. */
export type AuthenticationPurpose = 'claimMapping' | 'claimValidation' | 'userValidation'

/**
 * Compiles an expression of an authentication configuration. Validation rules must return a boolean. The results of claim mappings are
 * checked at run time.
 */
export function compileAuthentication(text: string, purpose: AuthenticationPurpose): Compilation {
  return compileFor(text, purpose === 'userValidation' ? userEnvironment : claimsEnvironment, ({ type }) =>
    purpose === 'claimMapping' || type.kind === 'bool' ? undefined : 'must evaluate to bool',
  )
}
