import type { StructSchema } from '@keelson/apimachinery'
import type { OpenAPISchema } from '@keelson/api/openapi'
import { canConnect, canStream, canWatch } from '@keelson/registry'
import { metaType } from '../meta-types.ts'
import { usualMediaTypes, usualStreams } from '../negotiate.ts'
import { usualPatchTypes } from '../patch-types.ts'
import type { MethodTable, ResourceRoutes } from '../route-table.ts'
import type { ResourceScope } from '../scope.ts'
import { connectItems, streamItem } from './connect-items.ts'

export type Component = { [member: string]: unknown }

/** Has the schema among the document's components, and gives the reference to it. */
export type Refer = (schema: StructSchema) => OpenAPISchema

/** The body of every patch. */
export const patchDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch'

export function reference(definition: string): OpenAPISchema {
  return { $ref: `#/components/schemas/${definition}` }
}

export interface PathItem {
  /** "/namespaces/{namespace}/pods", behind the group version's prefix. */
  readonly path: string
  readonly item: Component
}

/** The URLs of one resource or subresource with their operations. */
export function pathItems(routes: ResourceRoutes, refer: Refer): PathItem[] {
  const { scope } = routes
  const base = `${scope.namespaced ? '/namespaces/{namespace}' : ''}/${scope.resource}`
  const namespace = scope.namespaced ? [pathParameter('namespace')] : []
  const one = `${base}/{name}${scope.subresource === '' ? '' : `/${scope.subresource}`}`
  const names = {
    parameters: [pathParameter('name'), ...namespace],
    pathParameter,
    operationId: (action: string, path: string, part = '') => operationId(action, path, scope, part),
  }
  if (canConnect(scope.storage)) return connectItems(one, scope, names)
  if (canStream(scope.storage)) return [streamItem(one, scope, { ...names, parameters: [...names.parameters, ...pretty] })]
  return [
    build(`/${scope.resource}`, routes, scope.namespaced ? routes.allNamespaces : {}, [], true, refer),
    build(base, routes, routes.collection, namespace, true, refer),
    build(one, routes, routes.item, [pathParameter('name'), ...namespace], false, refer),
  ].flat()
}

const query = (names: string, type = 'string'): Component[] =>
  names.split(' ').map((name) => ({ name, in: 'query', schema: { type, uniqueItems: true } }))
const listParameters: Component[] = [
  ...query('allowWatchBookmarks sendInitialEvents watch', 'boolean'),
  ...query('continue fieldSelector labelSelector resourceVersion resourceVersionMatch'),
  ...query('limit timeoutSeconds', 'integer'),
]
const writeParameters = query('dryRun fieldManager fieldValidation')
const deleteParameters = [
  ...query('dryRun propagationPolicy'),
  ...query('gracePeriodSeconds', 'integer'),
  ...query('orphanDependents', 'boolean'),
]
const pretty = query('pretty')

function pathParameter(name: string): Component {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }
}

function build(
  path: string,
  routes: ResourceRoutes,
  methods: MethodTable,
  parameters: Component[],
  isList: boolean,
  refer: Refer,
): PathItem[] {
  const operations: Component = {}
  for (const method of Object.keys(methods)) operations[method.toLowerCase()] = operation(routes, path, method, isList, refer)
  if (Object.keys(operations).length === 0) return []
  return [{ path, item: { ...operations, parameters: [...parameters, ...pretty] } }]
}

function operation(routes: ResourceRoutes, path: string, method: string, isList: boolean, refer: Refer): Component {
  const { scope } = routes
  const action = actionOf(method, isList)
  const kind = scope.type === undefined ? anyObject : refer(scope.type.schema)
  const listType = scope.info.types.kind({ ...scope.gvk, kind: `${scope.gvk.kind}List` })
  const list = listType === undefined ? kind : refer(listType.schema)
  const body = bodyOf(action, kind, refer)
  return {
    operationId: operationId(action, path, scope),
    parameters: parametersOf(action, canWatch(scope.storage)),
    ...(body === undefined ? undefined : { requestBody: body }),
    responses: responsesOf(action, action === 'list' ? list : kind, refer),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...scope.gvk },
  }
}

function actionOf(method: string, isList: boolean): string {
  if (method === 'GET') return isList ? 'list' : 'get'
  if (method === 'DELETE') return isList ? 'deletecollection' : 'delete'
  return method.toLowerCase()
}

function parametersOf(action: string, watches: boolean): Component[] {
  switch (action) {
    case 'list':
      return watches ? listParameters : listParameters.filter(({ name }) => name !== 'watch')
    case 'post':
    case 'put':
      return writeParameters
    case 'patch':
      return [...writeParameters, ...query('force', 'boolean')]
    case 'delete':
      return deleteParameters
    case 'deletecollection':
      return [...deleteParameters, ...listParameters.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks')]
    default:
      return []
  }
}

const anyObject: OpenAPISchema = { type: 'object' }
const everyForm = usualMediaTypes

function content(types: readonly string[], schema: OpenAPISchema): Component {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function bodyOf(action: string, kind: OpenAPISchema, refer: Refer): Component | undefined {
  switch (action) {
    case 'post':
    case 'put':
      return { content: content(['*/*'], kind), required: true }
    case 'patch':
      return { content: content(usualPatchTypes, reference(patchDefinition)), required: true }
    case 'delete':
    case 'deletecollection':
      return { content: content(['*/*'], refer(metaType('DeleteOptions').schema)) }
    default:
      return undefined
  }
}

const words: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

function responsesOf(action: string, kind: OpenAPISchema, refer: Refer): Component {
  const codes = { post: [200, 201, 202], put: [200, 201], patch: [200, 201], delete: [200, 202] }[action] ?? [200]
  const schema = action === 'delete' || action === 'deletecollection' ? refer(metaType('Status').schema) : kind
  const types = action === 'list' ? [...everyForm, ...usualStreams] : everyForm
  const responses = codes.map((code) => [code, { description: words[code], content: content(types, schema) }] as const)
  return { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } }
}

/** Unique within the document, and made as the original makes it as far as that is by rule. */
function operationId(action: string, path: string, scope: ResourceScope, part = ''): string {
  const { apiVersion, namespaced } = scope
  const verb = { get: 'read', post: 'create', put: 'replace', deletecollection: 'deleteCollection' }[action] ?? action
  const prefix = (apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`)
    .split(/[/.]/)
    .filter((word) => word !== 'k8s' && word !== 'io')
  const within = path.startsWith('/namespaces/{namespace}') ? 'Namespaced' : ''
  const subresource = /\{name\}\/(.+)$/.exec(path)?.[1] ?? ''
  const everywhere = namespaced && within === '' ? 'ForAllNamespaces' : ''
  return `${verb}${prefix.map(capital).join('')}${part}${within}${objectKind(scope)}${capital(subresource)}${everywhere}`
}

/** Of what is connected to, where the path's own kind is that of its options: Pod, not PodExecOptions. */
function objectKind({ gvk: { kind }, subresource, storage }: ResourceScope): string {
  return canConnect(storage) ? kind.slice(0, -`${subresource}Options`.length) : kind
}

function capital(word: string): string {
  return word === '' ? '' : word[0]!.toUpperCase() + word.slice(1)
}
