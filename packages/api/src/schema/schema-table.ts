import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import { LazyStruct } from './lazy-struct.ts'

/** The schema facts of one group version: strings, until a type is asked for. The syntax is described in `parse-field.ts`. */
export interface SchemaTable {
  /** Prefix of OpenAPI definition names: "io.k8s.api.core.v1". */
  readonly definition: string
  readonly groupVersion: GroupVersion
  readonly names: readonly string[]
  /** Undefined when there is no such type. The same object each time, shared by everything that refers to the type. */
  struct(name: string): StructSchema | undefined
  /** Where a reference leads: a type of this table, or "coreV1.PodSpec" of another one. */
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
      if (struct === undefined) throw new TypeError(`${definition} refers to ${reference}, which is in no table`)
      return struct
    },
  }
  return table
}
