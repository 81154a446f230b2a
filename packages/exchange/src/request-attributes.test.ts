import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RequestInfoError, parseQuery, parseRequestInfo, parseTarget } from './request-attributes.ts'
import type { RequestAttributes } from './request-attributes.ts'

function parseInfo(method: string, url: string): RequestAttributes {
  const target = parseTarget(url)
  return parseRequestInfo(method, target, parseQuery(target.query))
}

// The columns after the URL: verb, prefix, group, version, namespace, resource, subresource, name, path parts.
type Row = [method: string, url: string, ...expected: string[]]
const rows: Row[] = [
  ['GET', '/api/v1/namespaces', 'list', 'api', '', 'v1', '', 'namespaces', '', '', 'namespaces'],
  ['GET', '/api/v1/namespaces/other', 'get', 'api', '', 'v1', 'other', 'namespaces', '', 'other', 'namespaces,other'],
  [
    'PUT',
    '/api/v1/namespaces/other/finalize',
    'update',
    'api',
    '',
    'v1',
    'other',
    'namespaces',
    'finalize',
    'other',
    'namespaces,other,finalize',
  ],
  [
    'PUT',
    '/api/v1/namespaces/other/status',
    'update',
    'api',
    '',
    'v1',
    'other',
    'namespaces',
    'status',
    'other',
    'namespaces,other,status',
  ],
  ['GET', '/api/v1/namespaces/other/pods', 'list', 'api', '', 'v1', 'other', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/namespaces/other/pods/foo', 'get', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  ['HEAD', '/api/v1/namespaces/other/pods/foo', 'get', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  ['GET', '/api/v1/pods', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['HEAD', '/api/v1/pods', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['POST', '/api/v1/namespaces/other/pods', 'create', 'api', '', 'v1', 'other', 'pods', '', '', 'pods'],
  ['PATCH', '/api/v1/namespaces/other/pods/foo', 'patch', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  ['DELETE', '/api/v1/namespaces/other/pods/foo', 'delete', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  ['DELETE', '/api/v1/namespaces/other/pods', 'deletecollection', 'api', '', 'v1', 'other', 'pods', '', '', 'pods'],
  ['OPTIONS', '/api/v1/pods', '', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  // Deprecated watch and proxy paths.
  ['GET', '/api/v1/watch/pods', 'watch', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/watch/namespaces/other/pods', 'watch', 'api', '', 'v1', 'other', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/watch/namespaces/other/pods/foo', 'watch', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  ['GET', '/api/v1/proxy/namespaces/other/pods/foo', 'proxy', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  ['GET', '/api/v1/proxy/pods/foo/a/b', 'proxy', 'api', '', 'v1', '', 'pods', '', 'foo', 'pods,foo,a,b'],
  // Watches requested by a query parameter.
  ['GET', '/api/v1/pods?watch=true', 'watch', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?watch', 'watch', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?watch=1&timeoutSeconds=x', 'watch', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?watch=False', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?watch=0', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/namespaces/other/pods/foo?watch=1', 'get', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods,foo'],
  // A field selector that selects one name.
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dfoo', 'list', 'api', '', 'v1', '', 'pods', '', 'foo', 'pods'],
  ['GET', '/api/v1/pods?watch=1&fieldSelector=metadata.name==foo', 'watch', 'api', '', 'v1', '', 'pods', '', 'foo', 'pods'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name!=foo', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name=a%2Fb', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name=..', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name=foo&limit=abc', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name=foo&labelSelector=a=b=c', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  // Subresources, and path segments after them.
  ['GET', '/api/v1/namespaces/other/pods/foo/log?follow=1', 'get', 'api', '', 'v1', 'other', 'pods', 'log', 'foo', 'pods,foo,log'],
  [
    'GET',
    '/api/v1/namespaces/other/services/foo/proxy/a/b',
    'get',
    'api',
    '',
    'v1',
    'other',
    'services',
    'proxy',
    'foo',
    'services,foo,proxy,a,b',
  ],
  [
    'POST',
    '/api/v1/namespaces/other/serviceaccounts/sa/token',
    'create',
    'api',
    '',
    'v1',
    'other',
    'serviceaccounts',
    'token',
    'sa',
    'serviceaccounts,sa,token',
  ],
  // Resources of named groups.
  ['GET', '/apis/apps/v1/namespaces/other/deployments/d', 'get', 'apis', 'apps', 'v1', 'other', 'deployments', '', 'd', 'deployments,d'],
  ['GET', '/apis/batch/v1/jobs/', 'list', 'apis', 'batch', 'v1', '', 'jobs', '', '', 'jobs'],
  ['GET', '//api/v1/pods', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
  ['GET', '/api/v1/namespaces/a%20b/pods', 'list', 'api', '', 'v1', 'a b', 'pods', '', '', 'pods'],
]

test.each(rows)('%s %s', (method, url, verb, apiPrefix, apiGroup, apiVersion, namespace, resource, subresource, name, parts) => {
  expect(parseInfo(method, url)).toMatchObject({
    isResourceRequest: true,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    parts: parts?.split(','),
  })
})

test.each([
  '/',
  '/healthz',
  '/version',
  '/api',
  '/api/',
  '/api/v1',
  '/api/v1/',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/apps/v1/',
  '/metrics/x/y/z',
  '/openapi/v3/api/v1',
])('treats %j as a non-resource request', (path) => {
  expect(parseInfo('GET', path)).toMatchObject({ isResourceRequest: false, verb: 'get', path, resource: '' })
})

test.each(['/api/v1/watch', '/api/v1/proxy/', '/apis/apps/v1/watch'])('rejects %s', (path) => {
  expect(() => parseInfo('GET', path)).toThrow(RequestInfoError)
})

test('parses selectors of lists, watches and deletions of collections only', () => {
  const query = '?fieldSelector=spec.nodeName%3Dn&labelSelector=a%3Db'
  const selectors = {
    fieldSelector: [{ field: 'spec.nodeName', operator: '=', value: 'n' }],
    labelSelector: [{ key: 'a', operator: '=', values: ['b'] }],
  }
  expect(parseInfo('GET', `/api/v1/pods${query}`)).toMatchObject(selectors)
  expect(parseInfo('GET', `/api/v1/pods${query}&watch=1`)).toMatchObject(selectors)
  expect(parseInfo('DELETE', `/api/v1/namespaces/x/pods${query}`)).toMatchObject(selectors)
  for (const [method, path] of [
    ['GET', '/api/v1/namespaces/x/pods/p'],
    ['POST', '/api/v1/namespaces/x/pods'],
    ['GET', '/api/v1/watch/pods'],
  ] as const) {
    expect(parseInfo(method, `${path}${query}`)).not.toHaveProperty('fieldSelector')
  }
})

test('omits a selector that cannot be parsed', () => {
  const attributes = parseInfo('GET', '/api/v1/pods?fieldSelector=a&labelSelector=b,c in (d)')
  expect(attributes).not.toHaveProperty('fieldSelector')
  expect(attributes.labelSelector).toMatchObject([{ key: 'b' }, { key: 'c' }])
  expect(parseInfo('GET', '/api/v1/pods?fieldSelector=,&labelSelector=')).not.toHaveProperty('fieldSelector')
})

test('property: interprets any path or throws a RequestInfoError', () => {
  const segment = fc.oneof(
    fc.constantFrom('api', 'apis', 'v1', 'watch', 'proxy', 'namespaces', 'pods', 'status', '', '.', '%41'),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'DELETE', 'X'),
      fc.array(segment, { maxLength: 9 }),
      fc.string({ maxLength: 12 }),
      (method, segments, query) => {
        try {
          const attributes = parseInfo(method, `/${segments.join('/')}?${query}`)
          expect(attributes.isResourceRequest).toBe(attributes.parts.length > 0)
        } catch (error) {
          expect(error instanceof RequestInfoError || error instanceof URIError).toBe(true)
        }
      },
    ),
  )
})

test('treats a method named like an Object.prototype member as unknown', () => {
  for (const method of ['constructor', '__proto__', 'FOO']) {
    expect(parseInfo(method, '/api/v1/pods').verb).toBe('')
    expect(parseInfo(method, '/livez').verb).toBe(method.toLowerCase())
  }
})

test.each([
  ['/api/v1/pods', '', false],
  ['/api/v1/namespaces', '', false],
  ['/api/v1/namespaces/x', '', false],
  ['/api/v1/namespaces/x/status', '', false],
  ['/api/v1/namespaces/x/pods', '', true],
  ['/api/v1/namespaces//pods', '', true],
  ['/api/v1/namespaces/x/namespaces/x', '', true],
  ['/api/v1/watch/namespaces/x/pods', 'watch', true],
  ['/api/v1/proxy/pods/x', 'proxy', false],
  ['/api/v1/pods?watch=1', '', false],
])('%s: the path verb is %j, in a namespace: %s', (url, pathVerb, inNamespace) => {
  expect(parseInfo('GET', url)).toMatchObject({ pathVerb, inNamespace })
})
