import { stringifyJson } from '@keelson/apimachinery'
import type { RestResult, TableCell, TableConvertor } from '@keelson/registry'
import { findMetadata, isStoredObject, copyLazily } from '@keelson/storagebackend'
import { surroundPiece } from './json-piece.ts'
import type { JsonPiece } from './json-piece.ts'
import type { Transform } from '../negotiation/negotiate.ts'
import { ObjectEncoder } from './object-encoder.ts'
import { createPartialForm, encodePartialPieceAt } from './partial-metadata.ts'
import type { PartialForm } from './partial-metadata.ts'
import type { IncludeObject } from '../handlers/read-request.ts'
import type { ServedResource } from '../routing/served-resource.ts'

/** Encodes objects of one resource as rows of a meta.k8s.io Table, in JSON. */
export class TableRows {
  readonly #served: ServedResource
  readonly #table: TableConvertor
  readonly #version: Transform['version']
  readonly #include: IncludeObject
  readonly #encoder: ObjectEncoder
  readonly #partial: PartialForm

  constructor(served: ServedResource, version: Transform['version'], include: IncludeObject) {
    this.#served = served
    this.#table = served.storage.table!
    this.#version = version
    this.#include = include
    this.#partial = createPartialForm(served, { version })
    this.#encoder = new ObjectEncoder(served, 'json', false)
  }

  /**
   * Returns the text of the table before its first row. `columns` is false for later events of a watch, because the client already has the
   * columns.
   */
  head(listMeta: object, columns = true): string {
    const definitions = columns ? stringifyJson(this.#table.columns.map(describeColumn)) : 'null'
    return `{"kind":"Table","apiVersion":"meta.k8s.io/${this.#version}","metadata":${stringifyJson(listMeta)},"columnDefinitions":${definitions},"rows":[`
  }

  row(result: RestResult, include: IncludeObject = this.#include): JsonPiece {
    const table = this.#table
    const span = isStoredObject(result) ? findMetadata(result) : undefined
    const object = isStoredObject(result) ? copyLazily(result, span) : result
    const cells = stringifyJson(table.createCells(object, this.#served.settings.now()) satisfies readonly TableCell[])
    const conditions = table.getConditions?.(object) ?? []
    const conditionsMember = conditions.length === 0 ? '' : `,"conditions":${stringifyJson(conditions)}`
    const start = `{"cells":${cells}${conditionsMember},"object":`
    if (include === 'None') return Buffer.from(`${start}null}`)
    const included = include === 'Object' ? this.#encoder.embedded(result) : encodePartialPieceAt(result, span, this.#partial)
    return surroundPiece(start, included, '}')
  }

  get tail(): string {
    return ']}'
  }
}

function describeColumn(column: { name: string; type: string; format: string; description: string; priority: number }): object {
  const { name, type, format, description, priority } = column
  return { name, type, format, description, priority }
}
