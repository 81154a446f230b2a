import type { OpenAPISchema } from '@keelson/api/openapi'
import { applyPatchType } from '@keelson/exchange'
import { mediaTypes } from '../negotiation/negotiate.ts'
import type { ResourceRoutes } from '../routing/route-table.ts'
import type { MethodTable, ServedResource } from '../routing/served-resource.ts'
import { findMetaType } from '../encoding/meta-types.ts'
import { capitalize, describeAction, formatVersionTag, formatWord, formatOperationId } from './operation-names.ts'
import { extractSharedParameters, listActionParameters, createPathParameter, pretty, queryParameters } from './parameters.ts'
import type { Component } from './parameters.ts'
import { patchSchema, createReference } from './path-items.ts'
import type { PathItem, Refer } from './path-items.ts'

/** A custom resource, or one of its subresources. */
interface CustomSubject {
  readonly served: ServedResource
  /** Kind of the custom resource, even for its subresource `scale`. */
  readonly kind: string
  readonly refer: Refer
}

const bodyTypes: readonly string[] = [mediaTypes.json, mediaTypes.yaml]
const patchTypes: readonly string[] = ['application/json-patch+json', 'application/merge-patch+json', applyPatchType]

/**
 * Returns the OpenAPI path items of a custom resource or its subresource. They differ from those of other resources: they have descriptions and
 * fewer media types, and no paths below `/watch`.
 */
export function createCustomItems({ served, item, collection, allNamespaces }: ResourceRoutes, kind: string, refer: Refer): PathItem[] {
  const subject = { served, kind, refer }
  const { namespaced, resource, subresource } = served
  const base = `${namespaced ? '/namespaces/{namespace}' : ''}/${resource}`
  const namespace = namespaced
    ? [describeParameter(createPathParameter('namespace'), 'object name and auth scope, such as for teams and projects')]
    : []
  const name = describeParameter(createPathParameter('name'), `name of the ${kind}`)
  const itemPath = `${base}/{name}${subresource === '' ? '' : `/${subresource}`}`
  return [
    ...createPathItem(`/${resource}`, subject, allNamespaces, { isList: true, parameters: [] }),
    ...createPathItem(base, subject, collection, { isList: true, parameters: namespace }),
    ...createPathItem(itemPath, subject, item, { isList: false, parameters: [name, ...namespace] }),
  ]
}

function createPathItem(
  path: string,
  subject: CustomSubject,
  methods: MethodTable,
  { isList, parameters }: { readonly isList: boolean; readonly parameters: readonly Component[] },
): PathItem[] {
  const operations: Record<string, Component> = {}
  for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']) {
    if (methods[method] !== undefined) operations[method.toLowerCase()] = createOperation(subject, path, decideAction(method, isList))
  }
  if (Object.keys(operations).length === 0) return []
  return [{ path, item: extractSharedParameters(operations, [...parameters, ...pretty]), consumes: bodyTypes }]
}

type Action = 'list' | 'get' | 'put' | 'post' | 'patch' | 'delete' | 'deletecollection'

function decideAction(method: string, isList: boolean): Action {
  if (method === 'GET') return isList ? 'list' : 'get'
  if (method === 'DELETE') return isList ? 'deletecollection' : 'delete'
  return method.toLowerCase() as Action
}

const codes: Readonly<Partial<Record<Action, readonly number[]>>> = { post: [200, 201, 202], put: [200, 201], delete: [200, 202] }
const statusTexts: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

function createOperation(subject: CustomSubject, path: string, action: Action): Component {
  const { served, kind, refer } = subject
  const { gvr } = served
  const schema = createOwnSchema(served, action, refer)
  const answer = action === 'delete' || action === 'deletecollection' ? refer(findMetaType('Status').schema) : schema
  const body = createBody(action, schema, refer)
  const responses = (codes[action] ?? [200]).map((code) => [
    code,
    { description: statusTexts[code], content: createContent(bodyTypes, answer) },
  ])
  return {
    tags: [formatVersionTag(gvr)],
    description: describeAction(action, served.subresource, kind),
    operationId: formatCustomOperationId(action, subject, path),
    parameters: listParameters(action),
    ...(body && { requestBody: body }),
    responses: { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: gvr.group, version: gvr.version, kind },
  }
}

/** Returns the operation id. A kind in lower case stays so after another word. */
function formatCustomOperationId(action: Action, { served, kind }: CustomSubject, path: string): string {
  const follows = action === 'deletecollection' || path.includes('/namespaces/{namespace}/')
  const word = formatWord(kind)
  return formatOperationId(action, { served, kind: follows ? word : capitalize(word), path })
}

/** Returns a reference to the definition of the kind, of its list, or of the other kind that the subresource `scale` has. */
function createOwnSchema({ type }: ServedResource, action: Action, refer: Refer): OpenAPISchema {
  if (type?.openApi === undefined) return type === undefined ? { type: 'object' } : refer(type.schema)
  const [object = '', list = ''] = type.openApi.definitions.keys()
  return createReference(action === 'list' ? list : object)
}

function createBody(action: Action, objectSchema: OpenAPISchema, refer: Refer): Component | undefined {
  switch (action) {
    case 'post':
    case 'put':
      return { content: createContent(bodyTypes, objectSchema), required: true }
    case 'patch':
      return { content: createContent(patchTypes, refer(patchSchema)), required: true }
    case 'delete':
      return { content: createContent(bodyTypes, refer(findMetaType('DeleteOptions').schema)) }
    default:
      return undefined
  }
}

function createContent(types: readonly string[], schema: OpenAPISchema): Component {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function listParameters(action: Action): readonly Component[] {
  if (action === 'get') return queryParameters('resourceVersion')
  return listActionParameters(action === 'deletecollection' ? 'list' : action)
}

function describeParameter(parameter: Component, description: string): Component {
  const { name, in: place, ...otherMembers } = parameter
  return { name, in: place, description, ...otherMembers }
}
