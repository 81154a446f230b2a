import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import { LazyStruct } from './lazy-struct.ts'

/** The schema facts of one group version: strings, parsed per type on first use. `parse-field.ts` describes the syntax. */
export interface SchemaTable {
  /** Prefix of OpenAPI definition names: "io.k8s.api.core.v1". */
  readonly definition: string
  readonly groupVersion: GroupVersion
  readonly names: readonly string[]
  /** Returns undefined for an unknown type. Always returns the same object, which is shared by all references. */
  struct(name: string): StructSchema | undefined
  /** Resolves a reference: a type of this table, or "coreV1.PodSpec" of another one. */
  resolve(reference: string): StructSchema
}

export function schemaTable(
  definition: string,
  groupVersion: GroupVersion,
  lines: Readonly<Record<string, string>>,
  imports: Readonly<Record<string, SchemaTable>> = {},
): SchemaTable {
  const structs = new Map<string, StructSchema>()
  const table: SchemaTable = {
    definition,
    groupVersion,
    get names() {
      return Object.keys(lines)
    },
    struct(name) {
      let struct = structs.get(name)
      if (struct === undefined && Object.hasOwn(lines, name)) {
        struct = new LazyStruct(table, name, lines[name]!)
        structs.set(name, struct)
      }
      return struct
    },
    resolve(reference) {
      const dot = reference.indexOf('.')
      const owner = dot < 0 ? table : imports[reference.slice(0, dot)]
      const struct = owner?.struct(reference.slice(dot + 1))
      if (struct === undefined) throw new TypeError(`${definition} refers to ${reference}, which does not exist`)
      return struct
    },
  }
  return table
}
