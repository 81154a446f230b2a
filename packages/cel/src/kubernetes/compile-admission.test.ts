import { describe, expect, it } from 'vitest'
import { formatResultType } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { toVariableType } from './admission-environment.ts'
import { compileAdmission } from './compile-admission.ts'
import type { AdmissionPurpose } from './compile-admission.ts'
import type { Compilation } from './compile-for.ts'
import { admissionAnswers } from './recorded-answers.fixture.ts'
import type { AdmissionAnswer } from './recorded-answers.fixture.ts'

function compileAnswer({ scope, text, variables }: AdmissionAnswer): Compilation {
  const words = scope.split('+')
  const options = { hasParams: words.includes('params'), hasAuthorizer: words.includes('authorizer'), hasPatches: words.includes('patch') }
  if (variables === undefined) return compileAdmission(text, 'variable', options)
  const types = new Map<string, Type>()
  for (const [name, expression] of variables) {
    const result = compileAdmission(expression, 'variable', { ...options, variables: types })
    if (result.compiled !== undefined) types.set(name, toVariableType(result.compiled.type))
  }
  for (const [name] of variables) if (!types.has(name)) types.set(name, { kind: 'dyn', name: 'dyn', parameters: [] })
  return compileAdmission(text, 'variable', { ...options, variables: types })
}

const base = { hasParams: false, hasAuthorizer: true }

describe('admission expressions', () => {
  it.each(admissionAnswers.filter(({ type }) => type !== undefined))('accepts $text', (example) => {
    const { compiled: result, problem } = compileAnswer(example)
    expect(result === undefined ? problem : formatResultType(result.type)).toBe(example.type)
  })

  it.each(admissionAnswers.filter(({ problem }) => problem !== undefined))('rejects $text', (example) => {
    expect(compileAnswer(example).problem).toBe(example.problem)
  })

  it.each<[AdmissionPurpose, string, string | undefined]>([
    ['condition', 'object.a', 'must evaluate to bool but got dyn'],
    ['condition', 'request.name', 'must evaluate to bool but got string'],
    ['condition', '[1].exists(x, x > 0)', undefined],
    ['message', '1', 'must evaluate to string but got int'],
    ['message', '"a" + request.name', undefined],
    ['annotation', '[1]', 'must evaluate to one of [string null_type] but got list(int)'],
    ['annotation', 'null', undefined],
    [
      'annotation',
      'true ? "a" : null',
      "compilation failed: ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, string, null)'\n | true ? \"a\" : null\n | .....^",
    ],
    ['variable', '{"a": [1]}', undefined],
    ['applyConfiguration', 'Object{spec: Object.spec{replicas: 1}}', undefined],
    ['applyConfiguration', 'Object.spec{}', 'must evaluate to Object but got Object.spec'],
    ['applyConfiguration', '{"spec": 1}', 'must evaluate to Object but got map(string, int)'],
    ['jsonPatch', '[JSONPatch{op: "add", path: "/a/" + jsonpatch.escapeKey("b/c"), value: Object{}}]', undefined],
    ['jsonPatch', 'JSONPatch{}', 'must evaluate to list(JSONPatch) but got JSONPatch'],
  ])('compiles an expression for %s: %s', (purpose, text, problem) => {
    expect(
      compileAdmission(text, purpose, { ...base, hasPatches: purpose === 'applyConfiguration' || purpose === 'jsonPatch' }).problem,
    ).toBe(problem)
  })
})
