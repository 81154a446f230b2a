import { bindings, baseEnvironment, jsonPatches } from '../libraries.ts'
import type { Environment } from '../environment.ts'
import { AuthorizerValue } from '../functions/authorization.ts'
import type { CheckAuthorization } from '../functions/authorization.ts'
import { listType, mapType, createStructType, types } from '../types/type.ts'
import { CelError } from '../values/value.ts'
import { compile, CompileError, findProgramError } from '../compile.ts'
import { Program } from '../evaluate/program.ts'
import { showValue } from './show-value.ts'

/** An expression with its result in kube-apiserver's environment. */
export interface Answer {
  readonly text: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly problem?: string
  readonly value?: string
  readonly error?: string
  readonly cost?: number
}

const answersEnvironment: Environment = baseEnvironment.extend({
  libraries: [jsonPatches, bindings],
  variables: {
    x: types.dyn,
    s: types.string,
    i: types.int,
    l: listType(types.int),
    m: mapType(types.string, types.string),
    authorizer: createStructType('kubernetes.authorization.Authorizer'),
    'authorizer.requestResource': createStructType('kubernetes.authorization.ResourceCheck'),
  },
})

/** Example values of the variables in `answersEnvironment`. */
export const exampleVariables: Readonly<Record<string, unknown>> = {
  x: {
    a: 1,
    t: true,
    f: false,
    s: 'str',
    key: 'a',
    f15: 1.5,
    neg: -5,
    big: 9007199254740991,
    nul: null,
    o: { p: { q: 1 }, k: 'a' },
    l: [1, 2, 3],
    strs: ['a', 'b', 'c'],
    mixed: [1, 'a', 2.5],
    badre: 'a(',
    fmt: '%d',
    fmt2: '%z',
    fmt3: '%.f',
    fmt4: '%s',
  },
  s: 'str',
  i: 1,
  l: [1, 2, 3],
  m: { a: 'b', c: 'd' },
}

/** Decides like the fake authorizer of the program that records kube-apiserver's results. */
const check: CheckAuthorization = (user, action) => {
  const { resource, path, verb, namespace, name, subresource } = action
  if (resource === 'secrets') return { allowed: false, reason: '', error: `no secrets for ${user.name}` }
  if (resource !== 'pods' && path !== '/healthz') return { allowed: false, reason: 'no' }
  return { allowed: true, reason: `${verb} ${namespace}/${name} ${subresource} ${user.name}` }
}

/** Evaluates an expression and formats the result like the program that records kube-apiserver's results (`tooling/e2e/src/cel`). */
export async function answer({ text, variables }: Pick<Answer, 'text' | 'variables'>): Promise<Answer> {
  try {
    const compiled = compile(text, answersEnvironment)
    const problem = findProgramError(compiled)
    if (problem !== undefined) return { text, problem: problem.replace('program instantiation failed: ', '') }
    const authorizer = new AuthorizerValue({ name: 'alice', groups: [] }, check)
    const { value, cost } = await new Program(compiled).evaluate({ ...variables, authorizer })
    return value instanceof CelError ? { text, error: value.message, cost } : { text, value: showValue(value), cost }
  } catch (error) {
    if (error instanceof CompileError) return { text, problem: error.message }
    throw error
  }
}
