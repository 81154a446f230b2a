import { expect, it } from 'vitest'
import { selectControllers } from './select-controllers.ts'
import { controllerNames } from './start-controllers.ts'

const known = ['a-controller', 'namespace-controller', 'serviceaccount-controller']

it.each([
  ['*', known],
  ['none', []],
  ['', []],
  ['a-controller', ['a-controller']],
  ['*,-a-controller', ['namespace-controller', 'serviceaccount-controller']],
  ['-a-controller,*', ['namespace-controller', 'serviceaccount-controller']],
  ['*, -namespace', ['a-controller', 'serviceaccount-controller']],
  [
    ['serviceaccount', 'a-controller'],
    ['a-controller', 'serviceaccount-controller'],
  ],
  ['-a-controller', []],
])('parses %j as %j', (selection, names) => {
  expect([...selectControllers(selection, known)]).toEqual(names)
})

it('names unknown controllers in the error', () => {
  expect(() => selectControllers('*,-nosuch', known)).toThrow('"nosuch" is not in the list of known controllers: a-controller')
  expect(() => selectControllers('none,*', known)).toThrow('"none" cannot be combined')
})

it('knows these controllers', () => {
  expect(controllerNames).toEqual([
    'clusterrole-aggregation-controller',
    'garbage-collector-controller',
    'namespace-controller',
    'root-ca-certificate-publisher-controller',
    'serviceaccount-controller',
  ])
})
