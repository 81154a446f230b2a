import type { JsonValue } from '@keelson/apimachinery'
import { isObject } from '../cases/locations.ts'
import type { DefinitionDifference, DefinitionsResult } from './compare-definitions.ts'

const maxLength = 500

/** Formats the shares of items that are alike, and the differences grouped by cause, largest group first. */
export function printDefinitions({ compared, created, differences }: DefinitionsResult, show: number): string {
  const groups = [...Map.groupBy(differences, classifyCause)].toSorted(([, a], [, b]) => b.length - a.length)
  const lines = groups.slice(0, show).map(([cause, members]) => {
    const { item, step, want, got, where } = members[0]!
    return [
      `${members.length} × ${cause}`,
      `    ${item}: ${step.method} ${step.path} ${where}`,
      ...(step.body === undefined ? [] : [`    body:           ${shorten(step.body)}`]),
      `    kube-apiserver: ${shorten(want)}`,
      `    keelson:        ${shorten(got)}`,
    ].join('\n')
  })
  if (groups.length > show) lines.push(`… and ${groups.length - show} more groups`)
  const counts = [...compared].map(
    ([kind, all]) => `${kind} ${share(all, differences.filter(({ item }) => item.startsWith(`${kind} `)).length)}`,
  )
  const total = [...compared.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...lines,
    '',
    ...counts,
    `${created} objects were valid`,
    `compare: ${share(total, differences.length)}, ${groups.length} groups of differences`,
  ].join('\n')
}

function share(total: number, differ: number): string {
  return `${total - differ} of ${total} alike (${((100 * (total - differ)) / Math.max(1, total)).toFixed(2)} %)`
}

/** Returns a name for the likely cause of a difference: the verb, the kind of item, and messages without field names and values. */
export function classifyCause({ item, step, where, want, got }: DefinitionDifference): string {
  const kind = item.split(' ')[0]!
  const place = where.startsWith('body') ? placeInBody(where, kind) : where.split(' ').slice(0, 2).join(' ')
  const texts = where.startsWith('body') ? [] : [want, got].map((value) => withoutValues(readMessage(value)))
  return [kind, step.method, place.startsWith('cause') ? 'cause' : place, ...texts].join(' | ')
}

/** Returns the field that differs: the first one of an object, and the last one of a document, whose schemas and paths have different names. */
function placeInBody(where: string, kind: string): string {
  const segments = where.split('.')
  if (kind === 'object') return segments.slice(0, 2).join('.')
  return segments.length > 3 ? `${segments.slice(0, 2).join('.')}…${segments.at(-1)}` : where
}

function readMessage(value: JsonValue | undefined): string {
  if (value === undefined) return '-'
  return isObject(value) && typeof value['message'] === 'string' ? value['message'] : JSON.stringify(value)
}

/** Replaces quoted strings, field paths and numbers in a message with placeholders. */
function withoutValues(message: string): string {
  return message
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replaceAll(/'[^']*'/g, "'…'")
    .replaceAll(/\b[\w-]+(?:\.[\w-]+|\[[^\]]*\])+/g, 'PATH')
    .replaceAll(/\d+/g, '0')
    .slice(0, 160)
}

function shorten(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
