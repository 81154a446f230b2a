import { expect, it } from 'vitest'
import { compileJsonPath } from './json-path.ts'
import type { Value } from './json-path.ts'

const object = {
  spec: { size: 3, name: 'a', ratio: 1.5, list: ['p', 'q', 'r'], 'dotted.key': 'x', map: { b: 2, a: 1 } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', count: 2 },
      { type: 'Stalled', status: 'False', count: 5, reason: 'because (of) it' },
    ],
  },
}

it.each<[path: string, values: readonly Value[]]>([
  ['.spec.size', [3]],
  ['.spec.missing.name', []],
  ['spec.size', []],
  ['.spec.list[0]', ['p']],
  ['.spec.list[-1]', ['r']],
  ['.spec.list[1:]', ['q', 'r']],
  ['.spec.list[0:3:2]', ['p', 'r']],
  ['.spec.list[*]', ['p', 'q', 'r']],
  ['.spec.list[0,2]', ['p', 'r']],
  ["['spec']['name']", ['a']],
  ['.spec.dotted\\.key', ['x']],
  ['.spec.map.*', [2, 1]],
  ['$.spec.name', ['a']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Stalled')].reason", ['because (of) it']],
  ['.status.conditions[?(@.reason)].type', ['Stalled']],
  ['.status.conditions[?(@.count>2)].type', ['Stalled']],
  ['.status.conditions[?(@.count<=2)].type', ['Ready']],
  ['.status.conditions[?(@.status!="True")].type', ['Stalled']],
  ['.status.conditions[?(@.reason=="because (of) it")].type', ['Stalled']],
  ['..type', ['Ready', 'Stalled']],
])('finds the values at %s', (path, values) => {
  const results = path === 'spec.size' ? undefined : compileJsonPath(path).find(object)
  if (results === undefined) expect(() => compileJsonPath(path).find(object)).toThrow('unrecognized identifier spec')
  else expect(results).toEqual(values)
})

it.each([
  ['.spec.list[3]', 'array index out of bounds: index 3, length 3'],
  ['.spec.name[0]', 'not array or slice'],
  ['.status.conditions[?(@.count=="2")]', 'incompatible types'],
  ['.spec.ratio[?(@.x)]', 'cannot be filtered'],
])('fails to evaluate %s', (path, message) => {
  expect(() => compileJsonPath(path).find(object)).toThrow(message)
})

it.each([
  ['.spec[', 'unterminated array'],
  ['.spec[a]', 'invalid array index a'],
  ['.status[?(@.a==1)', 'unclosed array expect ]'],
  ['.status[?(@.a', 'unterminated filter'],
  ['....a', 'invalid multiple recursive descent'],
  ['.a#"', undefined],
  ["'abc", 'unterminated quoted string'],
  ['!', 'unrecognized character in action'],
])('rejects the path %s', (path, message) => {
  if (message === undefined) expect(compileJsonPath(path).find({ 'a#"': 1 })).toEqual([1])
  else expect(() => compileJsonPath(path)).toThrow(message)
})
