import type { JsonObject, JsonValue, UserInfo } from '@keelson/apimachinery'
import { getErrorMessage } from '@keelson/apimachinery'
import type { CompiledJwt, ValidationRule } from '../configuration/validate-authentication-configuration.ts'
import { credentialIdKey } from '../users.ts'
import type { ExpressionSubject } from './compile-claims.ts'

/** The decoded payload of a JSON Web Token. */
export type Claims = JsonObject

/** Maps the claims of a verified token to a user and checks the validation rules. Rejects with kube-apiserver's message. */
export async function mapClaimsToUser(claims: Claims, jwt: CompiledJwt): Promise<UserInfo> {
  const name = await readUsername(claims, jwt)
  const groups = await readGroups(claims, jwt)
  const uid = await readUid(claims, jwt)
  const extra = await readExtra(claims, jwt)
  const user: UserInfo = { name, groups, ...(uid !== '' && { uid }), ...(Object.keys(extra).length > 0 && { extra }) }
  checkRequiredClaims(claims, jwt)
  await checkRules(jwt.claimRules, { claims }, 'claim validation expression')
  await checkRules(jwt.userRules, { user }, 'user info validation rule')
  return user
}

async function readUsername(claims: Claims, { username: expression, configuration }: CompiledJwt): Promise<string> {
  if (expression !== undefined) {
    const name = await evaluateClaim('username claim', () => expression.evaluate({ claims }))
    if (typeof name !== 'string')
      throw new Error('oidc: error evaluating username claim expression: username claim expression must return a string')
    if (name === '') throw new Error('oidc: empty username via CEL expression is not allowed')
    return name
  }
  const { claim = '', prefix = '' } = configuration.claimMappings?.username ?? {}
  const name = readClaim(`parse username claims ${JSON.stringify(claim)}`, () => readStringClaim(claims, claim))
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) {
    const isVerified = claims['email_verified']
    if (typeof isVerified !== 'boolean' && isVerified !== null && isVerified !== undefined) {
      throw new Error(`oidc: parse 'email_verified' claim: json: cannot unmarshal ${getGoType(isVerified)} into Go value of type bool`)
    }
    if (isVerified !== true) throw new Error('oidc: email not verified')
  }
  return prefix + name
}

async function readGroups(claims: Claims, { groups: expression, configuration }: CompiledJwt): Promise<readonly string[]> {
  const { claim = '', prefix = '' } = configuration.claimMappings?.groups ?? {}
  if (claim !== '' && Object.hasOwn(claims, claim)) {
    const groups = readClaim(`parse groups claim ${JSON.stringify(claim)}`, () => readTextOrTexts(claims[claim]))
    return groups.map((group) => prefix + group)
  }
  if (expression === undefined) return []
  return evaluateClaim('group claim', async () => readTexts(await expression.evaluate({ claims })))
}

async function readUid(claims: Claims, { uid: expression, configuration }: CompiledJwt): Promise<string> {
  const { claim = '' } = configuration.claimMappings?.uid ?? {}
  if (claim !== '') return readClaim(`parse uid claim ${JSON.stringify(claim)}`, () => readStringClaim(claims, claim))
  if (expression === undefined) return ''
  const uid = await evaluateClaim('uid claim', () => expression.evaluate({ claims }))
  if (typeof uid === 'string') return uid
  throw new Error('oidc: error evaluating uid claim expression: uid claim expression must return a string')
}

async function readExtra(claims: Claims, { extra: mappings }: CompiledJwt): Promise<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {}
  const { jti } = claims
  if (typeof jti === 'string' && jti !== '') extra[credentialIdKey] = [`JTI=${jti}`]
  for (const { key, expression } of mappings) {
    const result = await expression.evaluate({ claims })
    const values = await evaluateClaim('extra claim', async () => readTexts(result), `: ${expression.text}`)
    if (values.length > 0) extra[key] = values
  }
  return extra
}

function checkRequiredClaims(claims: Claims, { configuration }: CompiledJwt): void {
  for (const { claim = '', requiredValue = '' } of configuration.claimValidationRules ?? []) {
    if (claim === '') continue
    if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`)
    const value = readClaim(`parse claim ${claim}`, () => readStringClaim(claims, claim))
    if (value !== requiredValue) {
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`)
    }
  }
}

async function checkRules(rules: readonly ValidationRule[], subject: ExpressionSubject, subjectName: string): Promise<void> {
  const fail = (reason: string, cause?: unknown): Error => new Error(`oidc: error evaluating ${subjectName}: ${reason}`, { cause })
  const results: unknown[] = []
  // All rules are evaluated before results are checked, as in kube-apiserver. So an evaluation error takes precedence over a failed rule.
  for (const { expression } of rules) {
    try {
      results.push(await expression.evaluate(subject))
    } catch (error) {
      throw fail(getErrorMessage(error), error)
    }
  }
  for (const [i, { expression, message }] of rules.entries()) {
    if (typeof results[i] !== 'boolean') throw fail('validation expression must return a boolean')
    if (!results[i]) throw fail(`validation expression '${expression.text}' failed: ${message}`)
  }
}

async function evaluateClaim<T>(description: string, evaluate: () => Promise<T>, more = ''): Promise<T> {
  try {
    return await evaluate()
  } catch (error) {
    throw new Error(`oidc: error evaluating ${description} expression${more}: ${getErrorMessage(error)}`, { cause: error })
  }
}

function readClaim<T>(description: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`oidc: ${description}: ${getErrorMessage(error)}`, { cause: error })
  }
}

function readStringClaim(claims: Claims, name: string): string {
  if (!Object.hasOwn(claims, name)) throw new Error('claim not present')
  return readText(claims[name])
}

function readText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  throw new Error(`json: cannot unmarshal ${getGoType(value)} into Go value of type string`)
}

/** Reads a claim that is a string or a list of strings. Some providers send a single string for one group. */
function readTextOrTexts(value: JsonValue | undefined): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value) && value.every((text) => typeof text === 'string' || text === null)) return value.map(readText)
  return [readText(value)]
}

/** Converts the result of an expression, which must be a string, a list of strings or null. Empty strings are removed. */
function readTexts(value: unknown): readonly string[] {
  if (value === null) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!list.every((text) => typeof text === 'string')) throw new Error('expression must return a string or a list of strings')
  return list.filter((text) => text !== '')
}

/** Returns the name of a JSON value's type as in the errors of Go's decoder. */
export function getGoType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value
}
