import type { Connecter, OptionsDescription, OptionType, Streamer } from '@keelson/registry'
import { usualMediaTypes } from '../negotiate.ts'
import type { ResourceScope } from '../scope.ts'
import type { Component, PathItem } from './path-items.ts'

const aText = { schema: { type: 'string' } }
const unauthorized = { description: 'Unauthorized' }
const parameterTypes: Readonly<Record<OptionType, string>> = {
  boolean: 'boolean',
  integer: 'integer',
  integers: 'integer',
  string: 'string',
  strings: 'string',
  time: 'string',
}

/** Names and types of what an operation's URL says of itself. */
export interface OperationNames {
  readonly parameters: readonly Component[]
  pathParameter(name: string): Component
  /** `part` stands behind the group's name. */
  operationId(action: string, path: string, part?: string): string
}

/** The URLs of a path that hands connections on: one of its own, and one for everything behind it. */
export function connectItems(path: string, scope: ResourceScope, names: OperationNames): PathItem[] {
  const { connectMethods, connectOptions } = scope.storage as unknown as Connecter
  const item = (behind: string, parameters: readonly Component[], suffix: string): PathItem => ({
    path: `${path}${behind}`,
    item: {
      ...Object.fromEntries(connectMethods.map((method) => [method.toLowerCase(), operation(method, suffix)])),
      parameters: [...names.parameters, ...parameters, ...optionParameters(connectOptions)],
    },
  })
  const operation = (method: string, suffix: string): Component => ({
    operationId: `${names.operationId('connect', path, capital(method.toLowerCase()))}${suffix}`,
    parameters: [],
    responses: { 200: { description: 'OK', content: { '*/*': aText } }, 401: unauthorized },
    'x-kubernetes-action': 'connect',
    'x-kubernetes-group-version-kind': { ...scope.gvk },
  })
  return [item('', [], ''), ...(connectOptions.path === true ? [item('/{path}', [names.pathParameter('path')], 'WithPath')] : [])]
}

/** A path that answers with bytes from elsewhere. */
export function streamItem(path: string, scope: ResourceScope, names: OperationNames): PathItem {
  const { streamOptions, streamType } = scope.storage as unknown as Streamer
  const types = [...usualMediaTypes, streamType]
  const get = {
    operationId: names.operationId('get', path),
    parameters: [],
    responses: { 200: { description: 'OK', content: Object.fromEntries(types.map((type) => [type, aText])) }, 401: unauthorized },
    'x-kubernetes-action': 'get',
    'x-kubernetes-group-version-kind': { ...scope.gvk },
  }
  return { path, item: { get, parameters: [...names.parameters, ...optionParameters(streamOptions)] } }
}

function optionParameters({ members }: OptionsDescription): Component[] {
  return Object.entries(members).map(([name, type]) => ({ name, in: 'query', schema: { type: parameterTypes[type], uniqueItems: true } }))
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}
