/** An object in an OpenAPI document, such as a parameter or an operation. */
export type Component = { readonly [member: string]: unknown }

export function createPathParameter(name: string): Component {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }
}

export function queryParameters(names: string, type = 'string'): readonly Component[] {
  return names.split(' ').map((name) => ({ name, in: 'query', schema: { type, uniqueItems: true } }))
}

export const pretty: readonly Component[] = queryParameters('pretty')

export const listParameters: readonly Component[] = [
  ...queryParameters('allowWatchBookmarks', 'boolean'),
  ...queryParameters('continue fieldSelector labelSelector'),
  ...queryParameters('limit', 'integer'),
  ...queryParameters('resourceVersion resourceVersionMatch'),
  ...queryParameters('sendInitialEvents', 'boolean'),
  ...queryParameters('timeoutSeconds', 'integer'),
  ...queryParameters('watch', 'boolean'),
]
const writeParameters = queryParameters('dryRun fieldManager fieldValidation')
const deleteParameters = [
  ...queryParameters('dryRun'),
  ...queryParameters('gracePeriodSeconds', 'integer'),
  ...queryParameters('orphanDependents', 'boolean'),
  ...queryParameters('propagationPolicy'),
]

/** Returns the parameters of an operation. They do not include those of its path. */
export function listActionParameters(action: string): readonly Component[] {
  switch (action) {
    case 'list':
      return listParameters
    case 'post':
    case 'put':
      return writeParameters
    case 'patch':
      return [...writeParameters, ...queryParameters('force', 'boolean')]
    case 'delete':
      return deleteParameters
    case 'deletecollection':
      return [...deleteParameters, ...listParameters.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks')]
    default:
      return []
  }
}

/** Returns the parameters that all operations of a path share, and removes them from the operations. */
export function extractSharedParameters(operations: Readonly<Record<string, Component>>, pathParameters: readonly Component[]): Component {
  const parameterLists = Object.values(operations).map(({ parameters }) => parameters as readonly Component[])
  const shared = (parameterLists[0] ?? []).filter(({ name }) =>
    parameterLists.every((parameters) => parameters.some((other) => other['name'] === name)),
  )
  const names = new Set(shared.map(({ name }) => name))
  const item: Record<string, unknown> = {}
  for (const [method, { parameters, ...others }] of Object.entries(operations)) {
    const remaining = (parameters as readonly Component[]).filter(({ name }) => !names.has(name))
    item[method] = remaining.length === 0 ? others : { ...others, parameters: sortByName(remaining) }
  }
  const common = sortByName([...pathParameters, ...shared])
  return common.length === 0 ? item : { ...item, parameters: common }
}

function sortByName(parameters: readonly Component[]): readonly Component[] {
  return parameters.toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1))
}
