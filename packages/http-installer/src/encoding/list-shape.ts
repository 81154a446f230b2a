import { parseJson, stringifyJson } from '@keelson/apimachinery'
import type { KubeObject, ListMeta } from '@keelson/apimachinery'
import { toYaml } from '@keelson/apimachinery/yaml'
import type { RestResult, ResultList } from '@keelson/registry'
import { isStoredObject } from '@keelson/storagebackend'
import { indentJson } from './indent-json.ts'
import { formatInternalTypeName, fromHub } from '@keelson/registry'
import { encodePiece } from './json-piece.ts'
import type { JsonPiece } from './json-piece.ts'
import { ObjectEncoder } from './object-encoder.ts'
import { createPartialForm, encodePartialPiece } from './partial-metadata.ts'
import { parseIncludeObject } from '../handlers/read-request.ts'
import type { Answer, ServedResource } from '../routing/served-resource.ts'
import { TableRows } from './table.ts'
import { newNotConvertible } from './write-object.ts'

/** The text of a list before, between and after its items. The items are written one by one. */
export interface ListShape {
  readonly before: string
  readonly separator: string
  readonly after: string
  /** Text of an empty list. */
  readonly empty: string
  encodeItem(result: RestResult): JsonPiece
}

/** Returns the metadata of a list. In kube-apiserver, a list of custom resources has a continue token even if it is empty. */
export function createListMeta(list: ResultList, isCustom = false): ListMeta {
  return {
    ...(list.revision > 0 ? { resourceVersion: String(list.revision) } : undefined),
    ...(list.continue || isCustom ? { continue: list.continue ?? '' } : undefined),
    ...(list.remainingItemCount ? { remainingItemCount: list.remainingItemCount } : undefined),
  }
}

/** Returns the text around the items of a list in compact JSON. */
export function createJsonShape(answer: Answer, list: ResultList): ListShape {
  const { served, negotiated, query } = answer
  const { transform } = negotiated
  const listMeta = createListMeta(list)
  switch (transform?.kind) {
    case 'PartialObjectMetadata':
      throw newNotConvertible(transform, formatInternalTypeName(served, 'List'), true)
    case 'PartialObjectMetadataList': {
      const form = createPartialForm(served, transform)
      const shapeOfItems = createTypedList('PartialObjectMetadataList', `meta.k8s.io/${transform.version}`, listMeta, (result) =>
        encodePartialPiece(result, form),
      )
      // An empty list of PartialObjectMetadata has `"items": null`. Other empty lists have an empty array.
      return { ...shapeOfItems, empty: `${shapeOfItems.before.slice(0, -1)}null}\n` }
    }
    case 'Table': {
      const rows = new TableRows(served, transform.version, parseIncludeObject(query))
      const start = rows.head(listMeta)
      return {
        before: start,
        separator: ',',
        after: `${rows.tail}\n`,
        empty: served.storage.table!.nullRows ? `${start.slice(0, -1)}null}\n` : `${start}${rows.tail}\n`,
        encodeItem: (result) => rows.row(result),
      }
    }
    case undefined: {
      const encoder = new ObjectEncoder(served, 'json', false)
      return createTypedList(served.listKind, served.apiVersion, createListMeta(list, served.storage.isCustom), (result) =>
        encodeItem(served, encoder, result),
      )
    }
  }
}

function encodeItem(served: ServedResource, encoder: ObjectEncoder, result: RestResult): Buffer {
  if (isStoredObject(result)) return encoder.item(result)
  if (served.storage.isCustom === true) return encoder.embedded(result)
  const { kind: _, apiVersion: __, ...object } = result
  return Buffer.from(stringifyJson(fromHub(served, object as KubeObject)))
}

function createTypedList(kind: string, apiVersion: string, meta: ListMeta, item: ListShape['encodeItem']): ListShape {
  const start = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${stringifyJson(meta)},"items":[`
  return { before: start, separator: ',', after: ']}\n', empty: `${start}]}\n`, encodeItem: item }
}

/** Returns the text around the items of a list in JSON that is indented by two spaces. */
export function createPrettyShape(compact: ListShape): ListShape {
  const emptyText = indentJson((compact.before + compact.after).trimEnd())
  return {
    before: `${emptyText.slice(0, emptyText.lastIndexOf(']'))}\n    `,
    separator: ',\n    ',
    after: '\n  ]\n}',
    empty: indentJson(compact.empty.trimEnd()),
    encodeItem: (result) => Buffer.from(indentJson(encodePiece(compact.encodeItem(result)).toString()).replaceAll('\n', '\n    ')),
  }
}

/** Returns the text around the items of a list in YAML. Keys are sorted, so some members of the list follow its items. */
export function createYamlShape(compact: ListShape): ListShape {
  const emptyText = toYaml(parseJson(compact.before + compact.after).value)
  const at = /^(?:items|rows): \[\]\n/m.exec(emptyText)!
  const end = at.index + at[0].length
  return {
    before: `${emptyText.slice(0, at.index)}${at[0].slice(0, -' []\n'.length)}\n`,
    separator: '',
    after: emptyText.slice(end),
    empty: toYaml(parseJson(compact.empty).value),
    encodeItem: (result) => Buffer.from(formatYamlItem(toYaml(parseJson(encodePiece(compact.encodeItem(result)).toString()).value))),
  }
}

function formatYamlItem(yaml: string): string {
  return `- ${yaml.replace(/\n(?=[^\n])/g, '\n  ')}`
}
