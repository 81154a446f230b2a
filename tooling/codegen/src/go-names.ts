import { readFileSync } from 'node:fs'

/** Names of Go types that error messages print; neither protobuf nor OpenAPI shows them. */
export interface GoNames {
  /** Of the innermost value: "v1.Protocol". */
  readonly go?: string
  /** Of the list or map as a whole: "v1.ResourceList". */
  readonly goWhole?: string
  /** Of the list that is a map's value: "v1.ExtraValue". */
  readonly goInner?: string
}

type Table = Readonly<Record<string, Readonly<Record<'value' | 'whole' | 'inner', Readonly<Record<string, string>> | undefined>>>>

const table = JSON.parse(readFileSync(new URL('../go-names.json', import.meta.url), 'utf8')) as Table
const attributes = { value: 'go', whole: 'goWhole', inner: 'goInner' } as const

const byField = new Map<string, GoNames>()
for (const [folder, kinds] of Object.entries(table)) {
  for (const key of ['value', 'whole', 'inner'] as const) {
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
