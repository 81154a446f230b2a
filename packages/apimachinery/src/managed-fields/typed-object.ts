import type { JsonObject } from '../meta.ts'
import type { MergeType } from './merge-type.ts'

/** An object in one version, without kind, apiVersion and managedFields. Never changed. */
export interface TypedObject {
  readonly apiVersion: string
  readonly type: MergeType
  readonly value: JsonObject
}

/** The same object in another version; undefined when that version has no such kind (any longer). */
export type ConvertTyped = (object: TypedObject, apiVersion: string) => TypedObject | undefined
