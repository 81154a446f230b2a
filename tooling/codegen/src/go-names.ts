import { readFileSync } from 'node:fs'

/** Go names for error messages; neither protobuf nor OpenAPI has them. */
export interface GoNames {
  /** Field name, if it is not the capitalized JSON name: "FSType". Only for types that error messages print completely. */
  readonly goField?: string
  /** Type of the innermost value: "v1.Protocol". */
  readonly go?: string
  /** Type of the list or map: "v1.ResourceList". */
  readonly goWhole?: string
  /** Type of the lists in a map: "v1.ExtraValue". */
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

export function goNamesOf(folder: string, message: string, field: string): GoNames {
  return byField.get(`${folder} ${message}.${field}`) ?? {}
}
