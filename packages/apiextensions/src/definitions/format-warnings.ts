import type { Task } from '@keelson/apimachinery'
import { quote, runInSlices } from '@keelson/apimachinery'
import { isSupportedFormat } from '../schema/formats.ts'
import type { Definition, Schema } from './hub-spec.ts'
import { listSchemas, toHubSpec } from './hub-spec.ts'
import { visitSchemasStepwise } from './subschemas.ts'

/** Returns warnings about formats that have no effect. Formats of the stored definition cause no warning. */
export function findFormatWarnings(definition: Definition, old?: Definition): string[] | Promise<string[]> {
  return runInSlices(findNewFormats(definition, old))
}

function* findNewFormats(definition: Definition, old: Definition | undefined): Task<string[]> {
  const oldFormats = new Set(old === undefined ? [] : yield* findUnknownFormats(old))
  const formats = yield* findUnknownFormats(definition)
  return formats.flatMap((format) => (oldFormats.has(format) ? [] : [`unrecognized format ${quote(format)}`]))
}

function* findUnknownFormats({ spec }: Definition): Task<string[]> {
  const formats: string[] = []
  for (const root of listSchemas(toHubSpec(spec))) {
    yield* visitSchemasStepwise(root, (schema) => {
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
