import { canonicalStruct, encodeJson } from '@keelson/apimachinery'
import { createRecordCodec } from '@keelson/storagebackend'
import type { CodecFactory } from './rest-options.ts'

/** The codecs of the embedded store: records that need no parsing to be listed, in the kind's own order of members. */
export function recordCodecs(options: { readonly schemaVersion: number }): CodecFactory {
  return ({ kind, selectableFields, defaultOnRead }) =>
    createRecordCodec({
      kind: kind.gvk.kind,
      schemaVersion: options.schemaVersion,
      selectableFields,
      defaultOnRead,
      // Strategies add members wherever they come to stand; equal objects must give equal bytes.
      toJson: (object) => encodeJson(kind.schema, canonicalStruct(kind.schema, object)),
    })
}
