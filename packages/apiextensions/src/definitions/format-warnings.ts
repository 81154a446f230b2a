import { quote } from '@keelson/apimachinery'
import { isSupportedFormat } from '../schema/formats.ts'
import type { Definition, Schema } from './hub-spec.ts'
import { schemasOf, toHubSpec } from './hub-spec.ts'
import { someSchema } from './subschemas.ts'

/** Returns warnings about formats that have no effect. Formats of the stored definition cause no warning. */
export function findFormatWarnings(definition: Definition, old?: Definition): string[] {
  const oldFormats = new Set(old === undefined ? [] : findUnknownFormats(old))
  return findUnknownFormats(definition).flatMap((format) => (oldFormats.has(format) ? [] : [`unrecognized format ${quote(format)}`]))
}

function findUnknownFormats({ spec }: Definition): string[] {
  const formats: string[] = []
  for (const root of schemasOf(toHubSpec(spec))) {
    someSchema(root, (schema) => {
      if (hasUnknownFormat(schema)) formats.push(schema.format!)
      return false
    })
  }
  return formats
}

function hasUnknownFormat({ type, format = '' }: Schema): boolean {
  // Here, unlike in validation, an int-or-string schema does not count as a string schema.
  return format !== '' && !isSupportedFormat({ ...(type !== undefined && { type }), format })
}
