import { canonicalStruct, encodeJson } from '@keelson/apimachinery'
import { createRecordCodec } from '@keelson/storagebackend'
import type { CodecFactory } from './rest-options.ts'

/** The codecs of the embedded store: records that can be listed without parsing, in the kind's order of members. */
export function recordCodecs(options: { readonly schemaVersion: number }): CodecFactory {
  return ({ kind, selectableFields, defaultOnRead }) =>
    createRecordCodec({
      kind: kind.gvk.kind,
      schemaVersion: options.schemaVersion,
      selectableFields,
      defaultOnRead,
      // Strategies add members in any order, and equal objects must give equal bytes.
      toJson: (object) => encodeJson(kind.schema, canonicalStruct(kind.schema, object)),
    })
}
