import { expect, it } from 'vitest'
import { selectControllers } from './select-controllers.ts'
import { controllerNames } from './start-controllers.ts'

const selectable = ['a-controller', 'namespace-controller', 'serviceaccount-controller']

it.each([
  ['*', selectable],
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
  expect([...selectControllers(selection, selectable)]).toEqual(names)
})

it('names unknown controllers in the error', () => {
  expect(() => selectControllers('*,-nosuch', selectable)).toThrow('"nosuch" is not in the list of known controllers: a-controller')
  expect(() => selectControllers('none,*', selectable)).toThrow('"none" cannot be combined')
})

it('lists the names of all controllers', () => {
  expect(controllerNames).toEqual([
    'clusterrole-aggregation-controller',
    'garbage-collector-controller',
    'namespace-controller',
    'root-ca-certificate-publisher-controller',
    'serviceaccount-controller',
    'validatingadmissionpolicy-status-controller',
  ])
})
