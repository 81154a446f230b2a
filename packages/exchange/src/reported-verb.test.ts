import { expect, test } from 'vitest'
import { decideReportedScope, decideReportedVerb } from './reported-verb.ts'
import { parseQuery, parseRequestInfo, parseTarget } from './request-attributes.ts'

const pods = '/api/v1/namespaces/n/pods'

test.each([
  ['GET', `${pods}/p`, undefined, 'GET resource'],
  ['HEAD', `${pods}/p`, undefined, 'GET resource'],
  ['GET', pods, undefined, 'LIST namespace'],
  ['HEAD', '/api/v1/pods', undefined, 'LIST cluster'],
  ['GET', `${pods}?fieldSelector=metadata.name%3Dp`, undefined, 'GET resource'],
  ['GET', `${pods}?watch=1`, undefined, 'WATCH namespace'],
  ['GET', `${pods}/p?watch=true`, undefined, 'WATCH resource'],
  ['GET', `${pods}?watch=`, undefined, 'WATCH namespace'],
  ['GET', `${pods}?watch=False`, undefined, 'LIST namespace'],
  ['HEAD', `${pods}?watch=1`, undefined, 'LIST namespace'],
  ['GET', '/api/v1/watch/pods', undefined, 'LIST cluster'],
  ['POST', pods, undefined, 'POST resource'],
  ['DELETE', pods, undefined, 'DELETE namespace'],
  ['PATCH', `${pods}/p`, 'application/merge-patch+json', 'PATCH resource'],
  ['PATCH', `${pods}/p`, 'application/apply-patch+yaml', 'APPLY resource'],
  ['PATCH', `${pods}/p`, 'application/apply-patch+yaml; charset=utf-8', 'PATCH resource'],
  ['PATCH', `${pods}/p`, 'application/apply-patch+cbor', 'PATCH resource'],
  ['GET', `${pods}/p/log?follow=1`, undefined, 'CONNECT resource'],
  ['POST', `${pods}/p/exec`, undefined, 'CONNECT resource'],
  ['GET', '/readyz', undefined, 'GET '],
  ['GET', '/version?watch=1', undefined, 'WATCH '],
  ['POST', '/readyz', undefined, 'POST '],
])('%s %s is reported like in kube-apiserver', (method, url, contentType, reported) => {
  const target = parseTarget(url)
  const query = parseQuery(target.query)
  const attributes = parseRequestInfo(method, target, query)
  const reportedScope = decideReportedScope(attributes)
  expect(`${decideReportedVerb({ attributes, method, query, contentType }, reportedScope)} ${reportedScope}`).toBe(reported)
})
