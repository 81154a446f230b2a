import type { Descriptions } from '@keelson/api/openapi'
import type { Component } from './parameters.ts'
import type { PathItem } from './path-items.ts'

const metaTypes = 'io.k8s.apimachinery.pkg.apis.meta.v1'
/** Types whose fields are the query parameters of ordinary requests. `Parameters` has those that no type has, and those in paths. */
const parameterTypes = ['Parameters', 'ListOptions', 'PatchOptions', 'DeleteOptions'].map((name) => `${metaTypes}.${name}`)

/** Returns a path item with descriptions for the parameters that have none. */
export function describeParameters({ item, optionsKind }: PathItem, descriptions: Descriptions): Component {
  const types = optionsKind === undefined ? parameterTypes : [`io.k8s.api.core.v1.${optionsKind}`, ...parameterTypes]
  const texts = new Map<string, string>()
  for (const type of types.toReversed()) for (const [name, text] of descriptions.find(type)?.fields ?? []) texts.set(name, text)
  const describe = (parameters: readonly Component[]): readonly Component[] =>
    parameters.map((parameter) => {
      const description = texts.get(String(parameter['name']))
      return description === undefined ? parameter : { description, ...parameter }
    })
  const described: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(item)) {
    const { parameters } = value as { readonly parameters?: readonly Component[] }
    described[member] =
      member === 'parameters'
        ? describe(value as readonly Component[])
        : parameters
          ? { ...(value as Component), parameters: describe(parameters) }
          : value
  }
  return described
}
