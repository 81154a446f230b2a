import { namespace } from '../cases/case.ts'
import { formatCollectionPath, createSubjectExample } from '../cases/subjects.ts'
import type { Random } from '../cases/random.ts'
import type { Step } from '../cases/case.ts'
import type { Subject } from '../cases/subjects.ts'

/** Creates objects with labels that distinguish them from each other and from objects of other cases. */
export function createLabelledObjects(random: Random, subject: Subject, names: readonly string[]): Step[] {
  return names.map((name, index) => {
    const body = createSubjectExample(random, subject, name)
    body['metadata'] = { ...(body['metadata'] as object), labels: { app: name, n: `${index * 3 + 1}`, 'example.com/x': namespace } }
    return { method: 'POST', path: formatCollectionPath(subject), body }
  })
}

/** Returns a label selector for the run's objects of cluster-scoped resources. */
export function runSelector({ namespaced }: Subject): { readonly labelSelector?: string } {
  return namespaced ? {} : { labelSelector: `example.com/x=${namespace}` }
}

export type Query = Readonly<Record<string, string | undefined>>

export function pickMaybe(random: Random, probability: number, values: readonly string[]): string | undefined {
  return random.chance(probability) ? random.pick(values) : undefined
}
