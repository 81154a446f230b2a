import { quote } from '@keelson/apimachinery'
import { isSupportedFormat } from '../schema/formats.ts'
import type { Definition, Schema } from './hub-spec.ts'
import { schemasOf, toHubSpec } from './hub-spec.ts'
import { someSchema } from './subschemas.ts'

/** Returns warnings about formats that have no effect. Formats of the stored definition cause no warning. */
export function findFormatWarnings(definition: Definition, old?: Definition): string[] {
  const known = new Set(old === undefined ? [] : findUnknownFormats(old))
  return findUnknownFormats(definition).flatMap((format) => (known.has(format) ? [] : [`unrecognized format ${quote(format)}`]))
}

function findUnknownFormats({ spec }: Definition): string[] {
  const found: string[] = []
  for (const root of schemasOf(toHubSpec(spec))) {
    someSchema(root, (schema) => {
      if (hasUnknownFormat(schema)) found.push(schema.format!)
      return false
    })
  }
  return found
}

function hasUnknownFormat({ type, format = '' }: Schema): boolean {
  // Unlike for validation, a schema of int-or-string values does not count as one of texts.
  return format !== '' && !isSupportedFormat({ ...(type !== undefined && { type }), format })
}
