import { describe, expect, it } from 'vitest'
import { Program } from '../evaluate/program.ts'
import { CelError } from '../values/value.ts'
import { toNative } from '../values/native.ts'
import { compileAuthentication } from './authentication-environment.ts'
import type { AuthenticationPurpose } from './authentication-environment.ts'
import { toClaimsValue, toUserValue } from './claims.ts'

const claims = toClaimsValue({
  sub: 'alice',
  groups: ['dev', 'ops'],
  age: 30,
  'example.com/role': { 'a.b': [{ 'c-d': 1 }] },
  nothing: null,
})
const user = toUserValue({ name: 'alice', groups: ['dev'], extra: { 'example.com/team': ['a'] } })

async function evaluateClaim(text: string, purpose: AuthenticationPurpose = 'claimMapping'): Promise<unknown> {
  const { compiled, problem } = compileAuthentication(text, purpose)
  if (compiled === undefined) return problem
  const { value } = await new Program(compiled).evaluate({ claims, user })
  return value instanceof CelError ? value.message : toNative(value)
}

describe('expressions over claims', () => {
  it.each([
    ['"oidc:" + claims.sub', 'oidc:alice'],
    ['dyn(claims.groups).map(g, "x:" + g)', ['x:dev', 'x:ops']],
    ['claims.groups[1]', 'ops'],
    ['claims.groups', ['dev', 'ops']],
    ['claims.age', 30],
    ['type(claims.age) == double', true],
    ['claims.age == 30', true],
    ['claims["example.com/role"]["a.b"][0]["c-d"]', 1],
    ['claims.example__dot__com__slash__role.a__dot__b[0].c__dash__d', 1],
    ['has(claims.example__dot__com__slash__role)', true],
    ['has(claims.nothing) && claims.nothing == null', true],
    ['claims.?email.orValue("none")', 'none'],
    ['claims.email', 'no such key: email'],
    ['claims.a__b__c', 'no such key: a__b__c'],
  ])('evaluate to the expected result: %s', async (text, expected) => {
    expect(await evaluateClaim(text)).toEqual(expected)
  })

  it('are rejected in validation rules that return no boolean', async () => {
    expect(await evaluateClaim('claims.sub', 'claimValidation')).toBe('must evaluate to bool')
    expect(await evaluateClaim('claims.sub == "alice"', 'claimValidation')).toBe(true)
    expect(await evaluateClaim('user.username', 'claimMapping')).toContain("undeclared reference to 'user'")
  })

  it('can read the user that the claims map to', async () => {
    expect(await evaluateClaim('user.username == "alice" && user.uid == "" && user.groups == ["dev"]', 'userValidation')).toBe(true)
    expect(await evaluateClaim('user.extra["example.com/team"] == ["a"]', 'userValidation')).toBe(true)
    expect(await evaluateClaim('user.username.startsWith("system:")', 'userValidation')).toBe(false)
    expect(await evaluateClaim('user.foo', 'userValidation')).toContain("undefined field 'foo'")
  })
})
