import type { JsonObject } from '../meta.ts'
import type { MergeType } from './merge-type.ts'

/** An object in one version, without kind, apiVersion and managedFields. Immutable. */
export interface TypedObject {
  readonly apiVersion: string
  readonly type: MergeType
  readonly value: JsonObject
}

/** Converts an object to another version; undefined if the kind does not exist in that version. */
export type ConvertTyped = (object: TypedObject, apiVersion: string) => TypedObject | undefined
