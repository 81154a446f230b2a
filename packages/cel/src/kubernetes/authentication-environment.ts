import { declareStructs } from '../declarations/structs.ts'
import type { Environment } from '../environment.ts'
import { baseEnvironment } from '../libraries.ts'
import { mapType, structType, types } from '../types/type.ts'
import { requestTypes } from './admission-types.ts'
import { compileFor } from './compile-for.ts'
import type { Compilation } from './compile-for.ts'

/** The environment of expressions over a token's claims: `claims`. */
export const claimsEnvironment: Environment = baseEnvironment.extend({ variables: { claims: mapType(types.string, types.any) } })

/** The environment of expressions over the user that the claims were mapped to: `user`. */
export const userEnvironment: Environment = baseEnvironment.extend({
  structs: [declareStructs({ 'kubernetes.UserInfo': requestTypes['kubernetes.UserInfo']! })],
  variables: { user: structType('kubernetes.UserInfo') },
})

/** The use of an expression in an authentication configuration. */
export type AuthenticationPurpose = 'claimMapping' | 'claimValidation' | 'userValidation'

/** Compiles an expression of an authentication configuration. Validations must return a boolean; the results of mappings are only known later. */
export function compileAuthentication(text: string, purpose: AuthenticationPurpose): Compilation {
  return compileFor(text, purpose === 'userValidation' ? userEnvironment : claimsEnvironment, ({ type }) =>
    purpose === 'claimMapping' || type.kind === 'bool' ? undefined : 'must evaluate to bool',
  )
}
