import { readFileSync } from 'node:fs'

/** Go names that appear in error messages. The protobuf and OpenAPI files do not contain these names. */
export interface GoNames {
  /**
   * Go name of the field, if it is not the capitalized JSON name, for example "FSType". Only set in types that error messages print
   * completely.
   */
  readonly goField?: string
  /** Go type of the innermost value, for example "v1.Protocol". */
  readonly go?: string
  /** Go type of the list or map, for example "v1.ResourceList". */
  readonly goWhole?: string
  /** Go type of the lists in a map, for example "v1.ExtraValue". */
  readonly goInner?: string
}

type Table = Readonly<Record<string, Readonly<Record<'field' | 'value' | 'whole' | 'inner', Readonly<Record<string, string>> | undefined>>>>

const table = JSON.parse(readFileSync(new URL('../go-names.json', import.meta.url), 'utf8')) as Table
const attributes = { field: 'goField', value: 'go', whole: 'goWhole', inner: 'goInner' } as const

const byField = new Map<string, GoNames>()
for (const [folder, kinds] of Object.entries(table)) {
  for (const key of ['field', 'value', 'whole', 'inner'] as const) {
    for (const [goName, fields] of Object.entries(kinds[key] ?? {})) {
      for (const field of fields.split(' ')) {
        const path = `${folder} ${field}`
        byField.set(path, { ...byField.get(path), [attributes[key]]: goName })
      }
    }
  }
}

export function getGoNames(folder: string, message: string, field: string): GoNames {
  return byField.get(`${folder} ${message}.${field}`) ?? {}
}
