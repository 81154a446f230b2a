import { readFileSync } from 'node:fs'

/** Go names for error messages; neither protobuf nor OpenAPI has them. */
export interface GoNames {
  /** The field, where that is not its JSON name with a capital first letter: "FSType". Only of types that error messages print whole. */
  readonly goField?: string
  /** Innermost value: "v1.Protocol". */
  readonly go?: string
  /** The list or map itself: "v1.ResourceList". */
  readonly goWhole?: string
  /** The list that is a map's value: "v1.ExtraValue". */
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
