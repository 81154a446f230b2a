import type { Connecter, OptionsDescription, OptionType, Streamer } from '@keelson/registry'
import { usualMediaTypes } from '../negotiation/negotiate.ts'
import { capitalize, describeAction, formatOperationId, formatVersionTag } from './operation-names.ts'
import type { OperationSubject } from './operation-names.ts'
import { createPathParameter, queryParameters, extractSharedParameters } from './parameters.ts'
import type { Component } from './parameters.ts'
import type { PathItem } from './path-items.ts'

const aText = { schema: { type: 'string' } }
const unauthorized = { description: 'Unauthorized' }
const parameterTypes: Readonly<Partial<Record<OptionType, string>>> = {
  boolean: 'boolean',
  integer: 'integer',
  integers: 'integer',
  string: 'string',
  strings: 'string',
}

/** Returns the OpenAPI path items of a proxy subresource: one for the path itself, and one for the paths below it. */
export function createConnectItems(
  { connectMethods, connectOptions }: Connecter,
  subject: OperationSubject,
  pathParameters: readonly Component[],
): PathItem[] {
  const { served, kind, path } = subject
  const createItem = (behind: string, parameters: readonly Component[], suffix: string): PathItem => {
    const operations = Object.fromEntries(connectMethods.map((method) => [method.toLowerCase(), createOperation(method, suffix)]))
    return {
      path: `${path}${behind}`,
      item: extractSharedParameters(operations, [...pathParameters, ...parameters, ...listOptionParameters(connectOptions)]),
      optionsKind: connectOptions.kind,
    }
  }
  const createOperation = (method: string, suffix: string): Component => ({
    description: describeAction('connect', served.subresource, kind),
    operationId: `${formatOperationId('connect', subject, capitalize(method.toLowerCase()))}${suffix}`,
    parameters: [],
    responses: { 200: { description: 'OK', content: { '*/*': aText } }, 401: unauthorized },
    tags: [formatVersionTag(served.gvr)],
    'x-kubernetes-action': 'connect',
    'x-kubernetes-group-version-kind': { ...served.gvk },
  })
  return [
    createItem('', [], ''),
    ...(connectOptions.path === true ? [createItem('/{path}', [createPathParameter('path')], 'WithPath')] : []),
  ]
}

/** Returns the OpenAPI path item of a subresource that streams bytes, such as logs. */
export function createStreamItem(
  { streamOptions, streamType }: Streamer,
  subject: OperationSubject,
  pathParameters: readonly Component[],
): PathItem {
  const { served, kind, path } = subject
  const types = [streamType, ...usualMediaTypes]
  const get = {
    description: describeAction('get', served.subresource, kind),
    operationId: formatOperationId('get', subject),
    parameters: [],
    responses: { 200: { description: 'OK', content: Object.fromEntries(types.map((type) => [type, aText])) }, 401: unauthorized },
    tags: [formatVersionTag(served.gvr)],
    'x-kubernetes-action': 'get',
    'x-kubernetes-group-version-kind': { ...served.gvk },
  }
  const item = extractSharedParameters({ get }, [...pathParameters, ...listOptionParameters(streamOptions)])
  return { path, item, optionsKind: streamOptions.kind }
}

/**
 * Returns the query parameters for the members of an options kind. Times are accepted in requests, but kube-apiserver's document does not
 * list them.
 */
function listOptionParameters({ members }: OptionsDescription): readonly Component[] {
  return Object.entries(members).flatMap(([name, type]) => {
    const parameterType = parameterTypes[type]
    return parameterType === undefined ? [] : queryParameters(name, parameterType)
  })
}
