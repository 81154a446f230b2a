import { expect, test } from 'vitest'
import type { ConfigurationError } from './configuration-error.ts'
import { readFeatureGates } from './feature-gates.ts'
import { checkRequestHeaders, requestHeaders, requestHeaderWarnings, usesOwnFrontProxy } from './request-headers.ts'

const readGates = (set: Record<string, boolean> = {}) => readFeatureGates(set, () => {})
const proxyClientFiles = { certificateFile: 'a.crt', keyFile: 'a.key' }

test('without options, the server is its own front proxy', () => {
  expect(usesOwnFrontProxy({})).toBe(true)
  expect(requestHeaders({}, readGates())).toEqual({
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
    allowedNames: ['front-proxy-client'],
  })
  expect(requestHeaders({}, readGates({ RemoteRequestHeaderUID: false }))?.uidHeaders).toEqual([])
})

test('reads only the configured headers if a CA is set, and none if only a client certificate is set', () => {
  const frontProxy = { authorityFile: 'ca.crt', usernameHeaders: ['Who'] }
  expect(requestHeaders({ authentication: { frontProxy } }, readGates())).toMatchObject({ usernameHeaders: ['Who'] })
  expect(requestHeaders({ authentication: { frontProxy: { authorityFile: 'ca.crt' } } }, readGates())).toMatchObject({
    usernameHeaders: [],
  })
  expect(requestHeaders({ authentication: { proxyClientFiles } }, readGates())).toBeUndefined()
  expect(usesOwnFrontProxy({ authentication: { proxyClientFiles } })).toBe(false)
})

test.each([
  [{ usernameHeaders: [' '] }, {}, ['empty value in "requestheader-username-headers"']],
  [
    { allowedNames: [''], groupHeaders: [''] },
    {},
    ['empty value in "requestheader-group-headers"', 'empty value in "requestheader-allowed-names"'],
  ],
  [{ uidHeaders: ['x-remote-uid', 'Uid'] }, {}, []],
  [
    { uidHeaders: ['Uid'] },
    {},
    ['--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work'],
  ],
  [
    { uidHeaders: ['X-Remote-Uid'] },
    { RemoteRequestHeaderUID: false },
    ['--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled'],
  ],
])('%j with %j has the problems %j', (frontProxy, set, problems) => {
  let foundProblems: readonly string[] = []
  try {
    checkRequestHeaders({ frontProxy }, readGates(set))
  } catch (error) {
    foundProblems = (error as ConfigurationError).problems
  }
  expect(foundProblems).toEqual(problems)
})

test('warns if headers that other API servers need are not configured', () => {
  expect(requestHeaderWarnings({ frontProxy: { usernameHeaders: ['x-remote-USER'], groupHeaders: [] } })).toEqual([])
  expect(requestHeaderWarnings({ frontProxy: { usernameHeaders: ['Who'], extraHeaderPrefixes: ['X-'] } })).toEqual([
    '--requestheader-username-headers is set without specifying the standard X-Remote-User header - API aggregation will not work',
    '--requestheader-extra-headers-prefix is set without specifying the standard X-Remote-Extra- header prefix - API aggregation will not work',
  ])
})
