import type { JsonValue } from '@keelson/apimachinery'
import type { Case } from '../cases/case.ts'
import type { Group } from './group.ts'

const maxLength = 600

/** Formats a group of differences: both responses, the requests of the smallest case, and the command that plays it again. */
export function printGroup({ name, found }: Group, smallestCase: Case, again: (seed: number) => string): string {
  const { want, got } = found[0]!.difference
  const seeds = [...new Set(found.map((one) => one.case.seed))]
  return [
    `${found.length} × ${name}`,
    `    kube-apiserver: ${shorten(want)}`,
    `    keelson:        ${shorten(got)}`,
    ...smallestCase.steps.map(({ method, path, headers, body }) => {
      const type = headers?.['content-type'] ?? headers?.['accept']
      return `    ${method} ${path}${type === undefined ? '' : ` (${type})`}${body === undefined ? '' : ` ${shorten(body)}`}`
    }),
    `    seeds ${seeds.slice(0, 8).join(', ')}${seeds.length > 8 ? ', …' : ''}: ${again(seeds[0]!)}`,
  ].join('\n')
}

function shorten(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
